package fault

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// These tests run in bubbles in which a byte takes no time: every instant is exact.

// instants returns when each text came that the answer is asked for, in ms.
func instants(t *testing.T, a answer, texts ...string) string {
	t.Helper()
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = fmt.Sprint(a.at(t, text).Milliseconds())
	}
	return strings.Join(out, " ")
}

func TestTiming(t *testing.T) {
	texts := []string{`"n":1}`, `"n":4}`, `"n":5}`, `"n":6}`, `"n":10}`, "[DONE]"}
	for _, c := range []struct {
		name, rule, want string
		header0          time.Duration
	}{
		{"untouched", "match: {model: none}\n    end: 1", "5 20 25 30 50 55", 5 * time.Millisecond},
		{"slow headers", "slow_headers: 1s", "1005 1020 1025 1030 1050 1055", 1005 * time.Millisecond},
		{"stall", "stall: {at: 5, for: 2s}", "5 20 2025 2030 2050 2055", 5 * time.Millisecond},
		{"stall before the first", "stall: {at: 1, for: 2s}", "2005 2020 2025 2030 2050 2055", 2005 * time.Millisecond},
		{"a long stall, beyond the write's own deadline", "stall: {at: 5, for: 1h}", "5 20 3600025 3600030 3600050 3600055", 5 * time.Millisecond},
		{"cold start", "cold_start: 8s", "8005 8020 8025 8030 8050 8055", 8005 * time.Millisecond},
		{"whole", "buffer: whole", "55 55 55 55 55 55", 55 * time.Millisecond},
		{"clumps", "buffer: {mode: clumps, every: 12ms}", "17 32 32 32 55 55", 17 * time.Millisecond},
		{"clumps of 200 ms", "buffer: clumps\n    stall: {at: 5, for: 500ms}", "205 205 555 555 555 555", 205 * time.Millisecond},
		{"honoured", "buffer: {mode: whole, honours_header: true}", "5 20 25 30 50 55", 5 * time.Millisecond},
		{"not asked for", "omit_headers: x-accel-buffering\n    buffer: {mode: whole, honours_header: true}", "55 55 55 55 55 55", 55 * time.Millisecond},
		// An event has 15 bytes, or 16, and so two pieces, each 20 ms after the one before.
		{"drip", "drip: {bytes: 10, every: 20ms}", "25 145 185 225 385 425", 5 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, "rules:\n  - "+c.rule+"\n", func(t *testing.T, g *rig) {
				a := g.ask("/v1/x", `{"model":"m"}`)
				if a.err != nil || a.body != events(1, tokens)+done {
					t.Fatalf("body %q, %v", a.body, a.err)
				}
				if got := instants(t, a, texts...); got != c.want {
					t.Errorf("came at %s ms, want %s", got, c.want)
				}
				if a.header0 != c.header0 {
					t.Errorf("headers came at %s, want %s", a.header0, c.header0)
				}
			})
		})
	}
}

// TestEndsAreAtOnce checks that a client sees the end when the rule says so, and not
// when the front would have been done.
func TestEndsAreAtOnce(t *testing.T) {
	for _, rule := range []string{"end: 5", "error: 5", "cut: 5", "cut: {at: 5, how: close}"} {
		bubble(t, "rules:\n  - "+rule+"\n", func(t *testing.T, g *rig) {
			if a := g.ask("/v1/x", "{}"); a.took != 25*time.Millisecond {
				t.Errorf("%s: the answer ended after %s, want 25ms", rule, a.took)
			}
		})
	}
}

// TestLeavingAStall checks that a stall ends with the client, and the handler with it.
func TestLeavingAStall(t *testing.T) {
	for _, rule := range []string{"stall: {at: 5, for: 1h}", "slow_headers: 1h", "cold_start: 1h", "drip: {bytes: 1, every: 1h}"} {
		bubble(t, "rules:\n  - "+rule+"\n", func(t *testing.T, g *rig) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, g.url+"/v1/x", nil)
			if err != nil {
				t.Fatal(err)
			}
			if a := g.do(r); a.err == nil || a.took != time.Second {
				t.Errorf("%s: %v after %s, want the client's own end after 1s", rule, a.err, a.took)
			}
			from := time.Now()
			synctest.Wait()
			if time.Since(from) != 0 {
				t.Errorf("%s: something was still under way", rule)
			}
		})
	}
}

// TestColdStarts checks when a model is loaded, and who waits for it.
func TestColdStarts(t *testing.T) {
	bubble(t, "rules:\n  - cold_start: {load: 10s, idle: 1m}\n", func(t *testing.T, g *rig) {
		took := func(model string) time.Duration { return g.ask("/v1/whole", `{"model":"`+model+`"}`).took }
		beside := make(chan time.Duration)
		go func() {
			time.Sleep(4 * time.Second)
			beside <- took("a")
		}()
		for i, c := range []struct {
			pause time.Duration
			model string
			want  time.Duration
		}{
			{0, "a", 10 * time.Second},
			{0, "a", 0},
			{0, "b", 10 * time.Second}, // each model is loaded by itself
			{59 * time.Second, "a", 10 * time.Second},
			{59 * time.Second, "a", 0},
			{time.Minute, "a", 10 * time.Second},
		} {
			time.Sleep(c.pause)
			if got := took(c.model); got != c.want {
				t.Errorf("request %d took %s, want %s", i+1, got, c.want)
			}
			if i == 0 {
				if got := <-beside; got != 6*time.Second {
					t.Errorf("a request 4s later took %s, want 6s", got)
				}
			}
		}
	})
}

func TestLimitsFill(t *testing.T) {
	bubble(t, "rules:\n  - limit: {rpm: 3}\n", func(t *testing.T, g *rig) {
		for i, c := range []struct {
			pause  time.Duration
			status int
			retry  string
		}{
			{0, 200, ""},
			{0, 200, ""},
			{0, 200, ""},
			{0, 429, "20"},
			{19 * time.Second, 429, "1"},
			{999 * time.Millisecond, 429, "1"},
			{time.Millisecond, 200, ""},
			{0, 429, "20"},
			{time.Hour, 200, ""},
		} {
			time.Sleep(c.pause)
			if a := g.ask("/v1/whole", "{}"); a.status != c.status || a.header.Get("Retry-After") != c.retry {
				t.Errorf("request %d got %d, Retry-After %q; want %d, %q", i+1, a.status, a.header.Get("Retry-After"), c.status, c.retry)
			}
		}
	})
}

func TestTokensLimit(t *testing.T) {
	bubble(t, "rules:\n  - limit: {tpm: 600, per: model}\n", func(t *testing.T, g *rig) {
		ask := func(model string, most int) answer {
			return g.ask("/v1/messages/whole", fmt.Sprintf(`{"model":%q,"max_tokens":%d,"messages":[{"role":"user","content":"one two"}]}`, model, most))
		}
		a := ask("m", 398)
		want := map[string]string{"Limit": "600", "Remaining": "200", "Reset": time.Now().Add(40 * time.Second).UTC().Format(time.RFC3339)}
		for name, value := range want {
			if got := a.header.Get("Anthropic-Ratelimit-Tokens-" + name); got != value {
				t.Errorf("%s is %q, want %q", name, got, value)
			}
		}
		if a.header.Get("Anthropic-Ratelimit-Requests-Limit") != "" || a.status != 200 {
			t.Errorf("got %d, %v", a.status, a.header)
		}
		a = ask("m", 298) // of which 200 are there: 100 more take 10 s
		if a.status != 429 || a.header.Get("Retry-After") != "10" || !strings.Contains(a.body, `"type":"rate_limit_error"`) ||
			!strings.Contains(a.body, "Rate limit reached for m on tokens per min (TPM): Limit 600, Used 400, Requested 300. Please try again in 10s.") {
			t.Errorf("got %d, %s, %v", a.status, a.body, a.header)
		}
		if a := ask("other", 598); a.status != 200 {
			t.Errorf("another model got %d", a.status)
		}
		a = ask("m", 599)
		if a.status != 429 || a.header.Get("Retry-After") != "" || !strings.Contains(a.body, "Request too large for m on tokens per min (TPM): Limit 600, Requested 601.") {
			t.Errorf("a request that can never fit got %d, %s", a.status, a.body)
		}
		time.Sleep(10 * time.Second)
		if a := ask("m", 298); a.status != 200 || a.header.Get("Anthropic-Ratelimit-Tokens-Remaining") != "0" {
			t.Errorf("10 s later got %d, %v", a.status, a.header)
		}
	})
}

// TestRefuseInMemory checks what a listener does that cannot be opened again.
func TestRefuseInMemory(t *testing.T) {
	bubble(t, "rules:\n  - refuse: {for: 5s, when: loaded}\n", func(t *testing.T, g *rig) {
		if a := g.ask("/v1/whole", ""); a.err == nil {
			t.Errorf("got %+v", a)
		}
		time.Sleep(5 * time.Second)
		if a := g.ask("/v1/whole", ""); a.status != 200 {
			t.Errorf("5 s later: %+v", a)
		}
	})
}

// TestAdvance checks a front that counts tokens and writes several at once.
func TestAdvance(t *testing.T) {
	for _, c := range []struct {
		name, rule string
		chunk      int
		due        []int // tokens that are due together
		want       []string
	}{
		{"nothing", "end: 99", 1, []int{3, 5}, []string{"1-3", "4-5", "end"}},
		{"in the middle of what is due", "malformed: 3", 1, []int{5}, []string{"1-2", "3-3!", "4-5", "end"}},
		{"the first", "malformed: 1", 1, []int{5}, []string{"1-1!", "2-5", "end"}},
		{"the last", "malformed: 5", 1, []int{5}, []string{"1-4", "5-5!", "end"}},
		{"the end", "malformed: 6", 1, []int{5}, []string{"1-5", "end!"}},
		{"in a chunk", "malformed: 6", 4, []int{8, 12}, []string{"1-4", "5-8!", "9-12", "end"}},
		{"in the last chunk", "malformed: 10", 4, []int{8, 11}, []string{"1-8", "9-11!", "end"}},
		{"in one chunk of many", "malformed: 6", 4, []int{12}, []string{"1-4", "5-8!", "9-12", "end"}},
		{"end", "end: 6", 4, []int{12}, []string{"1-4"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			set := New(Config{})
			rules, err := Parse("", []byte("rules:\n  - "+c.rule+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			if err := set.Replace(rules...); err != nil {
				t.Fatal(err)
			}
			w := httptest.NewRecorder()
			set.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				plan, written := From(r.Context()), 0
				for _, due := range c.due {
					for written < due {
						to := plan.Advance(written, due, c.chunk)
						if _, err := fmt.Fprintf(w, "{%d-%d}\n", written+1, to); err != nil {
							return
						}
						written = to
					}
				}
				_, _ = io.WriteString(w, "{end}\n")
			})).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/v1/x", nil))
			var got []string
			for line := range strings.Lines(w.Body.String()) {
				line = strings.TrimSpace(line)
				if text, whole := strings.CutSuffix(line, "}"); whole {
					got = append(got, text[1:])
				} else {
					got = append(got, line[1:]+"!")
				}
			}
			want := make([]string, len(c.want))
			for i, text := range c.want {
				broken := strings.HasSuffix(text, "!")
				if text = strings.TrimSuffix(text, "!"); broken {
					text = text[:(len(text)+3)/2-1] + "!"
				}
				want[i] = text
			}
			if strings.Join(got, " ") != strings.Join(want, " ") {
				t.Errorf("wrote %q, want %q", got, want)
			}
		})
	}
}

func TestNoPlan(t *testing.T) {
	var p *Plan
	if p.Advance(3, 7, 2) != 7 || p.Rules() != "" || From(t.Context()) != nil {
		t.Error("a nil plan does something")
	}
	if n := testing.AllocsPerRun(100, func() { p.Advance(3, 7, 2) }); n != 0 {
		t.Errorf("a nil plan allocates %v times", n)
	}
	free := New(Config{}).Middleware(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/v1/x", nil)
	if n := testing.AllocsPerRun(100, func() { free.ServeHTTP(w, r) }); n != 0 {
		t.Errorf("a set without rules allocates %v times a request", n)
	}
}
