package llamacpp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/roofline"
	"halfsecond/mockllm/server/text/serve"
	"halfsecond/mockllm/server/text/stand"
	"halfsecond/mockllm/server/text/tokenid"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/llamacpp"
)

func TestLlamaCPPStream(t *testing.T) {
	const settings = `{"seed":4294967295,"temperature":0.8,"top_k":40,"top_p":0.95,"min_p":0.05,"stop":[],"max_tokens":-1,"n_predict":-1,"n_keep":0,"ignore_eos":false,"stream":true,"timings_per_token":false}`
	one, two := tokenid.Of("one"), tokenid.Of(" two")
	stand.Run(t, serve.Config{Models: []serve.Model{stand.Fixed("m", 100)}}, func(r *stand.Stand) {
		r.Same("stream", r.Lines("/completion", `{"prompt":"a b c","stream":true,"mock_answer":"one two"}`), []string{
			fmt.Sprintf(`100 {"index":0,"content":"one","tokens":[%d],"stop":false,"id_slot":0,"tokens_predicted":1,"tokens_evaluated":3}`, one),
			fmt.Sprintf(`110 {"index":0,"content":" two","tokens":[%d],"stop":false,"id_slot":0,"tokens_predicted":2,"tokens_evaluated":3}`, two),
			`110 {"index":0,"content":"","tokens":[],"id_slot":0,"stop":true,"model":"m","tokens_predicted":2,"tokens_evaluated":3,"generation_settings":` + settings +
				`,"prompt":"a b c","has_new_line":false,"truncated":false,"stop_type":"eos","stopping_word":"","tokens_cached":4,` +
				`"timings":{"cache_n":0,"prompt_n":3,"prompt_ms":100,"prompt_per_token_ms":33.333333333333336,"prompt_per_second":30,"predicted_n":2,"predicted_ms":10,"predicted_per_token_ms":10,"predicted_per_second":100}}`,
		})
		a := r.Do("/completions", `{"prompt":"a","stream":true,"mock_answer":"x"}`)
		a.Body.Close()
		if got := a.Header.Get("Content-Type"); !strings.HasPrefix(got, "text/event-stream") {
			t.Errorf("content type is %q", got)
		}
	})
}

func TestLlamaCPPExtras(t *testing.T) {
	stand.Run(t, serve.Config{Models: []serve.Model{stand.Fixed("m", 100)}}, func(r *stand.Stand) {
		got := r.Lines("/completion", `{"prompt":"a b","stream":true,"timings_per_token":true,"return_progress":true,"mock_answer":"one two","response_fields":["stop","timings/predicted_ms","generation_settings/n_predict"]}`)
		timings := func(n, ms, pace string) string {
			return `"timings":{"cache_n":0,"prompt_n":2,"prompt_ms":100,"prompt_per_token_ms":50,"prompt_per_second":20,"predicted_n":` + n + `,"predicted_ms":` + ms + `,"predicted_per_token_ms":` + pace
		}
		r.Same("progress, timings and fields", got, []string{
			`100 {"index":0,"content":"","tokens":[],"stop":false,"id_slot":0,"tokens_predicted":0,"tokens_evaluated":2,"prompt_progress":{"total":2,"cache":0,"processed":2,"time_ms":100}}`,
			fmt.Sprintf(`100 {"index":0,"content":"one","tokens":[%d],"stop":false,"id_slot":0,"tokens_predicted":1,"tokens_evaluated":2,`, tokenid.Of("one")) + timings("1", "0.001", `0,"predicted_per_second":0}}`),
			fmt.Sprintf(`110 {"index":0,"content":" two","tokens":[%d],"stop":false,"id_slot":0,"tokens_predicted":2,"tokens_evaluated":2,`, tokenid.Of(" two")) + timings("2", "10", `10,"predicted_per_second":100}}`),
			`110 {"generation_settings/n_predict":-1,"stop":true,"timings/predicted_ms":10}`,
		})
		if got, want := r.Answer("/completion", `{"prompt":"a","mock_answer":"one two","return_tokens":true,"response_fields":["content","tokens"]}`),
			fmt.Sprintf(`110 200 {"content":"one two","tokens":[%d,%d]}`, tokenid.Of("one"), tokenid.Of(" two")); got != want {
			t.Errorf("whole answer\n got %s\nwant %s", got, want)
		}
	})
}

// TestLlamaCPPStops: why an answer ends, and when.
func TestLlamaCPPStops(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"by itself", `"mock_answer":"a b c"`, `120 "a b c" eos "" 3`},
		{"limit", `"n_predict":2,"mock_answer":"a b c"`, `110 "a b" limit "" 2`},
		{"limit by its other name", `"max_tokens":2,"mock_answer":"a b c"`, `110 "a b" limit "" 2`},
		{"no limit", `"n_predict":-1,"mock_answer":"a b c"`, `120 "a b c" eos "" 3`},
		{"limit 0", `"n_predict":0,"mock_answer":"a b c"`, `100 "a" limit "" 1`},
		{"limit beyond the context", `"n_predict":500,"mock_answer":"a b c"`, `120 "a b c" eos "" 3`},
		{"word", `"stop":["x","b"],"mock_answer":"a b c"`, `110 "a " word "b" 2`},
		{"words of nothing", `"stop":[""],"mock_answer":"a b c"`, `120 "a b c" eos "" 3`},
		{"a line in time", `"t_max_predict_ms":30,"mock_answer":"a\nb\nc"`, `140 "a\nb\nc" eos "" 5`},
		{"a line too late", `"t_max_predict_ms":20,"mock_answer":"a\nb\nc\nd e"`, `130 "a\nb\n" limit "" 4`},
		{"no line at all", `"t_max_predict_ms":1,"mock_answer":"a b c"`, `120 "a b c" eos "" 3`},
		{"the last line is too late", `"t_max_predict_ms":1,"mock_answer":"a b\n"`, `120 "a b\n" eos "" 3`},
		{"indented", `"n_indent":2,"mock_answer":"a\n  b\n c d"`, `140 "a\n  b\n " limit "" 5`},
		{"indented enough", `"n_indent":1,"mock_answer":"a\n  b\n c d"`, `150 "a\n  b\n c d" eos "" 6`},
		{"ignore_eos", `"ignore_eos":true,"n_predict":2,"mock_answer":"a"`, ""},
	} {
		stand.Run(t, serve.Config{Models: []serve.Model{stand.Fixed("m", 100)}}, func(r *stand.Stand) {
			from := time.Now()
			var f llamacpp.Final
			r.Decode("/completion", `{"prompt":"x",`+c.body+`}`, &f)
			if c.name == "ignore_eos" {
				if f.TokensPredicted != 2 || f.StopType != "limit" {
					t.Errorf("ignore_eos gives %+v", f)
				}
				return
			}
			got := fmt.Sprintf("%d %q %s %q %d", time.Since(from)/time.Millisecond, f.Content, f.StopType, f.StoppingWord, f.TokensPredicted)
			if got != c.want || f.Timings.PredictedN != f.TokensPredicted || f.HasNewLine != strings.Contains(f.Content, "\n") {
				t.Errorf("%s\n got %s, %+v\nwant %s", c.name, got, f.Timings, c.want)
			}
			if entries, _ := r.Ledger.Latest(1); entries[0].Outcome != pipeline.OK || entries[0].Generated != f.TokensPredicted {
				t.Errorf("%s: the ledger has %+v", c.name, entries[0])
			}
		})
	}
}

// TestLlamaCPPFull: the context ends an answer.
func TestLlamaCPPFull(t *testing.T) {
	stand.Run(t, serve.Config{Models: []serve.Model{stand.Fixed("m", 5)}}, func(r *stand.Stand) {
		var f llamacpp.Final
		r.Decode("/completion", `{"prompt":"a b c","mock_answer":"one two three"}`, &f)
		if f.Content != "one two" || !f.Truncated || f.StopType != "limit" {
			t.Errorf("a full context gives %+v", f)
		}
		if got, want := r.Answer("/completion", `{"prompt":"a b c d e"}`), `0 400 {"error":{"code":400,"message":"request (5 tokens) exceeds the available context size (5 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":5,"n_ctx":5}}`; got != want {
			t.Errorf("a prompt that is too long\n got %s\nwant %s", got, want)
		}
	})
}

func TestLlamaCPPRefusals(t *testing.T) {
	full := func(l pipeline.Scheduler) engine.Engine {
		return engine.NewSlots(l, engine.SlotsConfig{Service: engine.Fixed{}, Slots: 1, MaxContext: 2})
	}
	stand.Run(t, serve.Config{Models: []serve.Model{stand.Fixed("m", 100), {Name: "full", Context: 100, Build: full}}, MaxBody: 100}, func(r *stand.Stand) {
		for _, c := range []struct{ path, body, want string }{
			{"/completion", `{}`, `400 {"error":{"code":400,"message":"\"prompt\" is required","type":"invalid_request_error"}}`},
			{"/completion", `{"prompt"`, `400 {"error":{"code":400,"message":"We could not parse the JSON body of your request: unexpected end of JSON input at byte 9.","type":"invalid_request_error"}}`},
			{"/completion", `{"prompt":"a","n_predict":"5"}`, `400 {"error":{"code":400,"message":"Invalid type for 'n_predict': expected an integer, but got string instead.","type":"invalid_request_error"}}`},
			{"/completion", `{"prompt":["a","b"]}`, `400 {"error":{"code":400,"message":"Invalid type for 'prompt': want one prompt; a list of several is not supported.","type":"invalid_request_error"}}`},
			{"/completion", `{"prompt":[-1]}`, `400 {"error":{"code":400,"message":"Prompt contains invalid tokens: -1 is none","type":"invalid_request_error"}}`},
			{"/completion", `{"prompt":"` + strings.Repeat("a", 100) + `"}`, `413 {"error":{"code":413,"message":"Request body is larger than the limit of 100 bytes.","type":"invalid_request_error"}}`},
			{"/completion", `{"prompt":"a","model":"n"}`, "404 {\"error\":{\"code\":404,\"message\":\"The model `n` does not exist or you do not have access to it. This server has `m`, `full`.\",\"type\":\"not_found_error\"}}"},
			{"/completion", `{"prompt":"a b c","model":"full"}`, `503 {"error":{"code":503,"message":"The engine cannot take this request: `},
			{"/completion", `{"prompt":"a b c","model":"full","stream":true}`, `503 {"error":{"code":503,"message":"The engine cannot take this request: `},
			{"/completion", `{"prompt":"a","n_cmpl":2}`, `400 {"error":{"code":400,"message":"n_cmpl cannot be greater than 1: this server generates one completion a request, but 2 are asked for","type":"invalid_request_error"}}`},
			{"/infill", `{"input_suffix":"a"}`, `400 {"error":{"code":400,"message":"\"input_prefix\" is required","type":"invalid_request_error"}}`},
			{"/infill", `{"input_prefix":"a"}`, `400 {"error":{"code":400,"message":"\"input_suffix\" is required","type":"invalid_request_error"}}`},
			{"/infill", `{"input_prefix":"a","input_suffix":"","input_extra":[{}]}`, `400 {"error":{"code":400,"message":"extra_context chunk must contain a \"text\" field with a string value; input_extra[0] has none","type":"invalid_request_error"}}`},
			{"/slots/0?action=erase", `{}`, `501 {"error":{"code":501,"message":"This server does not support POST /slots/0: it keeps no files and no settings.","type":"not_supported_error"}}`},
			{"/props", `{}`, `501 {"error":{"code":501,"message":"This server does not support POST /props: it keeps no files and no settings.","type":"not_supported_error"}}`},
		} {
			if got := r.Answer(c.path, c.body); !strings.HasPrefix(got, "0 "+c.want) {
				t.Errorf("%s %s\n got %s\nwant 0 %s", c.path, c.body, got, c.want)
			}
		}
	})
}

// TestLlamaCPPModels: which model answers.
func TestLlamaCPPModels(t *testing.T) {
	family := stand.Fixed("b", 100)
	family.Family = "llama.cpp"
	ask := func(r *stand.Stand, model string) string {
		var f llamacpp.Final
		r.Decode("/completion", `{"prompt":"a","mock_answer":"x"`+model+`}`, &f)
		return f.Model
	}
	stand.Run(t, serve.Config{Models: []serve.Model{stand.Fixed("a", 100)}}, func(r *stand.Stand) {
		if got := ask(r, `,"model":"anything"`); got != "a" {
			t.Errorf("the only model is %q", got)
		}
	})
	stand.Run(t, serve.Config{Models: []serve.Model{stand.Fixed("a", 100), family}}, func(r *stand.Stand) {
		if none, named := ask(r, ""), ask(r, `,"model":"a"`); none != "b" || named != "a" {
			t.Errorf("no name gives %q, a gives %q; want b and a", none, named)
		}
	})
	stand.Run(t, serve.Config{Models: []serve.Model{stand.Fixed("a", 100), stand.Fixed("b", 100)}}, func(r *stand.Stand) {
		if got := ask(r, ""); got != "a" {
			t.Errorf("no name gives %q, want the first", got)
		}
	})
}

// TestLlamaCPPTokens: tokens by number count as one each, and the prompt says so.
func TestLlamaCPPTokens(t *testing.T) {
	stand.Run(t, serve.Config{Models: []serve.Model{stand.Fixed("m", 100)}}, func(r *stand.Stand) {
		for body, want := range map[string]string{
			`{"prompt":[1,2,2147483647]}`:                                   "3 <1><2><2147483647>",
			`{"prompt":[1,"a b"]}`:                                          "3 <1>a b",
			`{"prompt":{"prompt_string":"a b"}}`:                            "2 a b",
			`{"prompt":""}`:                                                 "1 ",
			`{"prompt":"<|fim_prefix|>a<|fim_suffix|>b<|fim_middle|>"}`:     "5 <|fim_prefix|>a<|fim_suffix|>b<|fim_middle|>",
			`{"prompt":"a","cache_prompt":false,"id_slot":-1,"seed":-1}`:    "1 a",
			`{"prompt":"a","samplers":[],"stop":null,"response_fields":[]}`: "1 a",
		} {
			var f llamacpp.Final
			r.Decode("/completion", body, &f)
			if got := fmt.Sprint(f.TokensEvaluated, " ", f.Prompt); got != want {
				t.Errorf("%s gives %s, want %s", body, got, want)
			}
		}
	})
}

// TestLlamaCPPCache: what prompts share is evaluated once, unless the client says not to
// look.
func TestLlamaCPPCache(t *testing.T) {
	shared := serve.Model{Name: "m", Context: 1000, Shares: true, Build: func(l pipeline.Scheduler) engine.Engine {
		return engine.NewBatched(l, engine.BatchedConfig{Steps: evenSteps{}, MaxSequences: 1, TokenBudget: 1000, KVBlocks: 100, BlockTokens: 4, PrefixCache: true})
	}}
	stand.Run(t, serve.Config{Models: []serve.Model{shared}}, func(r *stand.Stand) {
		prompt := `"prompt":"a b c d e f g h i"`
		for i, c := range []struct {
			more          string
			cached, fresh int
		}{{"", 0, 9}, {"", 8, 1}, {`,"cache_prompt":false`, 0, 9}} {
			var f llamacpp.Final
			r.Decode("/completion", `{`+prompt+`,"mock_answer":"x"`+c.more+`}`, &f)
			if f.Timings.CacheN != c.cached || f.Timings.PromptN != c.fresh || f.TokensEvaluated != 9 {
				t.Errorf("request %d: %+v, want %d cached and %d not", i, f.Timings, c.cached, c.fresh)
			}
		}
	})
}

func TestLlamaCPPSlots(t *testing.T) {
	m := stand.Fixed("m", 100)
	m.Slots = 2
	m.Build = func(l pipeline.Scheduler) engine.Engine {
		return engine.NewSlots(l, engine.SlotsConfig{Service: engine.Fixed{TTFT: 100 * time.Millisecond, TPOT: 10 * time.Millisecond}, Slots: 2, MaxContext: 1000})
	}
	stand.Run(t, serve.Config{Models: []serve.Model{m}}, func(r *stand.Stand) {
		idle := `{"id":0,"n_ctx":100,"speculative":false,"is_processing":false},{"id":1,"n_ctx":100,"speculative":false,"is_processing":false}`
		if got := r.Answer("/slots", ""); got != "0 200 ["+idle+"]" {
			t.Errorf("idle slots are %s", got)
		}
		done := make(chan llamacpp.Final)
		for _, body := range []string{`{"prompt":"a b","mock_answer":"one\ntwo three","id_slot":1,"n_predict":9}`, `{"prompt":"c","mock_answer":"x y z w"}`} {
			go func() {
				var f llamacpp.Final
				r.Decode("/completion", body, &f)
				done <- f
			}()
			time.Sleep(5 * time.Millisecond)
		}
		synctest.Wait()
		if got, want := r.Answer("/slots?fail_on_no_slot=1", ""), `0 503 {"error":{"code":503,"message":"no slot available","type":"unavailable_error"}}`; got != want {
			t.Errorf("\n got %s\nwant %s", got, want)
		}
		time.Sleep(112*time.Millisecond - 10*time.Millisecond) // at 112 time.Millisecond the first has two tokens, the second one
		var slots []llamacpp.Slot
		r.Decode("/slots", "", &slots)
		if len(slots) != 2 || !slots[0].IsProcessing || slots[0].NextToken[0] != (llamacpp.NextToken{HasNextToken: true, NRemain: -1, NDecoded: 1}) ||
			slots[1].NextToken[0] != (llamacpp.NextToken{HasNextToken: true, HasNewLine: true, NRemain: 7, NDecoded: 2}) || *slots[1].NPrompt != 2 {
			t.Errorf("busy slots are %+v", slots)
		}
		if a, b := <-done, <-done; a.IDSlot != 1 || b.IDSlot != 0 {
			t.Errorf("the answers came from slots %d and %d, want 1 and 0", a.IDSlot, b.IDSlot)
		}
		if got := r.Answer("/slots?fail_on_no_slot=1", ""); got != "0 200 ["+idle+"]" {
			t.Errorf("afterwards the slots are %s", got)
		}
		var p llamacpp.Props
		r.Decode("/props", "", &p)
		if p.TotalSlots != 2 || p.DefaultGenerationSettings.NContext != 100 || p.ModelAlias != "m" {
			t.Errorf("props are %+v", p)
		}
	})
}

// TestLlamaCPPPing: a stream that is silent for long says so, but not before it began.
func TestLlamaCPPPing(t *testing.T) {
	slow := serve.Model{Name: "m", Context: 100, Build: func(l pipeline.Scheduler) engine.Engine {
		return engine.NewSlots(l, engine.SlotsConfig{Service: engine.Fixed{TTFT: 50 * time.Second, TPOT: 70 * time.Second}, Slots: 1, MaxContext: 1000})
	}}
	for more, want := range map[string]string{
		"":                          "30 :, 50 x, 80 :, 110 :, 120 y, 120 end",
		`,"sse_ping_interval":40`:   "40 :, 50 x, 90 :, 120 y, 120 end",
		`,"sse_ping_interval":-1`:   "50 x, 120 y, 120 end",
		`,"sse_ping_interval":1000`: "50 x, 120 y, 120 end",
	} {
		stand.Run(t, serve.Config{Models: []serve.Model{slow}}, func(r *stand.Stand) {
			from := time.Now()
			a := r.Do("/completion", `{"prompt":"a","stream":true,"mock_answer":"x y"`+more+`}`)
			defer a.Body.Close()
			var got []string
			buffer := make([]byte, 4096)
			for {
				n, err := a.Body.Read(buffer)
				if err != nil {
					break
				}
				at, text := time.Since(from)/time.Second, string(buffer[:n])
				for _, c := range []struct{ holds, is string }{{`"content":"x"`, "x"}, {`"content":" y"`, "y"}, {`"stop":true`, "end"}} {
					if strings.Contains(text, c.holds) {
						got = append(got, fmt.Sprintf("%d %s", at, c.is))
					}
				}
				if text == llamacpp.Ping {
					got = append(got, fmt.Sprintf("%d :", at))
				}
			}
			if g := strings.Join(got, ", "); g != want {
				t.Errorf("with %q\n got %s\nwant %s", more, g, want)
			}
		})
	}
}

// TestLlamaCPPSlowToNotice: an answer whose time is out ends at once, although the engine
// computes on.
func TestLlamaCPPSlowToNotice(t *testing.T) {
	m := stand.Fixed("m", 100)
	build := m.Build
	m.Build = func(l pipeline.Scheduler) engine.Engine {
		return engine.NewDetector(engine.DetectorConfig{Detection: engine.Never}, build(l))
	}
	stand.Run(t, serve.Config{Models: []serve.Model{m}}, func(r *stand.Stand) {
		from := time.Now()
		var f llamacpp.Final
		r.Decode("/completion", `{"prompt":"a","t_max_predict_ms":5,"mock_answer":"x\ny z"}`, &f)
		if took := time.Since(from); took != 110*time.Millisecond || f.Content != "x\n" || f.StopType != "limit" {
			t.Errorf("after %s: %+v", took, f)
		}
		r.Decode("/completion", `{"prompt":"a","mock_answer":"x"}`, &f)
		if took := time.Since(from); took != 230*time.Millisecond {
			t.Errorf("the next answer came after %s, want 130ms for the first and 100ms", took)
		}
	})
}

// TestHangUp: a client that leaves frees the slot, whatever the protocol.
func TestHangUp(t *testing.T) {
	for path, body := range map[string]string{
		"/completion":   `{"prompt":"a","stream":true,"mock_answer":"` + strings.Repeat(" x", 50) + `"}`,
		"/api/generate": `{"model":"m","prompt":"a","mock_answer":"` + strings.Repeat(" x", 50) + `"}`,
		"/v1beta/models/m:streamGenerateContent?alt=sse": `{"contents":[{"parts":[{"text":"a"}]}],"mockAnswer":"` + strings.Repeat(" x", 50) + `"}`,
		"/v1/fim/completions":                            `{"model":"m","prompt":"a","stream":true,"mock_answer":"` + strings.Repeat(" x", 50) + `"}`,
	} {
		stand.Run(t, serve.Config{Models: []serve.Model{stand.Fixed("m", 200)}}, func(r *stand.Stand) {
			ctx, leave := context.WithTimeout(r.T.Context(), 125*time.Millisecond)
			defer leave()
			q, err := http.NewRequestWithContext(ctx, "POST", "http://mock"+path, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			a, err := r.Client.Do(q)
			if err == nil {
				_, err = io.Copy(io.Discard, a.Body)
				a.Body.Close()
			}
			if err == nil {
				t.Errorf("%s: the answer ended", path)
			}
			from := time.Now()
			r.Answer("/completion", `{"prompt":"a","mock_answer":"x"}`)
			if took := time.Since(from); took != 100*time.Millisecond {
				t.Errorf("%s: the next answer took %s, want 100ms", path, took)
			}
			entries, _ := r.Ledger.Latest(2)
			if e := entries[0]; e.Outcome != pipeline.Cancelled || e.Left != 125*time.Millisecond || e.Generated != 3 || e.AfterLeft != 0 {
				t.Errorf("%s: the ledger has %+v", path, e)
			}
			if got := r.Answer("/slots?fail_on_no_slot=1", ""); !strings.HasPrefix(got, "0 200 ") {
				t.Errorf("%s: the slots are %s", path, got)
			}
		})
	}
}

// evenSteps takes a millisecond for each step.
type evenSteps struct{}

func (evenSteps) Batch() roofline.Batch { return roofline.Batch{} }

func (evenSteps) Step(roofline.Batch) time.Duration { return time.Millisecond }

func TestInfillAnswer(t *testing.T) {
	stand.Run(t, serve.Config{Models: []serve.Model{stand.Fixed("m", 100)}}, func(r *stand.Stand) {
		var f llamacpp.Final
		r.Decode("/infill", `{"input_prefix":"def f(","input_suffix":"):","prompt":"a","mock_answer":", b","n_predict":8}`, &f)
		if f.Content != ", b" || f.TokensEvaluated != 9 || f.GenerationSettings.NPredict != 8 {
			t.Errorf("infill gives %+v", f)
		}
	})
}

// serving is a model with one slot that llama.cpp's server serves.
func serving(name string) serve.Model {
	m := stand.Fixed(name, 100)
	m.Family, m.Slots = "llama.cpp", 1
	return m
}

// TestHeadersWhenTheSlotStarts: the headers of a stream come when the slot begins to work on
// it: at once, or when the answer before it ends. Other software sends them with the first
// token.
func TestHeadersWhenTheSlotStarts(t *testing.T) {
	for path, body := range map[string]string{
		"/completion":          `{"prompt":"a","stream":true,"mock_answer":"x y z"}`,
		"/v1/completions":      `{"prompt":"a","stream":true,"mock_answer":"x y z","model":"m"}`,
		"/v1/chat/completions": `{"messages":[{"role":"user","content":"a"}],"stream":true,"mock_answer":"x y z","model":"m"}`,
	} {
		for _, family := range []string{"llama.cpp", "vllm"} {
			m := serving("m")
			m.Family = family
			want := "0 0, 120 240" // headers and end of the first, of the second
			if family == "vllm" && path != "/completion" {
				want = "100 0, 220 240"
			}
			stand.Run(t, serve.Config{Models: []serve.Model{m}}, func(r *stand.Stand) {
				from := time.Now()
				at := func() int { return int(time.Since(from) / time.Millisecond) }
				var all sync.WaitGroup
				var heads, ends [2]int
				for i := range heads {
					all.Go(func() {
						a := r.Do(path, body)
						heads[i] = at()
						_, _ = io.Copy(io.Discard, a.Body)
						a.Body.Close()
						ends[i] = at()
					})
					synctest.Wait()
				}
				all.Wait()
				if got := fmt.Sprintf("%d 0, %d %d", heads[0], heads[1], ends[1]); got != want || ends[0] != 120 {
					t.Errorf("%s of %s: %s, the first ends at %d; want %s and 120", path, family, got, ends[0], want)
				}
			})
		}
	}
}

// lost is an engine that begins at once and fails after 50 ms.
type lost struct{ loop pipeline.Scheduler }

func (f lost) Submit(r *engine.Request) {
	r.Scheduled = f.loop.Now()
	if r.Started != nil {
		r.Started()
	}
	f.loop.After(50*time.Millisecond, pipeline.RankOutput, func() {
		r.Reason = errors.New("the replica failed")
		r.Done(pipeline.Error)
	})
}

func (lost) Cancel(*engine.Request) {}
func (lost) Stats() engine.Stats    { return engine.Stats{} }

// TestLostBeforeTheFirstToken: headers that are out cannot be taken back, so an error
// follows them as an event, in the server's shape on every path.
func TestLostBeforeTheFirstToken(t *testing.T) {
	m := serving("m")
	m.Build = func(l pipeline.Scheduler) engine.Engine { return lost{l} }
	stand.Run(t, serve.Config{Models: []serve.Model{m}}, func(r *stand.Stand) {
		const says = `{"error":{"code":500,"message":"The engine could not finish this request: the replica failed.","type":"server_error"}}`
		for _, path := range []string{"/completion", "/v1/completions"} {
			r.Same(path, r.Lines(path, `{"prompt":"a","stream":true}`), []string{"50 " + says})
			if got := r.Answer(path, `{"prompt":"a"}`); got != "50 500 "+says {
				t.Errorf("%s, whole: %s", path, got)
			}
		}
	})
}

// TestErrorsOfTheServer: where llama.cpp's server serves all models, errors have its shape on
// the paths of the OpenAI API too.
func TestErrorsOfTheServer(t *testing.T) {
	long := strings.Repeat(" a", 120)
	for _, c := range []struct{ path, body, want string }{
		{"/v1/completions", `{"prompt":"a","temperature":3}`, `400 {"error":{"code":400,"message":"Invalid 'temperature': expected a value from 0 to 2, but got 3 instead.","type":"invalid_request_error"}}`},
		{"/v1/completions", `{"prompt":"` + long + `"}`, `400 {"error":{"code":400,"message":"request (120 tokens) exceeds the available context size (100 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":120,"n_ctx":100}}`},
		{"/completion", `{"prompt":"` + long + `"}`, `400 {"error":{"code":400,"message":"request (120 tokens) exceeds the available context size (100 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":120,"n_ctx":100}}`},
		{"/v1/chat/completions", `{`, `400 {"error":{"code":400,"message":"We could not parse the JSON body of your request: unexpected end of JSON input at byte 1.","type":"invalid_request_error"}}`},
		{"/v1/responses/r", "", `404 {"error":{"code":404,"message":"Response with id 'r' not found.","type":"not_found_error"}}`},
		{"/nowhere", "", `404 {"error":{"code":404,"message":"Unknown request URL: GET /nowhere.`},
	} {
		stand.Run(t, serve.Config{Models: []serve.Model{serving("m")}}, func(r *stand.Stand) {
			if got := r.Answer(c.path, c.body); !strings.HasPrefix(got, "0 "+c.want) {
				t.Errorf("%s\n got %s\nwant 0 %s", c.path, got, c.want)
			}
		})
		stand.Run(t, serve.Config{Models: []serve.Model{serving("m"), stand.Fixed("n", 100)}}, func(r *stand.Stand) {
			if got := r.Answer(c.path, strings.Replace(c.body, "{", `{"model":"m",`, 1)); c.path != "/completion" && !strings.Contains(got, `"param":`) {
				t.Errorf("beside a rented model %s gives %s, want OpenAI's shape", c.path, got)
			}
		})
	}
}

// TestModelFile: what the server tells of its model.
func TestModelFile(t *testing.T) {
	m := serving("m")
	m.Weights, m.Parameters = 4_912_898_304, 8_030_261_312
	stand.Run(t, serve.Config{Models: []serve.Model{m}}, func(r *stand.Stand) {
		const want = `"owned_by":"llamacpp","max_model_len":100,"architecture":{"input_modalities":["text"],"output_modalities":["text"]},"meta":{"n_ctx_train":100,"n_params":8030261312,"size":4912898304}}`
		for _, path := range []string{"/v1/models", "/models", "/v1/models/m"} {
			if got := r.Answer(path, ""); !strings.Contains(got, want) {
				t.Errorf("%s\n got %s\nwant %s", path, got, want)
			}
		}
	})
}

// TestMetrics: two answers one after the other, while a third waits.
func TestMetrics(t *testing.T) {
	stand.Run(t, serve.Config{Models: []serve.Model{serving("m")}}, func(r *stand.Stand) {
		if got := r.Answer("/metrics", ""); !strings.Contains(got, "\nllamacpp:predicted_tokens_seconds 0\n") || !strings.Contains(got, "\nmock_fit NaN") {
			t.Errorf("before the first request: %s", got)
		}
		for range 2 {
			r.Answer("/completion", `{"prompt":"a b c","mock_answer":"x y"}`)
		}
		var open sync.WaitGroup
		for range 2 {
			open.Go(func() { r.Answer("/v1/completions", `{"prompt":"a b c","mock_answer":"x y"}`) })
		}
		time.Sleep(50 * time.Millisecond)
		_, text, _ := strings.Cut(r.Answer("/metrics", ""), "200 ")
		own, rest, _ := strings.Cut(text, "# HELP go_")
		var got []string
		for line := range strings.Lines(own) {
			if !strings.HasPrefix(line, "#") {
				got = append(got, strings.TrimSpace(line))
			}
		}
		r.Same("metrics", got, []string{
			"llamacpp:prompt_tokens_total 6", "llamacpp:prompt_tokens_cached_total 0", "llamacpp:prompt_seconds_total 0.2",
			"llamacpp:tokens_predicted_total 4", "llamacpp:tokens_predicted_seconds_total 0.02",
			"llamacpp:n_decode_total 5" /* the last under way */, "llamacpp:n_tokens_max 5",
			"llamacpp:spec_decode_num_draft_tokens_total 0", "llamacpp:spec_decode_num_accepted_tokens_total 0",
			"llamacpp:prompt_tokens_seconds 30", "llamacpp:predicted_tokens_seconds 200", "llamacpp:kv_cache_usage_ratio 1",
			"llamacpp:requests_processing 1", "llamacpp:requests_deferred 1",
		})
		if !strings.Contains(rest, "\nmock_requests_total{") {
			t.Errorf("the mock's own metrics are missing: %s", rest)
		}
		open.Wait()
	})
	stand.Run(t, serve.Config{Models: []serve.Model{serving("a"), serving("b")}}, func(r *stand.Stand) {
		r.Answer("/completion", `{"model":"b","prompt":"a b c","mock_answer":"x y"}`)
		for path, want := range map[string]string{"/metrics?model=a": "llamacpp:prompt_tokens_total 0\n", "/metrics?model=b": "llamacpp:prompt_tokens_total 3\n", "/metrics": ""} {
			got := r.Answer(path, "")
			if !strings.Contains(got, want) || want == "" && strings.Contains(got, "llamacpp:") {
				t.Errorf("%s: want %q in %s", path, want, got)
			}
		}
	})
	stand.Run(t, serve.Config{Models: []serve.Model{stand.Fixed("m", 100)}}, func(r *stand.Stand) {
		if got := r.Answer("/metrics", ""); strings.Contains(got, "llamacpp:") {
			t.Errorf("another server has llama.cpp's metrics: %s", got)
		}
	})
}
