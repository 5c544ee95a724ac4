package versus

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/budgets"
	"halfsecond/pipeline"
)

// Runs of one scenario and one seed are paired, others are not, and it is said why.
func TestPair(t *testing.T) {
	plain := func() *Run { return runOf(t, header(40), drawn(rand.New(rand.NewPCG(1, 2)), 40, 200*ms)) }
	without := func(i int) func(r *Run) {
		return func(r *Run) {
			*r = *runOf(t, header(40), slices.Delete(drawn(rand.New(rand.NewPCG(1, 2)), 40, 200*ms), i, i+1))
		}
	}
	for _, c := range []struct {
		name   string
		change func(b *Run)
		pairs  int
		why    string
	}{
		{"the same", func(*Run) {}, 40, ""},
		{"one is missing", without(3), 39, ""},
		{"a tenth is missing", func(b *Run) { b.Sessions, b.Indexes = b.Sessions[4:], b.Indexes[4:] }, 36, ""},
		{"more is missing", func(b *Run) { b.Sessions, b.Indexes = b.Sessions[5:], b.Indexes[5:] }, 0, "of 40 interactions only 35 are in both"},
		{"another seed", func(b *Run) { b.Seed = 8 }, 0, "their seeds differ, and with them what they asked"},
		{"another scenario", func(b *Run) { b.ScenarioHash = "x" }, 0, "they are of different scenarios"},
		{"another target", func(b *Run) { b.Target = "mock" }, 0, "they were on different targets"},
		{"an earlier baseline", func(b *Run) { b.Indexes = nil }, 0, "a baseline does not say which interaction a value is of: save it again"},
		{"twice", func(b *Run) { b.Indexes[1] = b.Indexes[0] }, 0, "an interaction is in a run twice"},
	} {
		b := plain()
		c.change(b)
		if members, why := pair(plain(), b); shared(members) != c.pairs || why != c.why {
			t.Errorf("%s: %d pairs, %q; want %d, %q", c.name, shared(members), why, c.pairs, c.why)
		}
	}
}

// Keys of ghost text are paired under two scenarios when they fell due at the same
// instants, from a baseline too, and that is said.
func TestPairKeysOfTwoScenarios(t *testing.T) {
	keys := func(hash string) *Run {
		h := header(40)
		h.Kind, h.ScenarioHash = pipeline.KindIDE, hash
		traces := drawn(rand.New(rand.NewPCG(1, 2)), 40, 200*ms)
		for i := range traces {
			traces[i].Kind = pipeline.KindIDE
		}
		return runOf(t, h, traces)
	}
	saved := func(r *Run) *Run {
		again, err := Read(bytes.NewReader(written(t, r)))
		if err != nil {
			t.Fatal(err)
		}
		return again
	}
	const differ = "they are of different scenarios"
	for _, c := range []struct {
		name   string
		change func(b *Run) *Run
		pairs  int
		why    string
	}{
		{"the same instants", func(b *Run) *Run { return b }, 40, ""},
		{"a baseline", saved, 40, ""},
		{"a key in one only", func(b *Run) *Run { b.Sessions[3], b.Dues[3] = 99, 1; return b }, 39, ""},
		{"a key at another instant", func(b *Run) *Run { b.Dues[39]++; return b }, 0, differ + ", whose keys fell due at other instants"},
		{"an earlier baseline", func(b *Run) *Run { b.Dues = nil; return saved(b) }, 0, differ},
		{"another seed", func(b *Run) *Run { b.Seed = 8; return b }, 0, "their seeds differ, and with them what they asked"},
	} {
		a, b := keys("x"), c.change(keys("y"))
		for range 2 { // either way round
			if members, why := pair(a, b); shared(members) != c.pairs || why != c.why {
				t.Errorf("%s: %d pairs, %q; want %d, %q", c.name, shared(members), why, c.pairs, c.why)
			}
			a, b = b, a
		}
	}
	c := compare(t, keys("x"), keys("y"), Settings{Anyway: true})
	if want := "interactions one by one: neighbours in time do not resemble each other; each key fell due at the same instant in both though their scenarios differ"; c.Pairs != 40 || c.DrawnA != want || c.DrawnB != want {
		t.Errorf("%d pairs, drawn %q and %q, want 40, %q", c.Pairs, c.DrawnA, c.DrawnB, want)
	}
	if c := compare(t, keys("x"), keys("x"), Settings{Anyway: true}); strings.Contains(c.DrawnA, "scenarios") {
		t.Errorf("of one scenario: drawn %q", c.DrawnA)
	}
}

// Each member has the values of one interaction, wherever that is in either run.
func TestMembersAreTheSameInteractions(t *testing.T) {
	traces := drawn(rand.New(rand.NewPCG(1, 2)), 12, 200*ms)
	a := runOf(t, header(12), traces[:11])
	other := slices.Clone(traces[1:])
	for i := range other { // in the other run they were due the other way round
		other[i].Due = time.Duration(12-i) * time.Second
	}
	b := runOf(t, header(12), other)
	members, why := pair(a, b)
	if why != "" || len(members) != 12 {
		t.Fatalf("%d members, %q", len(members), why)
	}
	for _, m := range members {
		if m.a != absent && m.b != absent && a.Indexes[m.a] != b.Indexes[m.b] {
			t.Errorf("interaction %d is paired with %d", a.Indexes[m.a], b.Indexes[m.b])
		}
	}
	if first, last := members[0], members[11]; first != (member{0, absent}) || last.a != absent || b.Indexes[last.b] != 11 {
		t.Errorf("first %+v, last %+v, want what only one run has", first, last)
	}
	da, _ := drawPairs(a, b, members)
	values := byMember(&da, a.Series[0].Values)
	if len(values) != 12 || values[11] != nil || values[3][0] != a.Series[0].Values[3][0] {
		t.Errorf("values by member %v", values)
	}
}

// A run is not compared with itself, nor with a baseline of it; two simulations may well
// be equal.
func TestSameRun(t *testing.T) {
	a := mixed(t)
	again, err := Read(bytes.NewReader(written(t, a)))
	if err != nil {
		t.Fatal(err)
	}
	const want = "runs A and B are the same one: all values of its 60 interactions are equal to the nanosecond"
	for _, b := range []*Run{a, again} {
		if _, err := Compare(a, b, Settings{}); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if c := compare(t, a, again, Settings{Anyway: true}); !slices.Contains(c.Warnings, want) {
		t.Errorf("warnings %q, want %s", c.Warnings, want)
	}
	again.Series[0].Values[5][0]++
	if _, err := Compare(a, again, Settings{}); err != nil {
		t.Errorf("one nanosecond apart: %v", err)
	}
	h := header(60)
	h.Target = "sim"
	sim := runOf(t, h, drawn(rand.New(rand.NewPCG(3, 4)), 60, 200*ms))
	if c := compare(t, sim, sim, Settings{}); c.Pairs != 60 || strings.Contains(strings.Join(c.Warnings, " "), "same run") {
		t.Errorf("two equal simulations: %d pairs, warnings %q", c.Pairs, c.Warnings)
	}
}

// Two runs in which nothing took any time, since everything failed, may well be equal.
func TestFailedRunsAreNotTheSame(t *testing.T) {
	failing := func() *Run {
		traces := drawn(rand.New(rand.NewPCG(1, 2)), 30, 200*ms)
		for i := range traces {
			fail(&traces[i])
		}
		return runOf(t, header(30), traces)
	}
	if _, err := Compare(failing(), failing(), Settings{}); err != nil {
		t.Error(err)
	}
}

// world is a server whose latencies have a known median and p95: exp(.3 z) times 200 ms,
// of which a share is the interaction's own, the same in every run of one seed.
type world struct {
	own   float64 // share of the variance that is the interaction's
	gains float64 // what the second run takes beside the first
}

// run draws a run of n interactions.
func (w world) run(rng *rand.Rand, own []float64, factor float64, seed uint64) *Run {
	r := &Run{Facts: Facts{Kind: "bench", Target: "endpoint", ScenarioHash: "x", Seed: seed, N: len(own)}}
	s := Series{Name: "response", Unit: budgets.Duration}
	for i, z := range own {
		r.Sessions, r.Indexes = append(r.Sessions, i), append(r.Indexes, 0)
		value := factor * 200e6 * math.Exp(.3*(math.Sqrt(w.own)*z+math.Sqrt(1-w.own)*rng.NormFloat64()))
		s.Values = append(s.Values, []float64{math.Round(value)})
	}
	r.Series = []Series{s}
	return r
}

// truth is the true difference of a quantile whose normal one is z.
func (w world) truth(z float64) float64 { return (w.gains - 1) * 200e6 * math.Exp(.3*z) }

func normal(rng *rand.Rand, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = rng.NormFloat64()
	}
	return out
}

// Of 1,000 intervals at 95 % the truth lies in 92 to 98 %, paired and not, for p50 and p95;
// and the more interactions have in common, the narrower are those of pairs. Where they
// have most of it in common those of pairs are still wider than they have to be, never
// narrower: a percentile drawn again jumps from one value to the next.
func TestCoverage(t *testing.T) {
	const trials, n = 1000, 400
	var widths []map[string]float64
	for _, c := range []struct {
		name   string
		world  world
		paired bool
		most   int
	}{
		{"not paired", world{.5, 1.1}, false, 980},
		{"paired, nothing in common", world{0, 1.1}, true, 980},
		{"paired, half of the variance in common", world{.5, 1.1}, true, 980},
		{"paired, 80 % of the variance in common", world{.8, 1.1}, true, trials},
	} {
		held, width := coverage(t, c.world, c.paired, trials, n)
		t.Logf("%s, n %d: p50 held in %.1f %%, %.1f ms wide; p95 in %.1f %%, %.1f ms wide", c.name, n,
			100*float64(held["p50"])/trials, width["p50"]/1e6, 100*float64(held["p95"])/trials, width["p95"]/1e6)
		for figure, n := range held {
			if n < 920 || n > c.most {
				t.Errorf("%s: the interval of %s holds the truth in %d of %d, want 920 to %d", c.name, figure, n, trials, c.most)
			}
		}
		widths = append(widths, width)
	}
	for figure, most := range map[string][2]float64{"p50": {.86, .68}, "p95": {.94, .8}} {
		for i, want := range most {
			if got := widths[2+i][figure] / widths[0][figure]; got > want {
				t.Errorf("%s: pairs make the interval %.2f as wide, want at most %.2f", figure, got, want)
			}
		}
	}
}

// coverage returns how often the interval of each figure held the truth, and how wide it
// was in the mean, in ns.
func coverage(t *testing.T, w world, paired bool, trials, n int) (held map[string]int, width map[string]float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(21, 22))
	held, width = map[string]int{}, map[string]float64{}
	for trial := range trials {
		own := normal(rng, n)
		other, seed := own, uint64(1)
		if !paired {
			other, seed = normal(rng, n), 2
		}
		got := compare(t, w.run(rng, own, 1, 1), w.run(rng, other, w.gains, seed), Settings{resamples: 119, Seed: uint64(trial)})
		if got.Pairs > 0 != paired {
			t.Fatalf("%d pairs, %q, want paired %t", got.Pairs, got.Unpaired, paired)
		}
		for figure, z := range map[string]float64{"p50": 0, "p95": 1.6448536269514722} {
			r := got.row(t, "response", figure)
			if truth := w.truth(z); r.Low95 <= truth && truth <= r.High95 {
				held[figure]++
			}
			width[figure] += (r.High95 - r.Low95) / float64(trials)
		}
	}
	return held, width
}
