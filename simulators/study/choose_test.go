package study

import (
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/budgets"
	"halfsecond/simulators/scenario"
)

// TestBought: the value whose last cut-ins have bought the most, behind the most cautious one
// with half of the gain.
func TestBought(t *testing.T) {
	type value struct{ gain, cutIn float64 }
	now := budgets.State{CutIn: budgets.Proportion{Value: .13}, CutInKnown: true}
	for name, tt := range map[string]struct {
		known  bool
		values []value
		want   string
	}{
		// A longest wait of 5 s: above the line lie 2500ms .53, 1500ms .65, 1000ms .61, 300ms 0.
		"a longest wait":     {true, []value{{2500, .15}, {3500, .19}, {4000, .26}, {4525, .647}}, "01"},
		"half at once":       {true, []value{{4000, .14}, {4100, .3}, {4525, .647}}, "0"},
		"not half":           {true, []value{{1000, .13}, {4500, .2}, {4525, .647}}, "1"},
		"no more cut-ins":    {true, []value{{1000, .13}, {2000, .13}}, "1"},
		"cut-ins not known":  {false, []value{{1000, 0}, {2000, 0}}, "1"},
		"some gains nothing": {true, []value{{0, .13}, {2000, .14}}, "1"},
		"nothing":            {true, []value{{0, .13}, {0, .3}}, ""},
	} {
		var all []lever
		for i, v := range tt.values {
			all = append(all, lever{Change: budgets.Change{
				What: string(rune('0' + i)), Would: budgets.State{P95: time.Duration(v.gain), CutIn: budgets.Proportion{Value: v.cutIn}, CutInKnown: tt.known},
			}})
		}
		got := ""
		for _, l := range bought(all, now, func(l *lever) float64 { return float64(l.Would.P95) }) {
			got += l.What
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// named returns the changes whose words begin so, with what they leave of the p95.
func named(c budgets.Changes, what string) (all []string) {
	for _, x := range c.All {
		if strings.HasPrefix(x.What, what) {
			all = append(all, strings.TrimPrefix(x.What, what+": ")+": "+x.Would.P95.Round(time.Millisecond).String())
		}
	}
	return all
}

// A longest wait of 5 s moves the median by nothing and the p95 by seconds: what is shown of it
// is no value of which most of the gain is long had for a fraction of the cut-ins.
func TestLeversOfALongestWait(t *testing.T) {
	s := load(t, "preset-tuned-cloud")
	with, err := s.Voice.Ending.Policy.With("timeout", 5000)
	if err != nil {
		t.Fatal(err)
	}
	s.Voice.Ending = &scenario.Ending{Policy: with, Scores: s.Voice.Ending.Scores, Kinds: s.Voice.Ending.Kinds}
	for budget, want := range map[string][]string{
		"p50(reply) < 800ms": {"2,500 ms in place of 5,000 ms: 2.768s", "1,500 ms in place of 5,000 ms: 1.768s"},
		"p95(reply) < 2s":    {"1,500 ms in place of 5,000 ms: 1.768s"}, // the first that keeps it
		"p95(reply) < 500ms": {"2,500 ms in place of 5,000 ms: 2.768s", "1,500 ms in place of 5,000 ms: 1.768s"},
	} {
		c, err := Levers(t.Context(), s, by(300, budget))
		if err != nil {
			t.Fatal(err)
		}
		if got := named(c, "a shorter longest wait"); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", budget, got, want)
		}
	}
}

// A region that is 2 ms nearer is in the table, and in no sentence; one that brings the reply
// inside is.
func TestLeversOfNothingThatMatters(t *testing.T) {
	s := parse(t, `halfsecond: 1
kind: voice
name: direct
arrivals: {process: closed, users: 1, think: 1s}
voice:
  speech_to_speech: {silence: 400ms, first_audio: 350ms}
  uplink: 31ms
  playout: 42ms
  egress: 10ms
run: {n: 30, seed: 1, target: sim}
`)
	for budget, want := range map[string]bool{"p50(reply) < 800ms": false, "p50(reply) < 832ms": true} {
		c, err := Levers(t.Context(), s, by(30, budget))
		if err != nil {
			t.Fatal(err)
		}
		near := slices.IndexFunc(c.All, func(x budgets.Change) bool { return x.What == "a nearer region" })
		if near < 0 || c.Now.P50 != 833*time.Millisecond || c.All[near].Would.P50 != 831*time.Millisecond {
			t.Fatalf("%s: %+v", budget, c.All)
		}
		if got := c.Best != nil; got != want {
			t.Errorf("%s: best %+v, want one: %t", budget, c.Best, want)
		}
	}
}
