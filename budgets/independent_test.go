package budgets

import (
	"math"
	"slices"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
	"halfsecond/pipeline/trace"
)

// z2 is the square of the normal quantile at 95 %.
const z2 = 3.841458820694124

// typing returns keys of so many people, each of whom types as many: those that inside says land
// after 100 ms, the others after 200.
func typing(people, each int, inside func(person, i int) bool) (keys []pipeline.Trace) {
	for p := range people {
		for i := range each {
			ttfc := 200 * ms
			if inside(p, i) {
				ttfc = 100 * ms
			}
			k := key(p*each+i, true, ttfc, pipeline.OK)
			k.Session, k.Index = p, i
			keys = append(keys, k)
		}
	}
	return keys
}

// judgement returns that of the one budget of a run.
func judgement(t *testing.T, run trace.Run) *Judgement {
	t.Helper()
	a, err := Analyse(run)
	if err != nil {
		t.Fatal(err)
	}
	return &a.Judgements[0]
}

// A share has Wilson's interval of as many members as are independent of each other: of people
// whose keys go together no more than there are people.
func TestShareInterval(t *testing.T) {
	all := func(int, int) bool { return true }
	for _, c := range []struct {
		name        string
		keys        []pipeline.Trace
		expr        string
		n           int
		independent float64
		low, high   float64
	}{
		// (p + z^2/2n -+ z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n)
		{"one by one", typing(1, 12, func(_, i int) bool { return i%4 > 0 }), "share(ttfc < 150ms) >= 90%", 12, 12, .46769467, .91105833},
		{"of a mean", typing(1, 12, all), "mean(ok_share) >= 90%", 12, 12, 12 / (12 + z2), 1},
		{"more of them", typing(1, 16, func(_, i int) bool { return i%4 > 0 }), "share(ttfc < 150ms) >= 90%", 16, 16, .50501683, .89817933},
		{"people", typing(20, 2, func(p, _ int) bool { return p%4 > 0 }), "share(ttfc < 150ms) >= 90%", 40, 20, .53129912, .88813830},
		{"people, all inside", typing(20, 2, all), "share(ttfc < 150ms) >= 90%", 40, 20, 20 / (20 + z2), 1},
		{"people who are mixed", typing(20, 2, func(_, i int) bool { return i == 0 }), "share(ttfc < 150ms) >= 90%", 40, 40, .35199527, .64800473},
	} {
		j := judgement(t, ideRun(c.keys, c.expr))
		if !j.HasInterval || j.N != c.n || math.Abs(j.Independent-c.independent) > 1e-9 || math.Abs(j.Low-c.low) > 1e-8 || math.Abs(j.High-c.high) > 1e-8 {
			t.Errorf("%s: %v to %v of %d worth %v, want %v to %v of %d worth %v", c.name, j.Low, j.High, j.N, j.Independent, c.low, c.high, c.n, c.independent)
		}
		slices.Reverse(c.keys)
		if again := judgement(t, ideRun(c.keys, c.expr)); again.Low != j.Low || again.Independent != j.Independent {
			t.Errorf("%s: another order of the traces gives another interval", c.name)
		}
	}
}

// Keys of one person that are inside one after the other are worth less than as many others,
// and so are those of which all are inside while the times resemble each other.
func TestShareOfNeighbours(t *testing.T) {
	for name, inside := range map[string]func(i int) bool{
		"some":        func(i int) bool { return i/20%2 == 0 },
		"all of them": func(int) bool { return true },
	} {
		keys := typing(1, 200, func(_, i int) bool { return inside(i) })
		for i := range keys {
			keys[i].Marks[0].At += time.Duration(i/20%2) * ms
		}
		var landings []float64
		members := make([][]float64, len(keys))
		for i := range keys {
			landings, members[i] = append(landings, float64(keys[i].Marks[0].At-keys[i].Due)), []float64{0}
			if inside(i) {
				members[i][0] = 1
			}
		}
		length := quantile.BlockLength(landings)
		want, _ := quantile.ByBlock(200, length).Independent(members)
		if j := judgement(t, ideRun(keys, "share(ttfc < 150ms) >= 90%")); j.Independent != want || length < 5 || want > 50 {
			t.Errorf("%s: worth %v, want %v, in blocks of %d", name, j.Independent, want, length)
		}
	}
}

// Of parts that are all alike nobody knows how far they could vary; of others as far as they do.
func TestShareOfParts(t *testing.T) {
	cached := func(tokens ...int) *Judgement {
		keys := typing(1, len(tokens), func(int, int) bool { return true })
		for i, n := range tokens {
			keys[i].Requests[0].PromptTokens, keys[i].Requests[0].CachedTokens = 100, n
		}
		return judgement(t, ideRun(keys, "mean(cached_share) >= 50%"))
	}
	if j := cached(75, 75, 75); j.HasInterval || j.Value != .75 {
		t.Errorf("%v to %v of 75 %%, want no interval", j.Low, j.High)
	}
	// p = 1/2, v = 1/16: four times what as many of 0 and 1 are worth.
	if j := cached(25, 75, 25, 75); !j.HasInterval || j.Independent != 16 || j.N != 4 {
		t.Errorf("%+v, want an interval of 4 worth 16", j)
	}
	if j := cached(0, 0, 0); j.Low != 0 || j.Independent != 3 {
		t.Errorf("%v to %v, want 0 %% of 3", j.Low, j.High)
	}
}

// Requests of steps count in a share of requests, and what cannot vary from key to key has no
// interval.
func TestShareOfWhom(t *testing.T) {
	keys := typing(1, 12, func(_, i int) bool { return i > 0 })
	step := at(pipeline.KindStep, 0, time.Millisecond)
	step.Requests = []pipeline.Request{pipeline.NewRequest(5000, step.Due), pipeline.NewRequest(5001, step.Due)}
	for i := range step.Requests {
		step.Requests[i].Sent, step.Requests[i].Outcome = step.Due, pipeline.Cancelled
	}
	keys = append(keys, step)
	// Of 14 requests two, both told of the first key: it is 11/7 from the mean, and each of the others
	// -1/7, so that the squares are (121 + 11) / 49, beside 14 1/7 6/7 of single requests.
	j := judgement(t, ideRun(keys, "mean(cancelled_share) < 30%"))
	if want := 14 * 84. / 132; j.N != 14 || math.Abs(j.Independent-want) > 1e-9 {
		t.Errorf("%d requests worth %v, want 14 worth %v", j.N, j.Independent, want)
	}
	for expr, n := range map[string]int{"mean(waste_per_useful) < 30": 0, "mean(requests_per_key) < 2": 12, "max(ttfc) < 1s": 12} {
		if j := judgement(t, ideRun(keys, expr)); j.HasInterval || j.Independent != 0 || j.N != n {
			t.Errorf("%s: %v to %v of %d", expr, j.Low, j.High, j.N)
		}
	}
}

// Of each last key of a burst it is told whether it is lost.
func TestLostEdgesOfKeys(t *testing.T) {
	var keys []pipeline.Trace
	for i := range 16 {
		k := key(i, true, -1)
		k.Due = time.Duration(i) * 2 * time.Second
		if i%2 == 1 { // in one burst with the key before it
			k.Due -= 1500 * ms
		}
		k.End = k.Due
		if i%4 == 1 {
			k.Requests = []pipeline.Request{pipeline.NewRequest(int64(i), k.Due)}
		}
		keys = append(keys, k)
	}
	keys[15].End += 2 * time.Second
	j := judgement(t, ideRun(keys, "mean(lost_edge_share) < 30%"))
	if j.Value != .5 || j.N != 8 || j.Independent != 8 || !j.HasInterval {
		t.Errorf("%+v, want 4 of 8 lost", j)
	}
	a, err := Analyse(ideRun(keys))
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range a.Split(a.Pool("lost_edge_share").Metric) {
		want := []float64(nil)
		if i%2 == 1 {
			want = []float64{float64(i % 4 / 3)}
		}
		if !slices.Equal(p.Values, want) {
			t.Errorf("key %d: %v, want %v", i, p.Values, want)
		}
	}
}
