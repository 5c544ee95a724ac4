package server

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/server/memnet"
	"halfsecond/mockllm/token"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire"
)

const ms = time.Millisecond

// rig is a server on a network in memory, with a client, inside a bubble.
type rig struct {
	t      *testing.T
	client *http.Client
	engine engine.Engine
	server *Server
	loop   *pipeline.Wall
	stop   func()
}

// start runs a server of a model "m" with one slot: first token after 100 ms, the
// others every 10 ms, 100 tokens of context.
func start(t *testing.T) *rig {
	t.Helper()
	return startWith(t, Model{Name: "m", Context: 100, Build: func(l pipeline.Scheduler) engine.Engine {
		return engine.NewSlots(l, engine.SlotsConfig{Service: engine.Fixed{TTFT: 100 * ms, TPOT: 10 * ms}, Slots: 1, MaxContext: 1000})
	}})
}

func startWith(t *testing.T, m Model) *rig {
	t.Helper()
	return startConfig(t, Config{MaxBody: 10_000, Models: []Model{m}})
}

// startConfig runs a server of one model.
func startConfig(t *testing.T, c Config) *rig {
	t.Helper()
	r := &rig{t: t, loop: pipeline.NewWall()}
	build := c.Models[0].Build
	c.Models[0].Build = func(l pipeline.Scheduler) engine.Engine {
		r.engine = build(l)
		return r.engine
	}
	c.Loop = r.loop
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	r.server = s
	ln := memnet.Listen()
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() {
		if err := s.Run(ctx, ln); err != nil {
			t.Error(err)
		}
	})
	transport := &http.Transport{DialContext: ln.DialContext}
	r.client = &http.Client{Transport: transport}
	r.stop = func() {
		transport.CloseIdleConnections()
		cancel()
		done.Wait()
	}
	return r
}

func (r *rig) post(ctx context.Context, path, body string) (*http.Response, error) {
	q, err := http.NewRequestWithContext(ctx, "POST", "http://mock"+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	return r.client.Do(q)
}

// stats asks the loop for the engine's state.
func (r *rig) stats() engine.Stats {
	got := make(chan engine.Stats)
	r.loop.Post(r.loop.Elapsed(), func() { got <- r.engine.Stats() })
	return <-got
}

// events reads a stream and stamps each event with the time since from.
func events(t *testing.T, body io.Reader, from time.Time) []string {
	t.Helper()
	var got []string
	lines := bufio.NewScanner(body)
	for lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			got = append(got, fmt.Sprintf("%d %s", time.Since(from)/ms, brief(data)))
		}
	}
	if err := lines.Err(); err != nil {
		t.Error(err)
	}
	return got
}

// brief shortens an event to what matters.
func brief(data string) string {
	var c struct {
		Choices []struct {
			Delta  struct{ Role, Content string }
			Text   string
			Finish string `json:"finish_reason"`
		}
		Usage *wire.Usage
	}
	if json.Unmarshal([]byte(data), &c) != nil || c.Usage == nil && len(c.Choices) == 0 {
		return data
	}
	if c.Usage != nil {
		return fmt.Sprintf("usage %d+%d", c.Usage.PromptTokens, c.Usage.CompletionTokens)
	}
	h := c.Choices[0]
	return strings.TrimSpace(h.Delta.Role + fmt.Sprintf("%q", h.Delta.Content+h.Text) + " " + h.Finish)
}

func TestStreams(t *testing.T) {
	for _, c := range []struct{ name, path, body, want string }{
		{
			"chat", "/v1/chat/completions",
			`{"model":"m","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Say it"}],"stream":true,"stream_options":{"include_usage":true},"mock_answer":"one two three"}`,
			`100 assistant"" | 100 "one" | 110 " two" | 120 " three" | 120 "" stop | 120 usage 5+3 | 120 [DONE]`,
		},
		{
			"chat, limit", "/v1/chat/completions",
			`{"model":"m","messages":[{"role":"user","content":"Say it"}],"stream":true,"max_completion_tokens":2,"max_tokens":9,"mock_answer":"one two three"}`,
			`100 assistant"" | 100 "one" | 110 " two" | 110 "" length | 110 [DONE]`,
		},
		{
			"completion with suffix and stop", "/v1/completions",
			`{"model":"m","prompt":"def f(","suffix":")","stream":true,"stream_options":{"include_usage":true},"stop":["\n"],"mock_answer":"a, b\nrest"}`,
			`100 "a" | 110 "," | 120 " b" | 130 "" stop | 130 usage 4+4 | 130 [DONE]`,
		},
		{
			"ignore_eos", "/v1/completions",
			`{"model":"m","prompt":"x","stream":true,"max_tokens":3,"ignore_eos":true,"mock_answer":"one"}`,
			`100 "one" | 110 " ...` + `" | 120 " ...` + `" | 120 "" length | 120 [DONE]`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := start(t)
				defer r.stop()
				from := time.Now()
				answer, err := r.post(t.Context(), c.path, c.body)
				if err != nil {
					t.Fatal(err)
				}
				defer answer.Body.Close()
				got := events(t, answer.Body, from)
				if c.name == "ignore_eos" {
					got[1], got[2] = `110 " ..."`, `120 " ..."`
				}
				if g := strings.Join(got, " | "); g != c.want {
					t.Errorf("events\n got %s\nwant %s", g, c.want)
				}
				for name, want := range map[string]string{"Content-Type": "text/event-stream; charset=utf-8", "X-Accel-Buffering": "no", "Cache-Control": "no-cache"} {
					if h := answer.Header.Get(name); h != want {
						t.Errorf("header %s is %q, want %q", name, h, want)
					}
				}
			})
		})
	}
}

func TestWhole(t *testing.T) {
	for path, want := range map[string]string{
		"/v1/chat/completions": `"choices":[{"index":0,"message":{"role":"assistant","content":"one two"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}`,
		"/v1/completions":      `"choices":[{"text":"one two","index":0,"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}`,
	} {
		synctest.Test(t, func(t *testing.T) {
			r := start(t)
			defer r.stop()
			from := time.Now()
			answer, err := r.post(t.Context(), path, `{"model":"m","prompt":"x","messages":[{"role":"user","content":"x"}],"mock_answer":"one two"}`)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(answer.Body)
			if err != nil {
				t.Fatal(err)
			}
			if took := time.Since(from); took != 110*ms || answer.StatusCode != 200 || !strings.Contains(string(body), want) {
				t.Errorf("%s: status %d after %s: %s\nwant 200 after 110ms with %s", path, answer.StatusCode, took, body, want)
			}
		})
	}
}

// TestStopAndLength: a stop string counts only where it is complete within the limit, the
// first that is complete wins, and a limit that is reached is told.
func TestStopAndLength(t *testing.T) {
	for _, c := range []struct{ answer, rest, text, finish string }{
		{"one two three four", `"max_tokens":2,"stop":"two three"`, "one two", "length"},
		{"one two three four", `"max_tokens":3,"stop":"two three"`, "one ", "stop"},
		{"one two three four", `"max_tokens":9,"stop":["three","two"]`, "one ", "stop"},
		{"one two three four", `"max_tokens":9,"stop":["wo","two"]`, "one ", "stop"},
		{"one two three four", `"max_tokens":9,"stop":["","x"]`, "one two three four", "stop"},
		{"one two three four", `"max_tokens":4`, "one two three four", "stop"},
		{"one", `"max_tokens":9,"stop":"one"`, "", "stop"},
		{"one two", `"max_tokens":9,"stop":"two","ignore_eos":true`, "one ", "stop"},
		{"  ", `"max_tokens":9`, "  ", "stop"},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := start(t)
			defer r.stop()
			got := r.complete(`"mock_answer":"` + c.answer + `",` + c.rest)
			if got.Text != c.text || got.FinishReason != c.finish {
				t.Errorf("%q with %s gives %q, %s; want %q, %s", c.answer, c.rest, got.Text, got.FinishReason, c.text, c.finish)
			}
		})
	}
}

// TestOwnLength: the mock's own answers end by themselves or at the limit, and say
// which.
func TestOwnLength(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t)
		defer r.stop()
		if got := r.complete(`"max_tokens":3`); got.FinishReason != "length" || token.Count(got.Text) != 3 {
			t.Errorf("limit 3 gives %q, %s", got.Text, got.FinishReason)
		}
		if got := r.complete(`"max_tokens":5,"ignore_eos":true`); got.FinishReason != "length" || token.Count(got.Text) != 5 {
			t.Errorf("ignore_eos gives %q, %s", got.Text, got.FinishReason)
		}
		// A stop string in its own words, which the limit would cut later.
		own := r.complete(`"max_tokens":50`).Text
		third := own[len(token.Prefix(own, 2)):len(token.Prefix(own, 3))]
		stopped := r.complete(`"max_tokens":50,"stop":"` + third + `"`)
		if stopped.FinishReason != "stop" || stopped.Text != own[:strings.Index(own, third)] {
			t.Errorf("stop at %q of %q gives %q, %s", third, own, stopped.Text, stopped.FinishReason)
		}
		answer, err := r.post(t.Context(), "/v1/completions", `{"model":"m","prompt":"x","max_tokens":50,"stream":true,"stop":"`+third+`"}`)
		if err != nil {
			t.Fatal(err)
		}
		if got := events(t, answer.Body, time.Now()); !strings.HasSuffix(strings.Join(got, " | "), `"" stop | 20 [DONE]`) && len(got) != 4 {
			t.Errorf("streamed with a stop string: %q", got)
		}
		got := r.complete(`"max_tokens":90,"mock_answer":"short"`)
		if got.FinishReason != "stop" || got.Text != "short" {
			t.Errorf("an answer below its limit gives %q, %s", got.Text, got.FinishReason)
		}
	})
}

// complete asks for a completion that is not streamed.
func (r *rig) complete(rest string) wire.CompletionChoice {
	answer, err := r.post(r.t.Context(), "/v1/completions", `{"model":"m","prompt":"x",`+rest+`}`)
	if err != nil {
		r.t.Fatal(err)
	}
	var got wire.CompletionResponse
	if err := json.NewDecoder(answer.Body).Decode(&got); err != nil || len(got.Choices) != 1 {
		r.t.Fatalf("status %d, error %v", answer.StatusCode, err)
	}
	return got.Choices[0]
}

// TestSlowBody: a request arrives when its body is whole.
func TestSlowBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t)
		defer r.stop()
		body, pen := io.Pipe()
		go func() {
			_, _ = io.WriteString(pen, `{"model":"m","prompt":"x",`)
			time.Sleep(time.Second)
			_, _ = io.WriteString(pen, `"mock_answer":"one"}`)
			pen.Close()
		}()
		from := time.Now()
		q, err := http.NewRequestWithContext(t.Context(), "POST", "http://mock/v1/completions", body)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := r.client.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if took := time.Since(from); took != 1100*ms {
			t.Errorf("answered after %s, want 1.1s", took)
		}
	})
}

// TestWriteError: tokens that wait for a client that does not read are late by as
// long as the first of them waits.
func TestWriteError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t)
		defer r.stop()
		answer, err := r.post(t.Context(), "/v1/completions", `{"model":"m","prompt":"x","max_tokens":50,"stream":true,"ignore_eos":true}`)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second) // the first token is written; nobody reads the second, due at 110 ms
		if _, err := io.ReadAll(answer.Body); err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if got := metric(t, r, "mock_write_error_seconds_sum"); got != "19.97" {
			t.Errorf("write error %s s, want 9.99 for the second write and 9.98 for what became due meanwhile", got)
		}
	})
}

// TestOwnWords: without mock_answer the same prompt and seed give the same answer.
func TestOwnWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t)
		defer r.stop()
		ask := func(prompt, seed string) string {
			answer, err := r.post(t.Context(), "/v1/completions", `{"model":"m","prompt":"`+prompt+`","max_tokens":40,"seed":`+seed+`}`)
			if err != nil {
				t.Fatal(err)
			}
			var got wire.CompletionResponse
			if err := json.NewDecoder(answer.Body).Decode(&got); err != nil {
				t.Fatal(err)
			}
			return got.Choices[0].Text
		}
		a := ask("one", "1")
		if a == "" || a != ask("one", "1") || a == ask("one", "2") || a == ask("two", "1") {
			t.Errorf("answers do not follow from prompt and seed: %q", a)
		}
	})
}

func TestErrors(t *testing.T) {
	long := strings.Repeat("word ", 120)
	for _, c := range []struct {
		name, method, path, body string
		status                   int
		want                     string
	}{
		{"unknown model", "POST", "/v1/chat/completions", `{"model":"x","messages":[{"role":"user","content":"a"}]}`, 404, `{"error":{"message":"The model ` + "`x`" + ` does not exist or you do not have access to it. This server has ` + "`m`" + `.","type":"invalid_request_error","param":"model","code":"model_not_found"}}`},
		{"no model", "POST", "/v1/completions", `{"prompt":"a"}`, 400, `"message":"you must provide a model parameter; this server has ` + "`m`" + `"`},
		{"no messages", "POST", "/v1/chat/completions", `{"model":"m"}`, 400, `"param":"messages","code":"missing_required_parameter"`},
		{"bad JSON", "POST", "/v1/chat/completions", `{"model":`, 400, `We could not parse the JSON body of your request`},
		{"a list", "POST", "/v1/chat/completions", `[]`, 400, `is not an object but of type array`},
		{"empty body", "POST", "/v1/chat/completions", ``, 400, `We could not parse the JSON body of your request`},
		{"wrong type", "POST", "/v1/completions", `{"model":"m","prompt":"a","max_tokens":"many"}`, 400, `"message":"Invalid type for 'max_tokens': expected an integer, but got string instead.","type":"invalid_request_error","param":"max_tokens","code":"invalid_type"`},
		{"large body", "POST", "/v1/completions", `{"model":"m","prompt":"` + strings.Repeat("a", 10_000) + `"}`, 413, `larger than the limit of 10000 bytes`},
		{"long prompt", "POST", "/v1/completions", `{"model":"m","prompt":"` + long + `"}`, 400, `"message":"This model's maximum context length is 100 tokens. However, your prompt resulted in 121 tokens. Please reduce the length of the prompt.","type":"invalid_request_error","param":"prompt","code":"context_length_exceeded"`},
		{"long prompt and limit", "POST", "/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"a b"}],"max_tokens":99}`, 400, `However, you requested 2 in the messages and 99 in the completion.`},
		{"huge limit", "POST", "/v1/completions", `{"model":"m","prompt":"a","max_tokens":9223372036854775807}`, 400, `"code":"context_length_exceeded"`},
		{"nested type", "POST", "/v1/completions", `{"model":"m","prompt":"a","stream":"yes"}`, 400, `"message":"Invalid type for 'stream': expected a boolean, but got string instead."`},
		{"null message", "POST", "/v1/chat/completions", `{"model":"m","messages":[null]}`, 400, `Supported values of messages[0].role`},
		{"unknown role", "POST", "/v1/chat/completions", `{"model":"m","messages":[{"role":"nobody","content":"a"}]}`, 400, `Invalid value: 'nobody'`},
		{"cold", "POST", "/v1/completions", `{"model":"m","prompt":"a","temperature":-9}`, 400, `"param":"temperature"`},
		{"top_p", "POST", "/v1/completions", `{"model":"m","prompt":"a","top_p":1.5}`, 400, `"param":"top_p"`},
		{"no completion tokens", "POST", "/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"a"}],"max_completion_tokens":0}`, 400, `"param":"max_completion_tokens"`},
		{"two choices", "POST", "/v1/completions", `{"model":"m","prompt":"a","n":2}`, 400, `'n' is 2`},
		{"no tokens", "POST", "/v1/completions", `{"model":"m","prompt":"a","max_tokens":0}`, 400, `Expected a value \u003e= 1, but got 0`},
		{"five stops", "POST", "/v1/completions", `{"model":"m","prompt":"a","stop":["1","2","3","4","5"]}`, 400, `"param":"stop"`},
		{"options without stream", "POST", "/v1/completions", `{"model":"m","prompt":"a","stream_options":{"include_usage":true}}`, 400, `only allowed when 'stream' is enabled`},
		{"path", "POST", "/v1/chat", `{}`, 404, `Unknown request URL: POST /v1/chat.`},
		{"method", "GET", "/v1/completions", ``, 404, `Unknown request URL: GET /v1/completions.`},
		{"models", "GET", "/v1/models", ``, 200, `{"object":"list","data":[{"id":"m","object":"model","created":`},
		{"model", "GET", "/v1/models/m", ``, 200, `{"id":"m","object":"model"`},
		{"not a model", "GET", "/v1/models/org/x", ``, 404, "The model `org/x` does not exist"},
		{"health", "GET", "/health", ``, 200, `{"status":"ok"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := start(t)
				defer r.stop()
				q, err := http.NewRequestWithContext(t.Context(), c.method, "http://mock"+c.path, strings.NewReader(c.body))
				if err != nil {
					t.Fatal(err)
				}
				answer, err := r.client.Do(q)
				if err != nil {
					t.Fatal(err)
				}
				defer answer.Body.Close()
				body, err := io.ReadAll(answer.Body)
				if err != nil {
					t.Fatal(err)
				}
				if answer.StatusCode != c.status || !strings.Contains(string(body), c.want) {
					t.Errorf("status %d, body %s\nwant %d with %s", answer.StatusCode, body, c.status, c.want)
				}
			})
		})
	}
}

// TestHangUp: a client that leaves, waiting or served, streamed or not, frees its
// place at once and counts as cancelled.
func TestHangUp(t *testing.T) {
	for _, stream := range []string{"true", "false"} {
		for _, leave := range []time.Duration{50 * ms, 135 * ms} {
			synctest.Test(t, func(t *testing.T) {
				r := start(t)
				defer r.stop()
				ctx, cancel := context.WithTimeout(t.Context(), leave)
				defer cancel()
				answer, err := r.post(ctx, "/v1/completions", `{"model":"m","prompt":"x","max_tokens":50,"stream":`+stream+`,"ignore_eos":true}`)
				if err == nil {
					_, err = io.ReadAll(answer.Body)
				}
				if err == nil {
					t.Fatal("the answer came although the client left")
				}
				synctest.Wait()
				if s := r.stats(); s.Running+s.Waiting != 0 || s.Cancelled != 1 {
					t.Errorf("stream %s, left after %s: %+v, want one cancelled and nothing running", stream, leave, s)
				}
				if got := metric(t, r, `mock_requests_total{model="m",outcome="cancelled",protocol="openai"}`); got != "1" {
					t.Errorf("cancelled requests in /metrics: %q, want 1", got)
				}
			})
		}
	}
}

// metric returns the value of one line of /metrics.
func metric(t *testing.T, r *rig, name string) string {
	t.Helper()
	answer, err := r.client.Get("http://mock/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() {
		if v, ok := strings.CutPrefix(lines.Text(), name+" "); ok {
			return v
		}
	}
	return ""
}

func TestMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t)
		defer r.stop()
		for range 2 {
			answer, err := r.post(t.Context(), "/v1/completions", `{"model":"m","prompt":"a b","mock_answer":"one two three"}`)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadAll(answer.Body); err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			synctest.Wait() // the loop looks for work once more after the last token
		}
		for name, want := range map[string]string{
			`mock_requests_total{model="m",outcome="ok",protocol="openai"}`:                "2",
			`vllm:prompt_tokens_total{engine="0",model_name="m"}`:                          "4",
			`vllm:generation_tokens_total{engine="0",model_name="m"}`:                      "6",
			`vllm:request_success_total{engine="0",finished_reason="stop",model_name="m"}`: "2",
			`vllm:time_to_first_token_seconds_bucket{engine="0",model_name="m",le="0.1"}`:  "2",
			`vllm:e2e_request_latency_seconds_sum{engine="0",model_name="m"}`:              "0.24",
			`vllm:request_queue_time_seconds_sum{engine="0",model_name="m"}`:               "0",
			`vllm:request_prefill_time_seconds_sum{engine="0",model_name="m"}`:             "0.2",
			`vllm:request_decode_time_seconds_sum{engine="0",model_name="m"}`:              "0.04",
			`vllm:inter_token_latency_seconds_sum{engine="0",model_name="m"}`:              "0.04",
			`mock_fit`: "NaN",
			`llm_request_ttft_seconds_sum{model="m"}`:              "0.2",
			`llm_request_ttft_seconds_count{model="m"}`:            "2",
			`llm_request_ttft_seconds_bucket{model="m",le="0.1"}`:  "2",
			`llm_request_tpot_seconds_sum{model="m"}`:              "0.02",
			`vllm:num_requests_running{engine="0",model_name="m"}`: "0",
			`vllm:num_requests_waiting{engine="0",model_name="m"}`: "0",
			`vllm:kv_cache_usage_perc{engine="0",model_name="m"}`:  "0",
			`mock_loop_lateness_seconds_bucket{le="5e-05"}`:        "10",
		} {
			if got := metric(t, r, name); got != want {
				t.Errorf("%s = %q, want %s", name, got, want)
			}
		}
	})
}

// TestStateInMetrics: what runs, waits and fills the cache is shown while it does, hang-ups
// count as aborts, and a server that writes too late says that it is unfit.
func TestStateInMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startConfig(t, Config{Limit: time.Nanosecond, Models: []Model{oneSlot(engine.AtOnce)}})
		defer r.stop()
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				if answer, err := r.post(ctx, "/v1/completions", `{"model":"m","prompt":"x","max_tokens":5000,"ignore_eos":true}`); err == nil {
					answer.Body.Close()
					t.Error("one was answered")
				}
			})
		}
		time.Sleep(time.Second)
		check := func(name, want string) {
			t.Helper()
			if got := metric(t, r, name); got != want {
				t.Errorf("%s = %q, want %s", name, got, want)
			}
		}
		check(`vllm:num_requests_running{engine="0",model_name="m"}`, "1")
		check(`vllm:num_requests_waiting{engine="0",model_name="m"}`, "2")
		check(`vllm:kv_cache_usage_perc{engine="0",model_name="m"}`, "1")
		leave()
		all.Wait()
		synctest.Wait()
		check(`vllm:num_requests_running{engine="0",model_name="m"}`, "0")
		check(`vllm:request_success_total{engine="0",finished_reason="abort",model_name="m"}`, "3")
		check("mock_fit", "NaN")
		for range 100 {
			r.server.Ledger.Writes.Add(0)
		}
		check("mock_fit", "1")
		for range 100 {
			r.server.Ledger.Writes.Add(time.Millisecond)
		}
		check("mock_fit", "0")
		answer, err := r.post(t.Context(), "/v1/completions", `{"model":"m","prompt":"x","max_tokens":2,"ignore_eos":true}`)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		synctest.Wait()
		check(`vllm:request_success_total{engine="0",finished_reason="length",model_name="m"}`, "1")
		check(`mock_abandoned_tokens_total{model="m"}`, "0")
	})
}

// TestStop: the end of the server ends the answers under way, and Run returns.
func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t)
		answer, err := r.post(t.Context(), "/v1/completions", `{"model":"m","prompt":"x","max_tokens":50,"stream":true,"ignore_eos":true}`)
		if err != nil {
			t.Fatal(err)
		}
		waiting := make(chan int, 1)
		go func() {
			answer, err := r.post(t.Context(), "/v1/completions", `{"model":"m","prompt":"x"}`)
			if err != nil {
				t.Error(err)
				waiting <- 0
				return
			}
			answer.Body.Close()
			waiting <- answer.StatusCode
		}()
		time.Sleep(50 * ms)
		r.stop()
		if body, err := io.ReadAll(answer.Body); err == nil {
			t.Errorf("an answer that was cut off looks whole: %s", body)
		}
		if status := <-waiting; status != http.StatusServiceUnavailable {
			t.Errorf("a request that waited got status %d, want 503", status)
		}
		if _, err := r.post(t.Context(), "/v1/completions", `{}`); err == nil {
			t.Error("a stopped server answers")
		}
	})
}

func TestNew(t *testing.T) {
	build := func(l pipeline.Scheduler) engine.Engine { return engine.NewHosted(l, engine.HostedConfig{}) }
	for _, models := range [][]Model{nil, {{Build: build}}, {{Name: "a", Build: build}, {Name: "a", Build: build}}} {
		if _, err := New(Config{Models: models, Loop: pipeline.NewWall()}); err == nil {
			t.Errorf("New with models %v: want an error", models)
		}
	}
}

// TestRealSocket is a smoke test: the answer comes over loopback, in pieces, and
// not before its time.
func TestRealSocket(t *testing.T) {
	_, addr, stop := on(t, Config{Models: []Model{{Name: "m", Context: 100, Build: func(l pipeline.Scheduler) engine.Engine {
		return engine.NewHosted(l, engine.HostedConfig{First: func(uint64) time.Duration { return 50 * ms }, Next: 5 * ms})
	}}}})
	defer stop()
	from := time.Now()
	answer, err := http.Post("http://"+addr+"/v1/completions", "application/json", strings.NewReader(`{"model":"m","prompt":"x","max_tokens":20,"stream":true,"ignore_eos":true}`))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	got := events(t, answer.Body, from)
	if len(got) != 22 {
		t.Fatalf("%d events, want 20 tokens, the finish and the end: %q", len(got), got)
	}
	var first, last int
	if _, err := fmt.Sscan(got[0], &first); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(got[19], &last); err != nil {
		t.Fatal(err)
	}
	if first < 50 || last-first < 60 || last > 30_000 {
		t.Errorf("first token after %d ms and last after %d ms; want no earlier than 50 and about 145", first, last)
	}
}
