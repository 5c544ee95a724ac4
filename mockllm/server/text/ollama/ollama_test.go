package ollama_test

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/server/text/serve"
	"halfsecond/mockllm/server/text/stand"
	"halfsecond/mockllm/server/text/tokenid"
	"halfsecond/mockllm/token"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/wire/ollama"
)

// at is the instant in a line that comes so many ms after the bubble began.
func at(ms int) string {
	return `"created_at":"` + time.Date(2000, 1, 1, 0, 0, 0, ms*1e6, time.UTC).Format(time.RFC3339Nano) + `"`
}

const ollamaFigures = `"total_duration":110000000,"prompt_eval_count":2,"prompt_eval_duration":100000000,"eval_count":2,"eval_duration":10000000`

func TestOllamaStreams(t *testing.T) {
	stand.Run(t, serve.Config{Models: []serve.Model{stand.Fixed("m", 100)}}, func(r *stand.Stand) {
		r.Same("raw generate", r.Lines("/api/generate", `{"model":"m","prompt":"a b","raw":true,"mock_answer":"one two"}`), []string{
			`100 {"model":"m",` + at(100) + `,"response":"one","done":false}`,
			`110 {"model":"m",` + at(110) + `,"response":" two","done":false}`,
			`110 {"model":"m",` + at(110) + `,"response":"","done":true,"done_reason":"stop",` + ollamaFigures + `}`,
		})
		r.Same("chat, by the name with a tag", r.Lines("/api/chat", `{"model":"M:latest","messages":[{"role":"user","content":"a b"}],"mock_answer":"one two"}`), []string{
			`100 {"model":"M:latest",` + at(210) + `,"message":{"role":"assistant","content":"one"},"done":false}`,
			`110 {"model":"M:latest",` + at(220) + `,"message":{"role":"assistant","content":" two"},"done":false}`,
			`110 {"model":"M:latest",` + at(220) + `,"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop",` + ollamaFigures + `}`,
		})
		a := r.Do("/api/generate", `{"model":"m","prompt":"a","mock_answer":"x"}`)
		a.Body.Close()
		if got := a.Header.Get("Content-Type"); got != "application/x-ndjson" {
			t.Errorf("content type is %q", got)
		}
	})
}

func TestOllamaWhole(t *testing.T) {
	stand.Run(t, serve.Config{Models: []serve.Model{stand.Fixed("m:1b", 100)}}, func(r *stand.Stand) {
		got := r.Answer("/api/generate", `{"model":"m:1b","prompt":"a b","stream":false,"mock_answer":"one two"}`)
		want := fmt.Sprintf(`110 200 {"model":"m:1b",%s,"response":"one two","done":true,"done_reason":"stop","context":[%d,%d,%d,%d],%s}`,
			at(110), tokenid.Of("a"), tokenid.Of(" b"), tokenid.Of("one"), tokenid.Of(" two"), ollamaFigures)
		if got != want {
			t.Errorf("generate\n got %s\nwant %s", got, want)
		}
		got = r.Answer("/api/chat", `{"model":"m:1b","messages":[{"role":"user","content":"a b","images":["aGk="]}],"stream":false,"mock_answer":"one two"}`)
		if want = `110 200 {"model":"m:1b",` + at(220) + `,"message":{"role":"assistant","content":"one two"},"done":true,"done_reason":"stop",` + ollamaFigures + `}`; got != want {
			t.Errorf("chat\n got %s\nwant %s", got, want)
		}
	})
}

// TestOllamaOptions: what a request says of its length and its prompt.
func TestOllamaOptions(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"no limit", `"prompt":"a"`, `"x y z" stop 1+3`},
		{"limit", `"prompt":"a","options":{"num_predict":2}`, `"x y" length 1+2`},
		{"limit 0", `"prompt":"a","options":{"num_predict":0}`, `"x" length 1+1`},
		{"no limit by name", `"prompt":"a","options":{"num_predict":-1}`, `"x y z" stop 1+3`},
		{"limit beyond the context", `"prompt":"a","options":{"num_predict":1000}`, `"x y z" stop 1+3`},
		{"stop", `"prompt":"a","options":{"stop":["y"]}`, `"x " stop 1+2`},
		{"system", `"prompt":"a","system":"b c"`, `"x y z" stop 3+3`},
		{"suffix", `"prompt":"a","suffix":"b"`, `"x y z" stop 5+3`},
		{"context", `"prompt":"a","context":[1,2,3]`, `"x y z" stop 4+3`},
		{"raw with special tokens", `"prompt":"<|fim_prefix|>a<|fim_suffix|>b<|fim_middle|>","raw":true`, `"x y z" stop 5+3`},
		{"small context", `"prompt":"a b c","options":{"num_ctx":5}`, `"x y" length 3+2`},
		{"prompt cut to a small context", `"prompt":"a b c d e f g h","options":{"num_ctx":7}`, `"x" length 6+1`},
		{"unknown option", `"prompt":"a","options":{"mirostat":1,"num_gpu":null}`, `"x y z" stop 1+3`},
	} {
		stand.Run(t, serve.Config{Models: []serve.Model{stand.Fixed("m", 100)}}, func(r *stand.Stand) {
			var g ollama.GenerateResponse
			r.Decode("/api/generate", `{"model":"m","stream":false,"mock_answer":"x y z",`+c.body+`}`, &g)
			if got := fmt.Sprintf("%q %s %d+%d", g.Response, g.DoneReason, g.PromptEvalCount, g.EvalCount); got != c.want {
				t.Errorf("%s\n got %s\nwant %s", c.name, got, c.want)
			}
		})
	}
}

// TestOllamaConversation: the oldest messages go when there is no room.
func TestOllamaConversation(t *testing.T) {
	messages := `"messages":[{"role":"system","content":"s"},{"role":"user","content":"a b c"},{"role":"assistant","content":"d"},{"role":"user","content":"e f"}]`
	for more, want := range map[string]int{
		``:                          7,
		`,"options":{"num_ctx":8}`:  7,
		`,"options":{"num_ctx":7}`:  4, // the first question goes
		`,"options":{"num_ctx":4}`:  3, // and its answer
		`,"options":{"num_ctx":2}`:  1, // and the start of what is left
		`,"options":{"num_ctx":-3}`: 7,
	} {
		stand.Run(t, serve.Config{Models: []serve.Model{stand.Fixed("m", 100)}}, func(r *stand.Stand) {
			var c ollama.ChatResponse
			r.Decode("/api/chat", `{"model":"m","stream":false,"mock_answer":"x",`+messages+more+`}`, &c)
			if c.PromptEvalCount != want || c.Message.Content != "x" {
				t.Errorf("%s gives %d prompt tokens, want %d", more, c.PromptEvalCount, want)
			}
		})
	}
}

func TestOllamaThinking(t *testing.T) {
	two, err := dist.CountFromQuantiles(2, 2)
	if err != nil {
		t.Fatal(err)
	}
	stand.Run(t, serve.Config{Models: []serve.Model{stand.Fixed("m", 100)}, ThinkingTokens: two}, func(r *stand.Stand) {
		r.Same("chat", r.Lines("/api/chat", `{"model":"m","messages":[{"role":"user","content":"a"}],"think":true,"mock_thinking":"hm so","mock_answer":"x"}`), []string{
			`100 {"model":"m",` + at(100) + `,"message":{"role":"assistant","content":"","thinking":"hm"},"done":false}`,
			`110 {"model":"m",` + at(110) + `,"message":{"role":"assistant","content":"","thinking":" so"},"done":false}`,
			`120 {"model":"m",` + at(120) + `,"message":{"role":"assistant","content":"x"},"done":false}`,
			`120 {"model":"m",` + at(120) + `,"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","total_duration":120000000,"prompt_eval_count":1,"prompt_eval_duration":100000000,"eval_count":3,"eval_duration":20000000}`,
		})
		for body, want := range map[string]string{
			`"think":"low"`:                        "2 x",
			`"temperature":1`:                      "2 x", // a model that can think does
			`"think":false`:                        "0 x",
			`"think":false,"mock_thinking":"hm"`:   "0 x",
			`"think":null,"mock_thinking":"a b c"`: "3 x",
		} {
			var g ollama.GenerateResponse
			r.Decode("/api/generate", `{"model":"m","prompt":"a","stream":false,"mock_answer":"x",`+body+`}`, &g)
			if got := fmt.Sprint(token.Count(g.Thinking), " ", g.Response); got != want {
				t.Errorf("%s gives %q and %q, want %s", body, g.Thinking, g.Response, want)
			}
		}
	})
}

func TestOllamaTools(t *testing.T) {
	stand.Run(t, serve.Config{Models: []serve.Model{stand.Fixed("m", 200)}}, func(r *stand.Stand) {
		tools := `"tools":[{"type":"function","function":{"name":"get","description":"d","parameters":{"type":"object"}}}],"mock_tool":["get"],"mock_answer":"{\"a\":1}"`
		got := r.Lines("/api/chat", `{"model":"m","messages":[{"role":"user","content":"a"}],`+tools+`}`)
		if len(got) != 2 || !strings.HasPrefix(got[0], `160 {"model":"m",`+at(160)+`,"message":{"role":"assistant","content":"","tool_calls":[{"id":"call_`) ||
			!strings.HasSuffix(got[0], `","function":{"index":0,"name":"get","arguments":{"a":1}}}]},"done":false}`) || !strings.Contains(got[1], `"done":true,"done_reason":"stop"`) {
			t.Errorf("a call is streamed as %q", got)
		}
		var c ollama.ChatResponse
		r.Decode("/api/chat", `{"model":"m","stream":false,"messages":[{"role":"user","content":"a"}],`+tools+`}`, &c)
		if len(c.Message.ToolCalls) != 1 || string(c.Message.ToolCalls[0].Function.Arguments) != `{"a":1}` || c.Message.Content != "" {
			t.Errorf("a call is answered as %+v", c.Message)
		}
		r.Decode("/api/chat", `{"model":"m","stream":false,"options":{"num_predict":2},"messages":[{"role":"user","content":"a"}],`+tools+`}`, &c)
		if c.DoneReason != "length" || c.EvalCount != 2 {
			t.Errorf("a call that is cut is answered as %+v", c)
		}
		if got := r.Lines("/api/chat", `{"model":"m","options":{"num_predict":2},"messages":[{"role":"user","content":"a"}],`+tools+`}`); len(got) != 1 {
			t.Errorf("a call that is cut is streamed as %q", got)
		}
		r.Decode("/api/chat", `{"model":"m","stream":false,"mock_answer":"done","messages":[{"role":"assistant","tool_calls":[{"function":{"name":"get","arguments":{"a":1}}}]},{"role":"tool","tool_name":"get","content":"2"}]}`, &c)
		if c.Message.Content != "done" || c.PromptEvalCount != token.Count(`{"a":1}`)+1 {
			t.Errorf("after a call the answer is %+v", c)
		}
	})
}

func TestOllamaFormat(t *testing.T) {
	stand.Run(t, serve.Config{Models: []serve.Model{stand.Fixed("m", 200)}}, func(r *stand.Stand) {
		var g ollama.GenerateResponse
		for _, format := range []string{`"json"`, `{"type":"object","required":["a"],"properties":{"a":{"type":"integer"}}}`} {
			r.Decode("/api/generate", `{"model":"m","prompt":"a","stream":false,"format":`+format+`}`, &g)
			var object map[string]json.RawMessage
			if json.Unmarshal([]byte(g.Response), &object) != nil {
				t.Errorf("format %s gives %q", format, g.Response)
			}
		}
	})
}

// cold is a model of ten bytes that takes three seconds to load, one when it was there
// before, and leaves after five minutes.
func cold(name string) serve.Model {
	return serve.Model{Name: name, Context: 100, Weights: 10, Build: func(l pipeline.Scheduler) engine.Engine {
		return engine.NewCold(l, engine.ColdConfig{Load: 3 * time.Second, Reload: time.Second, Idle: 5 * time.Minute}, stand.Slow)
	}}
}

func TestOllamaLoadsAndUnloads(t *testing.T) {
	stand.Run(t, serve.Config{Models: []serve.Model{cold("m")}}, func(r *stand.Stand) {
		ask := func() (g ollama.GenerateResponse) {
			r.Decode("/api/generate", `{"model":"m","prompt":"a","stream":false,"mock_answer":"x y"}`, &g)
			return g
		}
		if g := ask(); g.LoadDuration != 3*time.Second || g.TotalDuration != 3110*time.Millisecond || g.PromptEvalDuration != 100*time.Millisecond {
			t.Errorf("a cold model says %+v", g.Metrics)
		}
		if g := ask(); g.LoadDuration != 0 || g.TotalDuration != 110*time.Millisecond {
			t.Errorf("a warm model says %+v", g.Metrics)
		}
		time.Sleep(6 * time.Minute)
		began := time.Now()
		if got, want := r.Answer("/api/generate", `{"model":"m","keep_alive":"10m"}`), `1100 200 {"model":"m","created_at":"`+began.Add(1100*time.Millisecond).UTC().Format(time.RFC3339Nano)+`","response":"","done":true,"done_reason":"load"}`; got != want {
			t.Errorf("a load\n got %s\nwant %s", got, want)
		}
		if g := ask(); g.LoadDuration != 0 {
			t.Errorf("after the load %+v", g.Metrics)
		}
		for path, body := range map[string]string{"/api/generate": `{"model":"m","keep_alive":0}`, "/api/chat": `{"model":"m","messages":[],"keep_alive":"0s"}`} {
			if got := r.Answer(path, body); !strings.HasPrefix(got, "0 200 ") || !strings.Contains(got, `"done":true,"done_reason":"unload"`) {
				t.Errorf("an unload at %s gives %s", path, got)
			}
		}
		if got := r.Answer("/api/chat", `{"model":"m"}`); !strings.HasPrefix(got, "1100 200 ") || !strings.Contains(got, `"message":{"role":"assistant","content":""},"done":true,"done_reason":"load"}`) {
			t.Errorf("a load by chat gives %s", got)
		}
	})
}

// TestOllamaKeepAlive: a model stays in memory as long as the last request wanted, which
// /api/ps tells of, those first that stay longest.
func TestOllamaKeepAlive(t *testing.T) {
	stand.Run(t, serve.Config{Models: []serve.Model{cold("a"), cold("b"), stand.Fixed("c", 100)}}, func(r *stand.Stand) {
		loads := func(model, more string) time.Duration {
			var g ollama.GenerateResponse
			r.Decode("/api/generate", `{"model":"`+model+`","prompt":"x","stream":false,"mock_answer":"x"`+more+`}`, &g)
			return g.LoadDuration
		}
		here := func() string {
			var all ollama.Running
			r.Decode("/api/ps", "", &all)
			var got []string
			for _, m := range all.Models {
				got = append(got, fmt.Sprint(m.Name, " ", m.Size, " ", time.Until(m.ExpiresAt)))
			}
			return strings.Join(got, ", ")
		}
		const ever = "c:latest 0 2562047h47m16.854775807s"
		for i, step := range []struct {
			model, more string
			loads       time.Duration
			sleep       time.Duration
			here        string
		}{
			{"a", ``, 3 * time.Second, 0, ever + ", a:latest 10 5m0s"},
			{"b", `,"keep_alive":"10m"`, 3 * time.Second, time.Minute, ever + ", b:latest 10 9m0s, a:latest 10 3m56.9s"},
			{"a", `,"keep_alive":30`, 0, 29 * time.Second, ever + ", b:latest 10 8m30.9s, a:latest 10 1s"},
			{"a", `,"keep_alive":0`, 0, 0, ever + ", b:latest 10 8m30.8s"},
			{"a", `,"keep_alive":-1`, time.Second, time.Hour, "a:latest 10 2562047h47m16.854775807s, " + ever},
			{"a", ``, 0, 299 * time.Second, ever + ", a:latest 10 1s"},
			{"a", ``, 0, 301 * time.Second, ever},
		} {
			if got := loads(step.model, step.more); got != step.loads {
				t.Errorf("step %d: the load took %s, want %s", i, got, step.loads)
			}
			time.Sleep(step.sleep)
			if got := here(); got != step.here {
				t.Errorf("step %d: in memory are\n     %s\nwant %s", i, got, step.here)
			}
		}
	})
}

// TestOllamaWaitsForALoadUnderWay: of a load only the part that a request waited for is
// told, and a model on its way is in memory.
func TestOllamaWaitsForALoadUnderWay(t *testing.T) {
	stand.Run(t, serve.Config{Models: []serve.Model{cold("m")}}, func(r *stand.Stand) {
		var first sync.WaitGroup
		first.Go(func() { r.Answer("/api/generate", `{"model":"m"}`) })
		time.Sleep(2 * time.Second)
		if got := r.Answer("/api/ps", ""); !strings.Contains(got, `"name":"m:latest"`) {
			t.Errorf("while it loads, in memory are %s", got)
		}
		var g ollama.GenerateResponse
		r.Decode("/api/generate", `{"model":"m","prompt":"x","stream":false,"mock_answer":"x"}`, &g)
		if g.LoadDuration != time.Second {
			t.Errorf("load of %s, want 1s", g.LoadDuration)
		}
		first.Wait()
	})
}

func TestOllamaRefusals(t *testing.T) {
	full := stand.Full("full")
	stand.Run(t, serve.Config{Models: []serve.Model{stand.Fixed("m", 100), full}}, func(r *stand.Stand) {
		for _, c := range []struct{ path, body, want string }{
			{"/api/generate", `{"model":"n","prompt":"a"}`, `404 {"error":"model 'n' not found"}`},
			{"/api/generate", `{"model":"m:2b","prompt":"a"}`, `404 {"error":"model 'm:2b' not found"}`},
			{"/api/generate", `{"prompt":"a"}`, `404 {"error":"model '' not found"}`},
			{"/api/chat", `{"messages":[{"role":"user","content":"a"}]}`, `400 {"error":"model is required"}`},
			{"/api/chat", `{"model":"n","messages":[]}`, `404 {"error":"model 'n' not found"}`},
			{"/api/generate", `{"model":"m","prompt":"a","raw":true,"system":"s"}`, `400 {"error":"raw mode does not support template, system, or context"}`},
			{"/api/generate", `{"model":"m","prompt":"a","think":true}`, `400 {"error":"\"m\" does not support thinking"}`},
			{"/api/chat", `{"model":"m","messages":[{"role":"user"}],"think":"high"}`, `400 {"error":"\"m\" does not support thinking"}`},
			{"/api/generate", `{"model":"m","prompt":"a","think":"deep"}`, `400 {"error":"Invalid type for 'think': invalid think value: \"deep\" (must be \"high\", \"medium\", \"low\", true, or false)."}`},
			{"/api/generate", `{"model":"m","prompt":"a","keep_alive":"soon"}`, `400 {"error":"Invalid type for 'keep_alive': time: invalid duration \"soon\"."}`},
			{"/api/generate", `{"model":"m","prompt":"a","format":"xml"}`, `400 {"error":"invalid format: \"xml\"; expected \"json\" or a valid JSON Schema object"}`},
			{"/api/generate", `{"model":"m","prompt":"a","context":[-1]}`, `400 {"error":"context: want the numbers of tokens as an earlier answer gave them"}`},
			{"/api/generate", `{"model":"m","prompt":"a b c","truncate":false,"options":{"num_ctx":3}}`, `400 {"error":"the input length exceeds the context length"}`},
			{"/api/generate", `{"model":"m","prompt":7}`, `400 {"error":"Invalid type for 'prompt': expected a string, but got number instead."}`},
			{"/api/generate", `[]`, `400 {"error":"The JSON body of your request is not an object but of type array."}`},
			{"/api/generate", `{"model":"full","prompt":"a b c","stream":false}`, `503 {"error":"server busy, please try again.  maximum pending requests exceeded"}`},
			{"/api/chat", `{"model":"full","messages":[{"role":"user","content":"a b c"}]}`, `503 {"error":"server busy, please try again.  maximum pending requests exceeded"}`},
			{"/api/show", `{}`, `400 {"error":"model is required"}`},
			{"/api/show", `{"name":"n"}`, `404 {"error":"model 'n' not found"}`},
			{"/api/embed", `{"model":"m","input":"a"}`, `501 {"error":"this server generates text and has no embeddings"}`},
			{"/api/pull", `{"model":"m"}`, `404 {"error":"this server has no POST /api/pull"}`},
		} {
			if got := r.Answer(c.path, c.body); got != "0 "+c.want {
				t.Errorf("%s %s\n got %s\nwant 0 %s", c.path, c.body, got, c.want)
			}
		}
	})
}

func TestOllamaModels(t *testing.T) {
	stand.Run(t, serve.Config{Models: []serve.Model{stand.Fixed("a", 100), stand.Fixed("x/b:7b", 200)}}, func(r *stand.Stand) {
		var tags ollama.Tags
		r.Decode("/api/tags", "", &tags)
		if len(tags.Models) != 2 || tags.Models[0].Name != "a:latest" || tags.Models[1].Model != "x/b:7b" || len(tags.Models[0].Digest) != 64 {
			t.Errorf("tags are %+v", tags)
		}
		var running ollama.Running
		r.Decode("/api/ps", "", &running)
		if len(running.Models) != 2 || running.Models[1].ContextLength != 200 || time.Until(running.Models[0].ExpiresAt) != math.MaxInt64 {
			t.Errorf("running are %+v", running)
		}
		var shown ollama.Shown
		r.Decode("/api/show", `{"model":"X/B:7B"}`, &shown)
		if shown.ModelInfo["halfsecond.context_length"] != 200.0 || !strings.Contains(shown.Template, ".Suffix") || strings.Join(shown.Capabilities, " ") != "completion insert tools" {
			t.Errorf("shown is %+v", shown)
		}
		for path, want := range map[string]string{"/": "0 200 Ollama is running", "/api/version": `0 200 {"version":"0.17.4"}`} {
			if got := r.Answer(path, ""); got != want {
				t.Errorf("%s gives %s, want %s", path, got, want)
			}
		}
		for _, path := range []string{"/", "/api/tags", "/api/version"} {
			q, err := http.NewRequestWithContext(r.T.Context(), "HEAD", "http://mock"+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			if a, err := r.Client.Do(q); err != nil || a.StatusCode != 200 {
				t.Errorf("HEAD %s gives %v, error %v", path, a, err)
			}
		}
	})
}
