package report

import (
	"math"
	"strings"
	"testing"

	"halfsecond/budgets/grid"
)

// A quadratic term is spoken of at the lengths that its parabola was fitted to, which are
// not all where the longest prompts are cut into chunks.
func TestQuadraticOfSomeLengths(t *testing.T) {
	t0 := grid.Trend{Prompts: []int{128, 256, 512, 1024, 2048}, From: 0, To: 3, Fits: true, Bends: true, Shape: grid.Linear}
	for showsAt, want := range map[float64]string{
		700:         "; the quadratic term does not reach 10 % of the linear one within 512 tokens, but by the fit at about 700 tokens",
		6000:        "; the quadratic term does not reach 10 % of the linear one within 512 tokens, nor by the fit within 5,120 tokens",
		300:         "; the quadratic term reaches 10 % of the linear one at about 300 tokens",
		math.Inf(1): "; no quadratic term shows",
	} {
		tr := t0
		tr.ShowsAt = showsAt
		if got := quadratic(&tr); got != want {
			t.Errorf("at %g tokens: %q, want %q", showsAt, got, want)
		}
	}
	tr := t0
	tr.Shape, tr.Rise, tr.Curve = grid.Unclear, grid.Estimate{Value: 3, Low: 3, High: 3}, grid.Estimate{Value: .1, Low: .05, High: .15, Varies: true}
	if got := unclear(&tr, "10 ms for 1,000 tokens"); !strings.Contains(got, "at 512 tokens the quadratic term is") {
		t.Errorf("%q, want the term at 512 tokens", got)
	}
}

// What is on the border of flat or the same does not vary too much: it is on the border.
func TestBorderSentences(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{.04, .06, "grows with the prompt, but not clearly by more than the 5 % that count as flat: +5.0 % (95 % interval +4.0 % to +6.0 %)"},
		{-.06, -.04, "falls with the prompt, but not clearly by more than the 5 % that count as flat: -5.0 % (95 % interval -6.0 % to -4.0 %)"},
		{-.2, .3, "varies too much to tell whether it grows with the prompt: 1 ms for 1,000 tokens"},
	} {
		tr := grid.Trend{Metric: grid.TPOT, Shape: grid.Unclear, Rise: grid.Estimate{Value: (c.low + c.high) / 2, Low: c.low, High: c.high, Varies: true}}
		if got := unclear(&tr, "1 ms for 1,000 tokens"); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{.985, .993, "TPOT -1.1 % (95 % interval -1.5 % to -0.7 %), not clearly more than the 1 % that count as the same"},
		{1.007, 1.015, "TPOT +1.1 % (95 % interval +0.7 % to +1.5 %), not clearly more than the 1 % that count as the same"},
		{.9, 1.1, "TPOT 0 % (95 % interval -10.0 % to +10.0 %), which varies too much to tell"},
	} {
		e := grid.Effect{Metric: grid.TPOT, Change: grid.Undecided, Overall: grid.Estimate{Value: (c.low + c.high) / 2, Low: c.low, High: c.high, Varies: true}}
		if got := effectWords(&e); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	e := grid.Effect{Of: grid.Key{Model: "a"}, Beside: grid.Key{Model: "b"}, Metric: grid.TTFT, Prompts: []int{128}, Change: grid.Undecided, Overall: grid.Estimate{Value: 1.014, Low: 1.004, High: 1.024, Varies: true}}
	if got, want := duelSentence(&e), "b is 1.01 times as fast as a to the first token (95 % interval 1.00 to 1.02), which is not clearly more than the 1 % that count as the same, geometric mean over prompts of 128 tokens."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Requests that give way may do so more than once.
func TestCacheSentence(t *testing.T) {
	for _, c := range []struct {
		cache Cache
		want  string
	}{
		{Cache{Peak: 1, FullSteps: .5, Preemptions: 3, TokensMoved: 1}, "; requests gave way 3 times and 1 token was moved."},
		{Cache{Peak: 1, FullSteps: .5, TokensMoved: 2000}, "; 2,000 tokens were moved."},
		{Cache{Peak: 1, FullSteps: .5, Preemptions: 1}, "; requests gave way 1 time."},
		{Cache{Peak: 1, FullSteps: .5}, "; nobody gave way."},
	} {
		s := &BenchSample{N: 2, P50: 10}
		b := &Bench{Cells: []BenchCell{
			{Model: "m", Variant: "v", PromptTokens: 100, TTFT: s, TPOT: s, KV: &Cache{Peak: .5}},
			{Model: "m", Variant: "v", PromptTokens: 200, TTFT: s, TPOT: s, KV: &c.cache},
		}}
		if got := b.cacheSentence(grid.Key{Model: "m", Variant: "v"}); !strings.HasSuffix(got, c.want) {
			t.Errorf("%q, want %q at its end", got, c.want)
		}
	}
}
