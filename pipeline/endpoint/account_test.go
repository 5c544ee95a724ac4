package endpoint

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/price"
)

// tenth is the price of the tests: a prompt of 10 tokens and an answer of 8, which is what
// a call stands for, cost 0.10 USD; those of the prompt that were cached cost nothing.
var tenth = price.Price{Input: price.Dollar / 1000, Output: 9 * price.Dollar / 800, Source: "a test"}

// Money is reserved before a call and counted after it, and a call that there is no money
// for is never sent.
func TestClientMaxCost(t *testing.T) {
	answer := func(usage string) http.HandlerFunc {
		return stream(delta(`"content":"Hi"`) + event(`{"choices":[],"usage":`+usage+`}`) + stop + done)
	}
	tests := []struct {
		name    string
		handler http.HandlerFunc
		sent    int
		reason  string
		used    price.Tally
	}{
		{"nobody counts", answer(`null`), 2, "over the cap of 0.25 USD",
			price.Tally{Requests: 2, Uncounted: 2, Assumed: price.Tokens{Prompt: 20, Output: 16}}},
		{"by count", answer(`{"prompt_tokens":10,"completion_tokens":4}`), 3, "over the cap of 0.25 USD",
			price.Tally{Requests: 3, Counted: price.Tokens{Prompt: 30, Output: 12}}},
		{"cached", answer(`{"prompt_tokens":10,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":9}}`), 4,
			"over the cap of 0.25 USD",
			price.Tally{Requests: 4, Counted: price.Tokens{Prompt: 40, Cached: 36, Output: 16}}},
		{"cached beside the prompt", answer(`{"prompt_tokens":1,"completion_tokens":4,"total_tokens":14,"prompt_tokens_details":{"cached_tokens":9}}`), 4,
			"over the cap of 0.25 USD",
			price.Tally{Requests: 4, Counted: price.Tokens{Prompt: 40, Cached: 36, Output: 16}}},
		{"cached beside a longer prompt", answer(`{"prompt_tokens":7,"completion_tokens":4,"total_tokens":14,"prompt_tokens_details":{"cached_tokens":3}}`), 3,
			"over the cap of 0.25 USD",
			price.Tally{Requests: 3, Counted: price.Tokens{Prompt: 30, Cached: 9, Output: 12}}},
		{"broke off", stream(delta(`"content":"Hi"`) + event(`{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":1}}`)), 2,
			"over the cap of 0.25 USD",
			price.Tally{Requests: 2, Uncounted: 2, Assumed: price.Tokens{Prompt: 20, Output: 16}}},
		{"counted more before it broke off", stream(delta(`"content":"Hi"`) + event(`{"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":9}}`)), 2,
			"over the cap of 0.25 USD",
			price.Tally{Requests: 2, Uncounted: 2, Assumed: price.Tokens{Prompt: 24, Output: 18}}},
		{"went on past its limit", stream(strings.Repeat(delta(`"content":"Hi"`), 400)), 1,
			"over the cap of 0.25 USD",
			price.Tally{Requests: 1, Uncounted: 1, Assumed: price.Tokens{Prompt: 10, Output: 321}}},
		{"nobody counts more than was asked for", stream(strings.Repeat(delta(`"content":"Hi"`), 30) + stop + done), 1, "over the cap of 0.25 USD",
			price.Tally{Requests: 1, Uncounted: 1, Assumed: price.Tokens{Prompt: 10, Output: 30}}},
		{"counts the prompt alone", answer(`{"prompt_tokens":12,"completion_tokens":0}`), 2, "over the cap of 0.25 USD",
			price.Tally{Requests: 2, Counted: price.Tokens{Prompt: 24}, Uncounted: 2, Assumed: price.Tokens{Output: 16}}},
		{"counts the answer alone", answer(`{"prompt_tokens":0,"completion_tokens":7}`), 2, "over the cap of 0.25 USD",
			price.Tally{Requests: 2, Counted: price.Tokens{Output: 14}, Uncounted: 2, Assumed: price.Tokens{Prompt: 20}}},
		{"counts what cannot be", answer(`{"prompt_tokens":9223372036854775807,"completion_tokens":9223372036854775807}`), 2, "over the cap of 0.25 USD",
			price.Tally{Requests: 2, Uncounted: 2, Assumed: price.Tokens{Prompt: 20, Output: 16}}},
		{"more cached than asked", answer(`{"prompt_tokens":10,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":50}}`), 3, "over the cap of 0.25 USD",
			price.Tally{Requests: 3, Counted: price.Tokens{Prompt: 30, Output: 12}}},
		{"an answer that cannot be", answer(`{"prompt_tokens":12,"completion_tokens":1000000000000}`), 2, "over the cap of 0.25 USD",
			price.Tally{Requests: 2, Counted: price.Tokens{Prompt: 24}, Uncounted: 2, Assumed: price.Tokens{Output: 16}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, tt.handler, func(c *Config) { c.MaxCost, c.Price = price.Dollar/4, tenth }, func(t *testing.T, b *bench) {
				for range tt.sent {
					if r := b.ask().wait(); r.Sent == pipeline.Unknown {
						t.Fatalf("%s (%s), want it sent", r.Outcome, r.Reason)
					}
				}
				r := b.ask().wait()
				if r.Outcome != pipeline.Dropped || r.Reason != tt.reason {
					t.Errorf("%s, %q; want dropped, %q", r.Outcome, r.Reason, tt.reason)
				}
				if got := b.client.Used(); got != tt.used {
					t.Errorf("used %+v, want %+v", got, tt.used)
				}
			})
		})
	}
}

// A server that counts more tokens than ours has the next calls stand for as many, so that
// those under way at once do not go over the cap: of 12 at a time that count 15 and 8 each,
// and stand for 10 and 8 until one has been counted, there is room for 10 of 240 tokens.
func TestClientLearnsTheServersCount(t *testing.T) {
	slow := stream(delta(`"content":"Hi"`), time.Second, event(`{"choices":[],"usage":{"prompt_tokens":15,"completion_tokens":8}}`)+stop+done)
	bubble(t, slow, func(c *Config) { c.MaxTokens = 240 }, func(t *testing.T, b *bench) {
		b.ask().wait()
		var under []*asked
		for range 12 {
			under = append(under, b.ask())
		}
		sent := 0
		for _, a := range under {
			if a.wait().Sent != pipeline.Unknown {
				sent++
			}
		}
		if used := b.client.Used().Tokens().All(); sent != 9 || used > 240 {
			t.Errorf("%d were sent beside the first and took %d tokens in all; want 9, and no more than 240", sent, used)
		}
	})
}

// An answer longer than its limit has the next calls stand for as long ones.
func TestClientLearnsTheLimit(t *testing.T) {
	var s scale
	call := &pipeline.Call{PromptTokens: 100, MaxTokens: 10}
	s.learn(call, &reply.Reply{Usage: &reply.Usage{Prompt: 90, Completion: 35}})
	a := account{own: s}
	if got, want := a.stands(call), (price.Tokens{Prompt: 100, Output: 35}); got != want {
		t.Errorf("stands for %+v, want %+v", got, want)
	}
	a.own.learn(call, &reply.Reply{Usage: &reply.Usage{Prompt: 170, Completion: 10}})
	if got, want := a.stands(call), (price.Tokens{Prompt: 130, Output: 35}); got != want {
		t.Errorf("stands for %+v, want %+v", got, want)
	}
	if got := (&account{}).stands(call); got != (price.Tokens{Prompt: 100, Output: 10}) {
		t.Errorf("before anything was counted it stands for %+v", got)
	}
}

// The chunks of an answer are no tokens where the server counts these, or sends letters: such
// an answer has the next calls stand for no more. Words are tokens, and so are more letters
// than any answer of that limit has.
func TestClientLearnsNoChunks(t *testing.T) {
	of := func(text string, n int) []reply.Choice {
		return []reply.Choice{{Outputs: slices.Repeat([]reply.Output{{Kind: reply.Text, Text: text}}, n)}}
	}
	call := &pipeline.Call{PromptTokens: 100, MaxTokens: 100}
	for _, c := range []struct {
		name   string
		answer reply.Reply
		next   int // what the next call stands for
		used   price.Tally
	}{
		{"counted, in letters", reply.Reply{Outcome: pipeline.OK, Usage: &reply.Usage{Prompt: 100, Completion: 100}, Choices: of("a", 450)}, 100,
			price.Tally{Requests: 1, Counted: price.Tokens{Prompt: 100, Output: 100}}},
		{"counted, in words", reply.Reply{Outcome: pipeline.OK, Usage: &reply.Usage{Prompt: 100, Completion: 100}, Choices: of(" word", 450)}, 100,
			price.Tally{Requests: 1, Counted: price.Tokens{Prompt: 100, Output: 100}}},
		{"not counted, in letters", reply.Reply{Outcome: pipeline.OK, Choices: of("a", 450)}, 100,
			price.Tally{Requests: 1, Uncounted: 1, Assumed: price.Tokens{Prompt: 100, Output: 100}}},
		{"not counted, in words", reply.Reply{Outcome: pipeline.OK, Choices: of(" word", 450)}, 450,
			price.Tally{Requests: 1, Uncounted: 1, Assumed: price.Tokens{Prompt: 100, Output: 450}}},
		{"not counted, in too many letters", reply.Reply{Outcome: pipeline.Error, Choices: of("a", 8*100+256+1)}, 1057,
			price.Tally{Requests: 1, Uncounted: 1, Assumed: price.Tokens{Prompt: 100, Output: 1057}}},
	} {
		var a account
		a.settle(call, price.Tokens{Prompt: 100, Output: 100}, true, &c.answer)
		if got := a.stands(call); got != (price.Tokens{Prompt: 100, Output: c.next}) {
			t.Errorf("%s: the next stands for %+v, want 100 and %d", c.name, got, c.next)
		}
		if a.used != c.used {
			t.Errorf("%s: used %+v, want %+v", c.name, a.used, c.used)
		}
	}
}

// A failure of a gateway may come from a model that worked, and is paid for.
func TestClientFailureMayCost(t *testing.T) {
	for status, want := range map[int]price.Tally{
		http.StatusBadGateway: {Requests: 1, Uncounted: 1, Assumed: price.Tokens{Prompt: 10, Output: 8}}, http.StatusGatewayTimeout: {Requests: 1, Uncounted: 1, Assumed: price.Tokens{Prompt: 10, Output: 8}},
		http.StatusBadRequest: {Requests: 1}, http.StatusTooManyRequests: {Requests: 1}, http.StatusFound: {Requests: 1},
	} {
		bubble(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }, nil, func(t *testing.T, b *bench) {
			b.ask().wait()
			if got := b.client.Used(); got != want {
				t.Errorf("HTTP %d: used %+v, want %+v", status, got, want)
			}
		})
	}
}

// What was refused, or never went out, costs nothing.
func TestClientRefusedIsFree(t *testing.T) {
	refused := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) }
	bubble(t, refused, func(c *Config) { c.MaxCost, c.Price, c.MaxTokens = price.Dollar/10, tenth, 18 }, func(t *testing.T, b *bench) {
		for range 3 {
			if r := b.ask().wait(); r.Outcome != pipeline.Refused {
				t.Errorf("%s (%s), want refused", r.Outcome, r.Reason)
			}
		}
		if got, want := b.client.Used(), (price.Tally{Requests: 3}); got != want {
			t.Errorf("used %+v, want %+v", got, want)
		}
	})
}

// A call under way holds its money until its end, and counts as one of which nobody knows.
func TestClientHoldsMoney(t *testing.T) {
	bubble(t, stream(delta(`"content":"Hi"`), time.Second, event(`{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":0}}`)+stop+done), func(c *Config) {
		c.MaxCost, c.Price = price.Dollar/10, tenth
	}, func(t *testing.T, b *bench) {
		first := b.ask()
		var under price.Tally
		b.loop.do(func() { under = b.client.Used() })
		if want := (price.Tally{Requests: 1, Uncounted: 1, Assumed: price.Tokens{Prompt: 10, Output: 8}}); under != want {
			t.Errorf("under way: used %+v, want %+v", under, want)
		}
		if r := b.ask().wait(); r.Outcome != pipeline.Dropped {
			t.Errorf("beside it: %s (%s), want dropped", r.Outcome, r.Reason)
		}
		first.wait()
		if got, want := b.client.Used(), (price.Tally{Requests: 1, Counted: price.Tokens{Prompt: 10}, Uncounted: 1, Assumed: price.Tokens{Output: 8}}); got != want {
			t.Errorf("used %+v, want %+v", got, want)
		}
	})
}

func TestMaxCostNeedsPrice(t *testing.T) {
	c := Config{URL: "http://x/v1", Protocol: "openai-chat", Model: "m", MaxCost: price.Dollar}
	if _, err := NewClient(c, nil); err == nil || err.Error() != "endpoint: cap of 1.00 USD, and no price is known" {
		t.Errorf("got %v", err)
	}
}

// A server that goes on past the answer that it was asked for is stopped at the chunk that
// is more than any such answer has, however slowly they come, and the time that it had.
func TestClientEndlessAnswer(t *testing.T) {
	endless := func(pause time.Duration) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for {
				if _, err := fmt.Fprint(w, delta(`"content":" word"`)); err != nil {
					return
				}
				w.(http.Flusher).Flush()
				select {
				case <-time.After(pause):
				case <-r.Context().Done():
					return
				}
			}
		}
	}
	const most = 8*8 + 256 // of the 8 tokens that a call asks for
	tests := []struct {
		name    string
		pause   time.Duration
		outcome pipeline.Outcome
		reason  string
		end     time.Duration
		chunks  int
	}{
		{"20 ms a chunk", 20 * time.Millisecond, pipeline.Error,
			"the answer went on past the tokens asked for: more than 8 chunks of output came for each of them and 256 beside", most * 20 * time.Millisecond, most + 1},
		{"1.7 s a chunk", 1700 * time.Millisecond, pipeline.Timeout, "no end within 2m0s (--limit-whole)", 2 * time.Minute, 71},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, endless(tt.pause), nil, func(t *testing.T, b *bench) {
				a := b.ask()
				r := a.wait()
				if r.Outcome != tt.outcome || r.Reason != tt.reason || r.End != tt.end {
					t.Errorf("%s, %q at %s; want %s, %q at %s", r.Outcome, r.Reason, r.End, tt.outcome, tt.reason, tt.end)
				}
				if r.Chunks != tt.chunks || len(a.notes) != tt.chunks {
					t.Errorf("%d chunks, %d told; want %d", r.Chunks, len(a.notes), tt.chunks)
				}
			})
		})
	}
}

// An answer of many small chunks is as long as it was asked for: each letter of 8 tokens.
func TestClientLetterByLetter(t *testing.T) {
	pieces := []any{}
	for range 8 * 8 {
		pieces = append(pieces, delta(`"content":"a"`))
	}
	bubble(t, stream(append(pieces, stop, done)...), nil, func(t *testing.T, b *bench) {
		if r := b.ask().wait(); r.Outcome != pipeline.OK || r.Chunks != 64 {
			t.Errorf("%s (%s) with %d chunks, want ok with 64", r.Outcome, r.Reason, r.Chunks)
		}
	})
}

// Every limit can be set, and the reason names it and how.
func TestLimitsByName(t *testing.T) {
	hi := delta(`"content":"Hi"`)
	tests := []struct {
		handler http.HandlerFunc
		limits  Limits
		reason  string
		end     time.Duration
	}{
		{stream(time.Hour), Limits{FirstByte: 3 * time.Second}, "no first byte within 3s (--limit-first-byte)", 3 * time.Second},
		{stream(hi, time.Hour), Limits{Gap: 4 * time.Second}, "no further byte within 4s (--limit-gap)", 4 * time.Second},
		{stream(hi, time.Second, hi, time.Second, hi, time.Hour), Limits{Gap: 4 * time.Second}, "no further byte within 4s (--limit-gap)", 6 * time.Second},
		{stream(hi, time.Hour), Limits{Whole: 5 * time.Second}, "no end within 5s (--limit-whole)", 5 * time.Second},
	}
	for _, tt := range tests {
		bubble(t, tt.handler, func(c *Config) { c.Limits = tt.limits }, func(t *testing.T, b *bench) {
			r := b.ask().wait()
			if r.Outcome != pipeline.Timeout || r.Reason != tt.reason || r.End != tt.end {
				t.Errorf("%s, %q at %s; want timeout, %q at %s", r.Outcome, r.Reason, r.End, tt.reason, tt.end)
			}
		})
	}
}

// Clients share caps by what each one is told of the others. Once a cap was met nothing
// goes out any more, and the client tells so when the last request has ended.
func TestClientSpent(t *testing.T) {
	for _, c := range []struct {
		name, reason string
		caps         Config
	}{
		{"requests", "over the cap of 9 requests", Config{MaxRequests: 9, Before: Spending{Requests: 8}}},
		{"tokens", "over the cap of 100 tokens", Config{MaxTokens: 100, Before: Spending{Tokens: 70}}},
		{"money", "over the cap of 1.00 USD", Config{MaxCost: price.Dollar, Price: tenth, Before: Spending{Cost: price.Dollar * 85 / 100}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var told []string
			bubble(t, stream(delta(`"content":"Hi"`), time.Second, stop+done), func(to *Config) {
				to.MaxRequests, to.MaxTokens, to.MaxCost, to.Price, to.Before = c.caps.MaxRequests, c.caps.MaxTokens, c.caps.MaxCost, c.caps.Price, c.caps.Before
				to.Spent = func(err error) { told = append(told, err.Error()) }
			}, func(t *testing.T, b *bench) {
				first := b.ask()
				if r := b.ask().wait(); r.Outcome != pipeline.Dropped || r.Reason != c.reason {
					t.Errorf("%s, %q; want dropped, %q", r.Outcome, r.Reason, c.reason)
				}
				b.loop.do(func() {
					if len(told) != 0 {
						t.Errorf("told %q while a request is under way", told)
					}
				})
				if r := first.wait(); r.Outcome != pipeline.OK {
					t.Errorf("the one before: %s, %s", r.Outcome, r.Reason)
				}
				b.loop.do(func() {
					if !slices.Equal(told, []string{c.reason}) || b.client.Over() == nil || b.client.Over().Error() != c.reason {
						t.Errorf("told %q, over %v; want %q", told, b.client.Over(), c.reason)
					}
				})
			})
		})
	}
}

// TestUsedBeside: tokens in a server's total that are in no count may be of the answer, and
// count as used where caps are.
func TestUsedBeside(t *testing.T) {
	r := &reply.Reply{Outcome: pipeline.OK, Status: 200, Usage: &reply.Usage{Prompt: 12, Completion: 2, Reasoning: pipeline.UnknownCount, Cached: pipeline.UnknownCount}}
	held := price.Tokens{Prompt: 10, Output: 100}
	if got, want := usedBy(held, r), (price.Tally{Requests: 1, Counted: price.Tokens{Prompt: 12, Output: 2}}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	r.Beside = 1500
	if got, want := usedBy(held, r), (price.Tally{Requests: 1, Counted: price.Tokens{Prompt: 12}, Uncounted: 1, Assumed: price.Tokens{Output: 1502}}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
