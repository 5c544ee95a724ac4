package quantile

import (
	"math"
	"math/rand/v2"
	"testing"

	"halfsecond/pipeline/dist"
)

// each makes members of one value each.
func each(values ...float64) (members [][]float64) {
	for _, v := range values {
		members = append(members, []float64{v})
	}
	return members
}

func TestIndependent(t *testing.T) {
	for _, c := range []struct {
		name    string
		plan    Plan
		members [][]float64
		n       float64
		known   bool
	}{
		{"one by one", ByBlock(4, 1), each(1, 0, 1, 1), 4, true},
		// Four groups of two that are alike: as many as there are groups.
		{"groups that are alike", ByGroup([]int{1, 1, 2, 2, 3, 3, 4, 4}), each(1, 1, 0, 0, 1, 1, 0, 0), 4, true},
		// Groups as mixed as the whole tell more than chance would, and are worth no more than their values.
		{"groups that are mixed", ByGroup([]int{1, 1, 2, 2}), each(1, 0, 1, 0), 4, true},
		// Of sizes 3 and 1, p = 3/4: distances 3/4 and -3/4, squares 9/8; squares of values 3/16 + 9/16; 4 / (9/8 / (3/4)).
		{"groups that differ in size", ByGroup([]int{1, 1, 1, 2}), each(1, 1, 1, 0), 8. / 3, true},
		// Blocks of two of 1 1 0 0: sums 1, 0, -1, 0 about the mean, each as likely, two of them drawn: V = 2 (1/2) / 16.
		{"blocks", ByBlock(4, 2), each(1, 1, 0, 0), 4, true},
		// Of 1 1 1 0 0 0 in blocks of three: 3/2, 1/2, -1/2, -3/2, -1/2, 1/2; 2/6 (2 9/4 + 4 1/4) = 11/6 beside 3/2.
		{"longer blocks", ByBlock(6, 3), each(1, 1, 1, 0, 0, 0), 6 * 9. / 11, true},
		// Of five in blocks of two there are two, and one of one. Of 1 1 0 0 0: distances 3/5 and -2/5;
		// sums of two 6/5, 1/5, -4/5, -4/5, 1/5: squares 2/5 (36+1+16+16+1)/25 + 1/5 6/5 = 34/25 beside 6/5.
		{"a block that is cut", ByBlock(5, 2), each(1, 1, 0, 0, 0), 5 * 30. / 34, true},
		{"members of several, and of none", ByBlock(4, 1), [][]float64{{1, 1}, nil, {0, 0}, nil}, 2, true},
		// p = 1/2, v = 1/16: what varies by a quarter of what it may is worth four times as much.
		{"parts", ByBlock(2, 1), each(.25, .75), 8, true},
		{"alike, one by one", ByBlock(4, 1), each(1, 1, 1, 1), 4, false},
		{"alike in blocks", ByBlock(6, 3), each(0, 0, 0, 0, 0, 0), 2, false},
		{"fewer than a block", ByBlock(6, 3), [][]float64{{1}, nil, nil, nil, nil, nil}, 1, false},
		{"alike in groups", ByGroup([]int{1, 1, 2, 2, 3}), [][]float64{{1}, {1}, {1}, nil, nil}, 2, false},
		{"nothing", ByBlock(2, 1), [][]float64{nil, nil}, 0, false},
		{"nobody", ByBlock(0, 1), nil, 0, false},
	} {
		n, known := c.plan.Independent(c.members)
		if math.Abs(n-c.n) > 1e-12 || known != c.known {
			t.Errorf("%s: %v, %v; want %v, %v", c.name, n, known, c.n, c.known)
		}
	}
}

// What is worked out is what samples drawn again come to.
func TestIndependentIsDrawn(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var members [][]float64
	var labels []int
	for i := range 60 {
		v, with := float64(rng.IntN(2)), 1+rng.IntN(3)
		for range with {
			members, labels = append(members, []float64{v}), append(labels, i)
		}
	}
	for name, plan := range map[string]Plan{"groups": ByGroup(labels), "blocks": ByBlock(len(members), 7)} {
		n, _ := plan.Independent(members)
		random, times, sample := dist.Stream(1, "test"), make([]int32, len(members)), NewSample(members)
		sum, squares, p := 0., 0., 0.
		for range 20_000 {
			plan.Draw(&random, times)
			v, _ := sample.RedrawnMean(times)
			sum, squares = sum+v, squares+v*v
		}
		p = sum / 20_000
		mean, _ := Mean(sample.Values())
		drawn := mean * (1 - mean) / (squares/20_000 - p*p)
		if r := n / drawn; r < .96 || r > 1.04 {
			t.Errorf("%s: worth %.1f, drawn again %.1f of %d", name, n, drawn, len(members))
		}
	}
}
