package quantile

import (
	"math"
	"math/rand/v2"
	"testing"

	"halfsecond/pipeline/dist"
)

// world makes samples of a known distribution whose members may depend on each other.
type world struct {
	name      string
	dependent bool
	sample    func(r *rand.Rand) (values []float64, plan Plan)
}

const sampled = 240

// worlds are runs as they come: all have lognormal values whose logarithm is standard
// normal, so that every true quantile is known.
var worlds = []world{
	{"independent", false, func(r *rand.Rand) ([]float64, Plan) {
		values := make([]float64, sampled)
		for i := range values {
			values[i] = math.Exp(r.NormFloat64())
		}
		return values, ByBlock(sampled, BlockLength(values))
	}},
	{"60 sessions of 4, half of the variance between them", true, func(r *rand.Rand) ([]float64, Plan) {
		values, labels := make([]float64, sampled), make([]int, sampled)
		var own [60]float64
		for i := range own {
			own[i] = r.NormFloat64()
		}
		for i := range values {
			labels[i] = i % len(own)
			values[i] = math.Exp(math.Sqrt(.5)*own[labels[i]] + math.Sqrt(.5)*r.NormFloat64())
		}
		return values, ByGroup(labels)
	}},
	{"a queue's memory: AR(1) of .5", true, func(r *rand.Rand) ([]float64, Plan) {
		values := make([]float64, sampled)
		x := r.NormFloat64()
		for i := range values {
			values[i] = math.Exp(x)
			x = .5*x + math.Sqrt(.75)*r.NormFloat64()
		}
		return values, ByBlock(sampled, BlockLength(values))
	}},
}

// coverage returns how often the interval of the difference of two samples from one
// world holds the true difference, zero, for each of the quantiles. naive draws members
// one by one, whatever they depend on.
func coverage(w world, runs int, naive bool, qs []Q) []int {
	const resamples = 199
	rng := rand.New(rand.NewPCG(11, 12))
	covered := make([]int, len(qs))
	times, fa, fb := make([]int32, sampled), make([]float64, len(qs)), make([]float64, len(qs))
	for i := range runs {
		valuesA, planA := w.sample(rng)
		valuesB, planB := w.sample(rng)
		if naive {
			planA, planB = ByBlock(sampled, 1), ByBlock(sampled, 1)
		}
		a, b := single(valuesA), single(valuesB)
		randomA, randomB := dist.Stream(1, "coverage", i, 0), dist.Stream(1, "coverage", i, 1)
		figures := make([][]float64, len(qs))
		for range resamples {
			planA.Draw(&randomA, times)
			a.Redrawn(times, qs, fa)
			planB.Draw(&randomB, times)
			b.Redrawn(times, qs, fb)
			for k := range qs {
				figures[k] = append(figures[k], fb[k]-fa[k])
			}
		}
		for k := range qs {
			if low, high := Central(figures[k], .95); low <= 0 && 0 <= high {
				covered[k]++
			}
		}
	}
	return covered
}

// Of 100 intervals at 95 % about 95 hold the truth: within what chance allows of 400
// (3.3 standard deviations of a binomial, one in a thousand). Drawing one by one what
// depends on each other would hold it less often than chance allows.
func TestCoverage(t *testing.T) {
	const runs = 400
	qs := []Q{P50, P90, P95}
	allowed := 3.3 * math.Sqrt(.95*.05*runs)
	for _, w := range worlds {
		for k, n := range coverage(w, runs, false, qs) {
			t.Logf("%s: %v held in %.1f %% of %d", w.name, qs[k], 100*float64(n)/runs, runs)
			if math.Abs(float64(n)-.95*runs) > allowed {
				t.Errorf("%s: the interval of %v holds the truth in %d of %d, want %.0f and at most %.0f from it", w.name, qs[k], n, runs, .95*runs, allowed)
			}
		}
		if !w.dependent {
			continue
		}
		n := coverage(w, runs, true, qs)[0]
		t.Logf("%s: drawn one by one, %v would hold in %.1f %%", w.name, qs[0], 100*float64(n)/runs)
		if float64(n) > .95*runs-allowed {
			t.Errorf("%s: drawn one by one the interval of the median holds the truth in %d of %d: this world tests nothing", w.name, n, runs)
		}
	}
}

// single returns a sample of one value for each member.
func single(values []float64) Sample {
	ofMember := make([][]float64, len(values))
	for i := range values {
		ofMember[i] = values[i : i+1]
	}
	return NewSample(ofMember)
}
