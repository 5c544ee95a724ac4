package quality

import (
	"fmt"
	"math"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// alike returns n answers, the first k of which are broken.
func alike(n, k int, a Answer) (all []Answer) {
	for i := range n {
		a.Syntax = Parses
		if i < k {
			a.Syntax = Breaks
		}
		all = append(all, a)
	}
	return all
}

// mixed returns them in no order.
func mixed(n, k int, a Answer) []Answer {
	all, random := alike(n, k, a), dist.Stream(1, "mixed")
	for i := range all {
		j := i + random.IntN(n-i)
		all[i], all[j] = all[j], all[i]
	}
	return all
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9*max(1, math.Abs(b)) }

func TestSpeed(t *testing.T) {
	base := Answer{For: 500 * time.Millisecond, Tokens: 20, Characters: 80, Useful: 40}
	untold := func(all []Answer, n int) []Answer {
		for i := range n {
			all[i].Syntax = Untold
		}
		return all
	}
	uncounted := alike(1, 1, Answer{For: time.Second, Tokens: pipeline.UnknownCount, Characters: 10, Useful: 10})
	for _, c := range []struct {
		name    string
		answers []Answer
		repair  time.Duration
		want    [figures]float64
	}{
		{"all parse", alike(4, 0, base), 10 * time.Second, [figures]float64{0, 40, 80, .5, 20}},
		// 3 of 4 answers: 120 useful characters in 2 s; .5 + .25 x 10 s; 30 useful tokens in 2 + 10 s.
		{"a quarter is broken", alike(4, 1, base), 10 * time.Second, [figures]float64{.25, 40, 60, 3, 2.5}},
		{"repair costs nothing", alike(4, 1, base), 0, [figures]float64{.25, 40, 60, .5, 15}},
		{"all are broken", alike(4, 4, base), 2 * time.Second, [figures]float64{1, 40, 0, 2.5, 0}},
		// Of 2 told one is broken: an untold one is worth half of a broken one.
		{"half are untold", untold(alike(4, 3, base), 2), 2 * time.Second, [figures]float64{.5, 40, 40, 1.5, 20. / 6}},
		{"all are untold", untold(alike(4, 1, base), 4), time.Second, [figures]float64{math.NaN(), 40, math.NaN(), math.NaN(), math.NaN()}},
		// Its time and its characters count, but where tokens do.
		{"one is not counted", append(uncounted, alike(1, 0, base)...), time.Second, [figures]float64{.5, 40, 40 / 1.5, 1.25, 20}},
		{"nothing is counted", uncounted, time.Second, [figures]float64{1, math.NaN(), 0, 2, math.NaN()}},
		{"nothing came", alike(1, 0, Answer{For: time.Second}), time.Second, [figures]float64{0, 0, 0, 1, 0}},
		{"none", nil, time.Second, [figures]float64{math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()}},
	} {
		s := Of(c.answers, c.repair, 1)
		for f, got := range []Estimate{s.Broken, s.Tokens, s.Useful, s.Working, s.Effective} {
			want := c.want[f]
			if got.Known == math.IsNaN(want) || got.Known && !near(got.Value, want) || got.HasInterval {
				t.Errorf("%s, figure %d: %+v, want %v", c.name, f, got, want)
			}
		}
		if s.Parsing.Known && !near(s.Parsing.Value, 1-s.Broken.Value) || s.Answers != len(c.answers) || s.Repair != c.repair {
			t.Errorf("%s: %+v", c.name, s)
		}
	}
}

// Drawn one by one, the share has Wilson's interval, and what rests on it alone is where
// the bootstrap of a binomial has it.
func TestIntervals(t *testing.T) {
	answers := mixed(400, 100, Answer{For: time.Second, Tokens: 40, Characters: 100, Useful: 100})
	s := Of(answers, 10*time.Second, 1)
	if s.Drawn != "answers one by one" {
		t.Errorf("drawn: %s", s.Drawn)
	}
	if got := s.Parsing; !near(got.Value, .75) || math.Abs(got.Low-.7054) > 1e-4 || math.Abs(got.High-.7900) > 1e-4 {
		t.Errorf("parsing %+v, want 0.75 from 0.7054 to 0.79", got)
	}
	// 1 + 10 b, b from .25 -+ 1.96 sqrt(.25 x .75 / 400) = .0424.
	if got := s.Working; !near(got.Value, 3.5) || math.Abs(got.Low-3.076) > .06 || math.Abs(got.High-3.924) > .06 {
		t.Errorf("working %+v, want 3.5 from 3.08 to 3.92", got)
	}
	if got := s.Tokens; got.HasInterval || !near(got.Value, 40) {
		t.Errorf("tokens %+v: they do not vary", got)
	}
	if again := Of(answers, 10*time.Second, 1); again != s {
		t.Error("one seed gives two speeds")
	}
}

// Answers of one session that are broken together are worth less than as many independent
// ones.
func TestSessionsAreDrawnWhole(t *testing.T) {
	together := alike(400, 100, Answer{For: time.Second, Tokens: 40, Characters: 100, Useful: 100})
	for i := range together {
		together[i].Session = i / 10
	}
	s := Of(together, time.Second, 1)
	if s.Drawn != "40 whole sessions" {
		t.Errorf("drawn: %s", s.Drawn)
	}
	// As 40 independent ones: .75 with n = 40 is from .598 to .858.
	if got := s.Parsing; math.Abs(got.Low-.598) > .01 || math.Abs(got.High-.858) > .01 {
		t.Errorf("parsing %+v, want from 0.598 to 0.858", got)
	}
}

// So are those that are broken one after the other.
func TestNeighboursAreDrawnTogether(t *testing.T) {
	one := Of(mixed(400, 100, Answer{For: time.Second}), time.Second, 1).Parsing
	s := Of(alike(400, 100, Answer{For: time.Second}), time.Second, 1)
	if got := s.Parsing; s.Drawn == "answers one by one" || got.High-got.Low < 2*(one.High-one.Low) {
		t.Errorf("drawn: %s; parsing %+v, want it wider than twice %+v", s.Drawn, got, one)
	}
}

// That nothing was broken among twenty does not say that nothing will be.
func TestNothingBroken(t *testing.T) {
	s := Of(alike(20, 0, Answer{For: time.Second, Tokens: 40, Characters: 100, Useful: 50}), 10*time.Second, 1)
	// Wilson, 0 of 20: z^2 / (20 + z^2) = .1611.
	const end = 3.841458820694124 / 23.841458820694124
	for name, c := range map[string]struct {
		got             Estimate
		value, low, top float64
	}{
		"broken":    {s.Broken, 0, 0, end},
		"parsing":   {s.Parsing, 1, 1 - end, 1},
		"working":   {s.Working, 1, 1, 1 + 10*end},
		"useful":    {s.Useful, 50, 50 * (1 - end), 50},
		"effective": {s.Effective, 20, 20 * (1 - end) / (1 + 10*end), 20},
	} {
		if !c.got.HasInterval || !near(c.got.Value, c.value) || !near(c.got.Low, c.low) || !near(c.got.High, c.top) {
			t.Errorf("%s %+v, want %v from %v to %v", name, c.got, c.value, c.low, c.top)
		}
	}
}

// That times hang together says nothing of faults: a model without any is worth all its answers,
// and looks better than one with a fault, whatever is drawn together.
func TestFaultlessIsNotWorse(t *testing.T) {
	slowing := func(k int, users int) []Answer {
		all := alike(1000, k, Answer{Tokens: 40, Characters: 100, Useful: 50})
		for i := range all {
			all[i].For, all[i].Session = time.Duration(100+i/100)*time.Millisecond, i%users
		}
		return all
	}
	for name, users := range map[string]int{"blocks": 1, "sessions": 20} {
		none, one, all := Of(slowing(0, users), time.Second, 1), Of(slowing(1, users), time.Second, 1), Of(slowing(1000, users), time.Second, 1)
		if none.Drawn == "answers one by one" {
			t.Fatalf("%s: drawn one by one", name)
		}
		// Wilson, 0 of 1000: z^2 / (1000 + z^2) = .003827.
		const end = 3.841458820694124 / 1003.841458820694124
		if got := none.Parsing; !near(got.Low, 1-end) || got.High != 1 || none.Independent != 1000 {
			t.Errorf("%s, none broken: parsing %+v of %g, want from %g to 1 of 1,000", name, got, none.Independent, 1-end)
		}
		if got := all.Parsing; got.Low != 0 || !near(got.High, end) {
			t.Errorf("%s, all broken: parsing %+v, want from 0 to %g", name, got, end)
		}
		if one.Parsing.Low >= none.Parsing.Low || one.Parsing.High >= none.Parsing.High {
			t.Errorf("%s: one broken %+v, none %+v", name, one.Parsing, none.Parsing)
		}
	}
}

// Where half of the answers cannot be told, a share is worth the other half, and no less.
func TestIntervalOfThoseTold(t *testing.T) {
	answers := mixed(400, 100, Answer{For: time.Second})
	told := Of(answers, time.Second, 1)
	var beside []Answer
	for _, a := range answers {
		beside = append(beside, a, Answer{For: time.Second})
	}
	s := Of(beside, time.Second, 1)
	if s.Told != 400 || s.Independent != told.Independent || s.Parsing != told.Parsing || s.Drawn != told.Drawn {
		t.Errorf("%d told, worth %g, %+v; want 400, %g, %+v", s.Told, s.Independent, s.Parsing, told.Independent, told.Parsing)
	}
	if told.Independent != 400 {
		t.Errorf("worth %g, want 400", told.Independent)
	}
}

// A model of 200 tokens a second that writes broken code loses against one of 40.
func ExampleOf() {
	// 24 tokens after 60 ms: at 200 tokens a second 3 of 10 are broken, at 40 one of 50 is.
	fast := alike(500, 150, Answer{For: 180 * time.Millisecond, Tokens: 24, Characters: 84, Useful: 84})
	sound := alike(500, 10, Answer{For: 660 * time.Millisecond, Tokens: 24, Characters: 84, Useful: 84})
	for _, answers := range [][]Answer{fast, sound} {
		s := Of(answers, DefaultRepair, 1)
		fmt.Printf("%.0f tok/s, %.0f %% parse, working code after %.2f s, effectively %.1f tok/s\n",
			s.Tokens.Value, 100*s.Parsing.Value, s.Working.Value, s.Effective.Value)
	}
	// Output:
	// 133 tok/s, 70 % parse, working code after 3.18 s, effectively 5.3 tok/s
	// 36 tok/s, 98 % parse, working code after 0.86 s, effectively 27.3 tok/s
}
