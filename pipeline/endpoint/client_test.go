package endpoint

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/dialect"
)

func TestClientKeepsConnections(t *testing.T) {
	hi := delta(`"content":"Hi"`)
	tests := []struct {
		name    string
		handler http.HandlerFunc
		reused  bool
		doneAt  time.Duration
	}{
		{"end with the end event", stream(hi + stop + done), true, 0},
		{"end right behind it", stream(hi+stop+done, time.Millisecond), true, time.Millisecond},
		{"end never", stream(hi+stop+done, time.Hour), false, lingerFor},
		{"whole answer", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}`)
		}, true, 0},
		{"error", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", 500) }, true, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, tt.handler, nil, func(t *testing.T, b *bench) {
				a := b.ask()
				first := a.wait()
				second := b.ask().wait()
				if first.Transport.Reused || second.Transport.Reused != tt.reused {
					t.Errorf("reused %t and %t, want false and %t", first.Transport.Reused, second.Transport.Reused, tt.reused)
				}
				if first.End != 0 || a.doneAt != tt.doneAt {
					t.Errorf("ended at %s, told at %s; want 0s and %s", first.End, a.doneAt, tt.doneAt)
				}
			})
		})
	}
}

func TestClientWarmUp(t *testing.T) {
	var models, dials atomic.Int32
	bubble(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/models" && r.Method == http.MethodGet {
			models.Add(1)
			fmt.Fprint(w, `{"object":"list","data":[]}`)
			return
		}
		stream(time.Second, delta(`"content":"Hi"`)+stop+done)(w, r)
	}, func(c *Config) {
		dial := c.DialContext
		c.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
			dials.Add(1)
			return dial(ctx, network, addr)
		}
	}, func(t *testing.T, b *bench) {
		if err := b.client.WarmUp(t.Context(), 3); err != nil {
			t.Fatal(err)
		}
		calls := []*asked{b.ask(), b.ask(), b.ask()}
		for _, a := range calls {
			if r := a.wait(); !r.Transport.Reused || r.Outcome != pipeline.OK {
				t.Errorf("reused %t, outcome %s; want a warm request that is ok", r.Transport.Reused, r.Outcome)
			}
		}
		if models.Load() != 3 || dials.Load() != 3 {
			t.Errorf("%d requests on %d connections, want 3 on 3", models.Load(), dials.Load())
		}
	})
}

func TestClientWarmUpFails(t *testing.T) {
	bubble(t, nil, func(c *Config) {
		c.URL = "http://llm.test/v1?key=hush"
		c.DialContext = func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("refused") }
	}, func(t *testing.T, b *bench) {
		err := b.client.WarmUp(t.Context(), 1)
		if want := `warm up endpoint "http://llm.test/v1": refused`; err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	})
}

func TestClientCaps(t *testing.T) {
	answer := func(usage string) http.HandlerFunc {
		return stream(delta(`"content":"Hi"`) + event(`{"choices":[],"usage":`+usage+`}`) + stop + done)
	}
	tests := []struct {
		name     string
		handler  http.HandlerFunc
		change   func(*Config)
		outcomes []pipeline.Outcome
		reason   string
	}{
		{"requests", answer(`null`), func(c *Config) { c.MaxRequests = 2 },
			[]pipeline.Outcome{pipeline.OK, pipeline.OK, pipeline.Dropped}, "over the cap of 2 requests"},
		// A call stands for 10 tokens of prompt and 8 of answer.
		{"tokens without counts", answer(`null`), func(c *Config) { c.MaxTokens = 40 },
			[]pipeline.Outcome{pipeline.OK, pipeline.OK, pipeline.Dropped}, "over the cap of 40 tokens"},
		{"tokens by count", answer(`{"prompt_tokens":9,"completion_tokens":2}`), func(c *Config) { c.MaxTokens = 40 },
			[]pipeline.Outcome{pipeline.OK, pipeline.OK, pipeline.OK, pipeline.Dropped}, "over the cap of 40 tokens"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var served atomic.Int32
			bubble(t, func(w http.ResponseWriter, r *http.Request) {
				served.Add(1)
				tt.handler(w, r)
			}, tt.change, func(t *testing.T, b *bench) {
				var last *pipeline.Request
				for i, want := range tt.outcomes {
					if last = b.ask().wait(); last.Outcome != want {
						t.Errorf("call %d: %s (%s), want %s", i, last.Outcome, last.Reason, want)
					}
				}
				want := pipeline.NewRequest(1, last.Due)
				want.Outcome, want.Reason = pipeline.Dropped, tt.reason
				if !reflect.DeepEqual(*last, want) {
					t.Errorf("dropped call %+v, want %+v", *last, want)
				}
				if int(served.Load()) != len(tt.outcomes)-1 {
					t.Errorf("the server saw %d requests, want %d", served.Load(), len(tt.outcomes)-1)
				}
			})
		})
	}
}

// Tokens of a request that never went out are free again.
func TestClientCapsCountWhatWasSent(t *testing.T) {
	fail := true
	bubble(t, stream(stop+done), func(c *Config) {
		c.MaxTokens = 18
		dial := c.DialContext
		c.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
			if fail {
				return nil, errors.New("refused")
			}
			return dial(ctx, network, addr)
		}
	}, func(t *testing.T, b *bench) {
		r := b.ask().wait()
		if r.Outcome != pipeline.Error || r.Sent != pipeline.Unknown {
			t.Errorf("%s sent at %s, want an error that was never sent", r.Outcome, r.Sent)
		}
		fail = false
		if r := b.ask().wait(); r.Outcome != pipeline.OK {
			t.Errorf("%s (%s), want ok", r.Outcome, r.Reason)
		}
	})
}

func TestClientDropsWhatItCannotCarry(t *testing.T) {
	bubble(t, stream(done), nil, func(t *testing.T, b *bench) {
		for _, tt := range []struct {
			prompt func() pipeline.Prompt
			reason string
		}{
			{nil, "the call has no prompt"},
			{func() pipeline.Prompt { return pipeline.Prompt{Text: "a", Suffix: "b"} },
				"the prompt has a suffix, which openai-chat cannot carry; use one of openai-completions, ollama-generate, llamacpp-infill, mistral-fim, tabby"},
		} {
			ended := make(chan struct{})
			call := &pipeline.Call{Prompt: tt.prompt, Done: func() { close(ended) }}
			b.loop.do(func() {
				b.client.Start(call)
				b.client.Cancel(call) // nothing to cancel
				select {
				case <-ended:
					t.Error("Done from inside Start")
				default:
				}
			})
			<-ended
			if call.Record.Outcome != pipeline.Dropped || call.Record.Reason != tt.reason {
				t.Errorf("%s, %q; want dropped, %q", call.Record.Outcome, call.Record.Reason, tt.reason)
			}
		}
	})
}

// What the server is sent.
func TestClientRequests(t *testing.T) {
	chat := pipeline.Prompt{Chat: true, System: "Be brief.", Text: "Hello"}
	tests := []struct {
		name   string
		change func(*Config)
		prompt pipeline.Prompt
		path   string
		body   string

		priority int
	}{
		{"chat", nil, chat, "/v1/chat/completions",
			`{"model":"m","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hello"}],"max_tokens":8,"stream":true,"stream_options":{"include_usage":true}}`, 0},
		{"chat to the mock", func(c *Config) { c.SendAnswer, c.IgnoreEOS = true, true }, pipeline.Prompt{Text: "Hello"}, "/v1/chat/completions",
			`{"model":"m","messages":[{"role":"user","content":"Hello"}],"max_tokens":8,"stream":true,"stream_options":{"include_usage":true},"ignore_eos":true,"mock_answer":"Good day"}`, 0},
		{"completion", func(c *Config) { c.Protocol = dialect.OpenAICompletions; c.URL = "http://llm.test/base/v1/completions" },
			pipeline.Prompt{Text: "def f(", Suffix: ")"}, "/base/v1/completions",
			`{"model":"m","prompt":"def f(","suffix":")","max_tokens":8,"stream":true,"stream_options":{"include_usage":true}}`, 0},
		{"conversation as completion", func(c *Config) { c.Protocol = dialect.OpenAICompletions }, chat, "/v1/completions",
			`{"model":"m","prompt":"Be brief.\n\nHello","max_tokens":8,"stream":true,"stream_options":{"include_usage":true}}`, 0},
		// vLLM lets the smaller number go first.
		{"priority", nil, pipeline.Prompt{Text: "Hello"}, "/v1/chat/completions",
			`{"model":"m","messages":[{"role":"user","content":"Hello"}],"max_tokens":8,"stream":true,"stream_options":{"include_usage":true},"priority":-3}`, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var path, body string
			var header http.Header
			bubble(t, func(w http.ResponseWriter, r *http.Request) {
				b, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				path, body, header = r.Method+" "+r.URL.Path, string(b), r.Header
				stream(done)(w, r)
			}, tt.change, func(t *testing.T, b *bench) {
				b.client.config.Key = NewKey("sk-secret")
				ended := make(chan struct{})
				call := &pipeline.Call{
					MaxTokens: 8, Priority: tt.priority, Prompt: func() pipeline.Prompt { return tt.prompt }, Answer: func() string { return "Good day" },
					Done: func() { close(ended) },
				}
				b.loop.do(func() { b.client.Start(call) })
				<-ended
			})
			if path != "POST "+tt.path || body != tt.body {
				t.Errorf("%s\n%s\nwant POST %s\n%s", path, body, tt.path, tt.body)
			}
			for name, want := range map[string]string{
				"Accept": "text/event-stream", "Accept-Encoding": "identity", "Content-Type": "application/json",
				"Authorization": "Bearer sk-secret", "Content-Length": fmt.Sprint(len(body)),
			} {
				if got := header.Get(name); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
		})
	}
}

// A whole answer has no output chunks; the asker still gets its text, at its end.
func TestClientWholeAnswer(t *testing.T) {
	bubble(t, func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(time.Second)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"choices":[{"message":{"content":"Good day"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2}}`)
	}, nil, func(t *testing.T, b *bench) {
		a := b.ask()
		r := a.wait()
		if want := []string{`2 "Good day" at 1s`}; !slices.Equal(a.notes, want) {
			t.Errorf("notes %q, want %q", a.notes, want)
		}
		if r.Outcome != pipeline.OK || r.Chunks != 0 || r.FirstOutput != pipeline.Unknown || r.OutputTokens != 2 || r.End != time.Second {
			t.Errorf("record %+v, want a whole answer of 2 tokens at 1s", *r)
		}
	})
}

// One round over real sockets and the real loop.
func TestClientSmoke(t *testing.T) {
	server := httptest.NewServer(stream(delta(`"content":"Good"`), 20*time.Millisecond, delta(`"content":" day"`)+stop+done))
	defer server.Close()
	wall := pipeline.NewWall()
	client, err := NewClient(Config{URL: server.URL, Protocol: dialect.OpenAIChat, Model: "m"}, wall)
	if err != nil {
		t.Fatal(err)
	}
	if err := client.WarmUp(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	call := &pipeline.Call{
		Prompt: func() pipeline.Prompt { return pipeline.Prompt{Chat: true, Text: "Hello"} },
		Notify: func(p pipeline.Progress) { text.WriteString(p.Text) },
		Done:   wall.Stop,
	}
	wall.At(0, pipeline.RankTimer, func() {
		call.Record = pipeline.NewRequest(1, wall.Now())
		client.Start(call)
	})
	if err := wall.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	client.Close()
	r := call.Record
	if r.Outcome != pipeline.OK || text.String() != "Good day" || r.Chunks != 2 || !r.Transport.Reused {
		t.Errorf("record %+v with text %q, want a warm answer of two chunks", r, text.String())
	}
	instants := []time.Duration{r.Due, r.Sent, r.FirstByte, r.FirstOutput, r.LastOutput, r.End}
	if !slices.IsSorted(instants) || r.LastOutput-r.Sent < 20*time.Millisecond {
		t.Errorf("instants %v, want them in order and the last two at least 20ms after the sending", instants)
	}
}
