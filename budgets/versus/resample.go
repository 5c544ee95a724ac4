package versus

import (
	"fmt"
	"math"

	"halfsecond/budgets"
	"halfsecond/budgets/quality"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/quantile"
)

// percentiles are the figures of a duration that are compared, ascending.
var percentiles = []quantile.Q{quantile.P50, quantile.P90, quantile.P95, quantile.P99}

// planOf says how interactions, each with its session, are drawn again, and says it in
// words. length is asked for how long blocks of neighbours have to be.
func planOf(sessions []int, length func() int) (quantile.Plan, string) {
	plan := quantile.BySession(sessions, length)
	switch n := plan.Length(); {
	case plan.Groups() > 0:
		return plan, fmt.Sprintf("%d whole sessions", plan.Groups())
	case n > 1:
		return plan, fmt.Sprintf("blocks of %d neighbours in time, for those resemble each other", n)
	}
	return plan, "interactions one by one: neighbours in time do not resemble each other"
}

// alone returns how a run is drawn again by itself.
func (r *Run) alone() draw {
	plan, words := planOf(r.Sessions, func() int { return quantile.BlockLength(r.landings()) })
	return draw{plan: plan, words: words}
}

// landings returns the values that interactions land with, in order of time.
func (r *Run) landings() (values []float64) {
	if len(r.Series) > 0 {
		for _, of := range r.Series[0].Values {
			values = append(values, of...)
		}
	}
	return values
}

// redrawn holds the figures of a run's series in every resample, NaN in one that has no
// value of it.
type redrawn struct {
	plan    quantile.Plan
	samples []quantile.Sample
	answers []quality.Sample // of effective speeds; of others there are none
	worth   []independent    // of shares
	figures [][][]float64    // by series, by figure: percentiles of a duration, else one
}

// independent is how many independent values those of a share are worth. Where they are all alike
// that is not known.
type independent struct {
	n     float64
	known bool
}

// resample draws the members of a run again.
func (d *draw) resample(series []*Series, resamples int, random dist.Rand) redrawn {
	out := d.once(series)
	times, into := make([]int32, d.plan.Members()), make([]float64, len(percentiles))
	for range resamples {
		d.plan.Draw(&random, times)
		for i, s := range series {
			if !s.redraw(&out, i, times, into) {
				for k := range into {
					into[k] = math.NaN()
				}
			}
			for k := range out.figures[i] {
				out.figures[i][k] = append(out.figures[i][k], into[k])
			}
		}
	}
	return out
}

// once returns the series as they are, before any of them is drawn again.
func (d *draw) once(series []*Series) redrawn {
	n := len(series)
	out := redrawn{d.plan, make([]quantile.Sample, n), make([]quality.Sample, n), make([]independent, n), make([][][]float64, n)}
	for i, s := range series {
		values := byMember(d, s.Values)
		out.samples[i], out.answers[i] = quantile.NewSample(values), quality.NewSample(byMember(d, s.Answers))
		if s.Unit == budgets.Share {
			out.worth[i].n, out.worth[i].known = d.plan.Independent(values)
		}
		out.figures[i] = make([][]float64, s.figures())
	}
	return out
}

// inBoth returns the figures of the resamples in which both runs have one.
func inBoth(a, b []float64) (fa, fb []float64) {
	for j := range a {
		if !math.IsNaN(a[j]) && !math.IsNaN(b[j]) {
			fa, fb = append(fa, a[j]), append(fb, b[j])
		}
	}
	return fa, fb
}

// figures returns how many figures a series has.
func (s *Series) figures() int {
	if s.Unit != budgets.Duration {
		return 1
	}
	return len(percentiles)
}

// redraw sets into to the figures of the i-th series in which every member occurs as often as
// times says.
func (s *Series) redraw(of *redrawn, i int, times []int32, into []float64) (ok bool) {
	switch s.Unit {
	case budgets.Duration:
		return of.samples[i].Redrawn(times, percentiles, into)
	case budgets.TokenRate:
		into[0], ok = of.answers[i].Redrawn(times, s.Repair)
	default:
		into[0], ok = of.samples[i].RedrawnMean(times)
	}
	return ok
}

// proportions returns the shares of two runs, each worth as many independent members as
// make it vary as it does when it is drawn again: the effective sample size of surveys, which
// Wilson's interval takes in place of n. A share that does not vary, since all its members are
// alike, is worth as much for each of them as that of the other run: that nothing failed here says
// nothing of how what fails hangs together. Where neither varies each counts.
func proportions(a, b []float64, worthA, worthB independent) (pa, pb quantile.Proportion) {
	each := func(own, other independent, n, others int) float64 {
		switch {
		case own.known:
			return own.n
		case other.known:
			return other.n / float64(others) * float64(n)
		}
		return float64(n)
	}
	pa.Share, _ = quantile.Mean(a)
	pb.Share, _ = quantile.Mean(b)
	pa.N, pb.N = each(worthA, worthB, len(a), len(b)), each(worthB, worthA, len(b), len(a))
	return pa, pb
}

// correlation returns how two figures of the same resamples hang together, -1 to 1; 0
// where one does not vary.
func correlation(a, b []float64) float64 {
	meanA, okA := quantile.Mean(a)
	meanB, okB := quantile.Mean(b)
	spread := math.Sqrt(variance(a) * variance(b))
	if !okA || !okB || spread == 0 {
		return 0
	}
	sum := 0.0
	for j := range a {
		sum += (a[j] - meanA) * (b[j] - meanB)
	}
	return min(1, max(-1, sum/math.Max(1, float64(len(a)-1))/spread))
}

func variance(values []float64) float64 {
	mean, ok := quantile.Mean(values)
	if !ok {
		return 0
	}
	sum := 0.0
	for _, v := range values {
		sum += (v - mean) * (v - mean)
	}
	return sum / math.Max(1, float64(len(values)-1))
}
