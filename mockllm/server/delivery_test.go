package server

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/mockllm/fault"
	"halfsecond/pipeline"
)

// setRules gives a server rules, each a phrase.
func (r *rig) setRules(phrases ...string) {
	r.t.Helper()
	var all []fault.Rule
	for _, phrase := range phrases {
		rule, err := fault.ParsePhrase(phrase)
		if err != nil {
			r.t.Fatal(err)
		}
		all = append(all, rule)
	}
	if err := r.server.Faults.Replace(all...); err != nil {
		r.t.Fatal(err)
	}
}

// times spells the instants of the one request in the ledger, in ms.
func (r *rig) times() string {
	r.t.Helper()
	all, _ := r.server.Ledger.Latest(10)
	if len(all) != 1 {
		r.t.Fatalf("%d requests in the ledger, want 1: %+v", len(all), all)
	}
	e := all[0]
	text := e.Outcome.String()
	for _, d := range []time.Duration{e.Arrived, e.Started, e.First, e.Ended, e.Left} {
		if d == pipeline.Unknown {
			text += " -"
		} else {
			text += fmt.Sprintf(" %d", d.Milliseconds())
		}
	}
	return text
}

const (
	threeTokens = `{"model":"m","prompt":"x","stream":true,"mock_answer":"one two three"}` // at 100, 110 and 120 ms
	threeWhole  = `{"model":"m","prompt":"x","mock_answer":"one two three"}`
)

// TestLeftWhileHeldUp: who hangs up while a rule holds the answer up has left, whether or
// not the engine had more to do.
func TestLeftWhileHeldUp(t *testing.T) {
	const long = `{"model":"m","prompt":"x","stream":true,"ignore_eos":true,"max_tokens":90}` // to 990 ms
	const gemini = `{"contents":[{"parts":[{"text":"x"}]}]}`
	for _, c := range []struct{ rule, body, want string }{ // outcome; arrived, started, first, ended, left
		{"stall at 3 for 2s", threeTokens, "cancelled 0 0 100 500 500"},
		{"stall at 3 for 2s", threeWhole, "ok 0 0 100 120 -"}, // its one write is the first
		{"stall at 1 for 2s", threeTokens, "cancelled 0 0 - 500 500"},
		{"stall at 1 for 2s", threeWhole, "cancelled 0 0 - 500 500"},
		{"stall at 3 for 2s", long, "cancelled 0 0 100 500 500"},
		{"slow_headers 2s", threeTokens, "cancelled 0 0 - 500 500"},
		{"slow_headers 2s", threeWhole, "cancelled 0 0 - 500 500"},
		{"slow_headers 2s", long, "cancelled 0 0 - 500 500"},
		{"cold_start 2s", threeTokens, "cancelled 0 - - 500 500"},
		{"cold_start 2s", gemini, "cancelled 0 - - 500 500"}, // whose model is known without its body
		{"drip bytes 20 every 100ms", threeTokens, "cancelled 0 0 100 500 500"},
		{"drip bytes 20 every 200ms", threeWhole, "cancelled 0 0 100 500 500"},
		{"buffer whole", long, "cancelled 0 0 - 500 500"},
		{"buffer clumps every 2s", long, "cancelled 0 0 - 500 500"},
		{"status 503; slow_headers 2s", threeTokens, "cancelled 0 - - 500 500"},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := start(t)
			defer r.stop()
			r.setRules(c.rule)
			ctx, leave := context.WithTimeout(t.Context(), 500*ms)
			defer leave()
			path := "/v1/completions"
			if c.body == gemini {
				path = "/v1beta/models/m:streamGenerateContent"
			}
			if answer, err := r.post(ctx, path, c.body); err == nil {
				_, _ = io.Copy(io.Discard, answer.Body) // until the client leaves
				answer.Body.Close()
			}
			time.Sleep(10 * time.Second)
			if got := r.times(); got != c.want {
				t.Errorf("%s, %s: %s, want %s", c.rule, c.body, got, c.want)
			}
			if s := r.stats(); s.Running != 0 {
				t.Errorf("%s, %s: the engine still works on %d", c.rule, c.body, s.Running)
			}
		})
	}
}

// TestRefusalsInTheLedger: what a front refuses is there as its client saw it, too.
func TestRefusalsInTheLedger(t *testing.T) {
	unknown := strings.Replace(threeTokens, `"m"`, `"nobody"`, 1)
	for _, c := range []struct {
		rule, want string
		stays      time.Duration
	}{
		{"limit rpm=100", "refused 0 - - 0 -", time.Minute},
		{"cold_start 2s", "refused 0 - - 2000 -", time.Minute},
		{"slow_headers 2s", "refused 0 - - 2000 -", time.Minute},
		{"slow_headers 2s", "cancelled 0 - - 500 500", 500 * ms},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := start(t)
			defer r.stop()
			r.setRules(c.rule)
			ctx, leave := context.WithTimeout(t.Context(), c.stays)
			defer leave()
			if answer, err := r.post(ctx, "/v1/completions", unknown); err == nil {
				answer.Body.Close()
			}
			time.Sleep(10 * time.Second)
			if got := r.times(); got != c.want {
				t.Errorf("%s: %s, want %s", c.rule, got, c.want)
			}
			if all, _ := r.server.Ledger.Latest(1); !strings.Contains(all[0].Reason, "nobody") || all[0].Fault == "" && c.rule[:5] != "limit" {
				t.Errorf("%s: the ledger has %+v", c.rule, all[0])
			}
		})
	}
}

// TestSpeechLeftWhileHeldUp: the same of speech, whose samples were all made by then.
func TestSpeechLeftWhileHeldUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t)
		defer r.stop()
		r.setRules("drip bytes 1000 every 1s")
		ctx, leave := context.WithTimeout(t.Context(), 20*time.Second)
		defer leave()
		answer, err := r.post(ctx, "/v1/audio/speech", `{"model":"tts-1","voice":"alloy","input":"Hello there.","response_format":"pcm"}`)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, answer.Body) // until the client leaves
		answer.Body.Close()
		synctest.Wait()
		if got := r.times(); !strings.HasPrefix(got, "cancelled 0 ") || !strings.HasSuffix(got, " 20000 20000") {
			t.Errorf("the ledger has %s, want one that was given up after 20 s", got)
		}
		all, _ := r.server.Ledger.Latest(1)
		if w := r.server.Ledger.Writes.Report(); all[0].Fault != "drip" || w.N > 1 {
			t.Errorf("the ledger has the fault %q, and measured %s", all[0].Fault, w)
		}
	})
}

// TestDelaysInTheLedger: what a rule adds is in the ledger and in the metrics, as the client
// saw it.
func TestDelaysInTheLedger(t *testing.T) {
	for _, c := range []struct{ rule, body, want, ttft, loads string }{
		{"limit rpm=100", threeTokens, "ok 0 0 100 120 -", "0.1", "0"},
		{"slow_headers 2s", threeTokens, "ok 0 0 2100 2100 -", "2.1", "0"},
		{"slow_headers 2s", threeWhole, "ok 0 0 2100 2120 -", "2.1", "0"},
		{"stall at 1 for 2s", threeTokens, "ok 0 0 2100 2100 -", "2.1", "0"},
		{"stall at 3 for 2s", threeTokens, "ok 0 0 100 2120 -", "0.1", "0"},
		{"cold_start 2s", threeTokens, "ok 0 2000 2100 2120 -", "2.1", "1"},
		{"nginx-proxy", threeTokens, "ok 0 0 120 120 -", "0.12", "0"},
		{"nginx-proxy-cured", threeTokens, "ok 0 0 100 120 -", "0.1", "0"},
		{"end at 3", threeTokens, "truncated 0 0 100 120 -", "0.1", "0"},
		{"cut at 3", threeTokens, "truncated 0 0 100 120 -", "0.1", "0"},
		{"error at 3", threeTokens, "error 0 0 100 120 -", "0.1", "0"},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := start(t)
			defer r.stop()
			r.setRules(c.rule)
			if answer, err := r.post(t.Context(), "/v1/completions", c.body); err == nil {
				_, _ = io.Copy(io.Discard, answer.Body) // which a rule may cut
				answer.Body.Close()
			}
			synctest.Wait()
			if got := r.times(); got != c.want {
				t.Errorf("%s, %s: %s, want %s", c.rule, c.body, got, c.want)
			}
			for name, want := range map[string]string{
				`llm_request_ttft_seconds_sum{model="m"}`:                         c.ttft,
				`vllm:time_to_first_token_seconds_sum{engine="0",model_name="m"}`: c.ttft,
				`mock_model_loads_total{engine="0",model_name="m"}`:               c.loads,
			} {
				if got := metric(t, r, name); got != want {
					t.Errorf("%s, %s: %s is %s, want %s", c.rule, c.body, name, got, want)
				}
			}
		})
	}
}

// TestWritesAreMeasured: rules that hold nothing back leave the server its measure of
// itself; those that do have it measure what went out before.
func TestWritesAreMeasured(t *testing.T) {
	for rule, want := range map[string]int{
		"limit rpm=100": 3, "cold_start 2s": 3, "nginx-proxy-cured": 3, "stall at 9 for 1s": 3, "status 500 share=0.0001%": 3,
		"stall at 3 for 1s": 2, "slow_headers 1s": 0, "nginx-proxy": 0,
	} {
		synctest.Test(t, func(t *testing.T) {
			r := start(t)
			defer r.stop()
			r.setRules(rule)
			answer, err := r.post(t.Context(), "/v1/completions", threeTokens)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			if _, err := io.Copy(io.Discard, answer.Body); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if w := r.server.Ledger.Writes.Report(); w.N != want || want > 0 && w.Max != 0 {
				t.Errorf("%s: %s, want %d exact writes", rule, w, want)
			}
		})
	}
}

// TestArrived: a request is told of while it is under way, in the engine or before it.
func TestArrived(t *testing.T) {
	for _, rule := range []string{"limit rpm=100", "cold_start 200ms", "stall at 2 for 1s"} {
		synctest.Test(t, func(t *testing.T) {
			r := start(t)
			defer r.stop()
			r.setRules(rule)
			ctx, leave := context.WithTimeout(t.Context(), 105*ms)
			defer leave()
			time.AfterFunc(50*ms, func() {
				if _, e := r.server.Ledger.Arrived(); len(e) != 1 || e[0].Model != "m" || e[0].Path != "/v1/completions" {
					t.Errorf("%s: under way are %+v", rule, e)
				}
			})
			if answer, err := r.post(ctx, "/v1/completions", threeTokens); err == nil {
				_, _ = io.Copy(io.Discard, answer.Body) // until the client leaves
				answer.Body.Close()
			}
			synctest.Wait()
			if _, e := r.server.Ledger.Arrived(); len(e) != 0 {
				t.Errorf("%s: still under way are %+v", rule, e)
			}
			if got := r.times(); !strings.HasPrefix(got, "cancelled 0 ") || !strings.HasSuffix(got, " 105 105") {
				t.Errorf("%s: %s", rule, got)
			}
		})
	}
}
