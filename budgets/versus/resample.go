package versus

import (
	"fmt"
	"math"

	"halfsecond/budgets"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/quantile"
)

// percentiles are the figures of a duration that are compared, ascending.
var percentiles = []quantile.Q{quantile.P50, quantile.P90, quantile.P95, quantile.P99}

// manySessions is from how many sessions on they are drawn whole. With few groups (five
// to thirty) inference from whole groups finds differences too often. Source: Cameron,
// Gelbach and Miller, "Bootstrap-Based Improvements for Inference with Clustered Errors",
// Review of Economics and Statistics 90, 2008, abstract, read 2026-11-29. The number
// between is by convention.
const manySessions = 20

// plan says how the interactions of a run are drawn again, and says it in words.
func (r *Run) plan() (quantile.Plan, string) {
	distinct := map[int]bool{}
	for _, s := range r.Sessions {
		distinct[s] = true
	}
	if len(distinct) >= manySessions && len(distinct) < len(r.Sessions) {
		return quantile.ByGroup(r.Sessions), fmt.Sprintf("%d whole sessions", len(distinct))
	}
	length := quantile.BlockLength(r.landings())
	if length == 1 {
		return quantile.ByBlock(len(r.Sessions), 1), "interactions one by one: neighbours in time do not resemble each other"
	}
	return quantile.ByBlock(len(r.Sessions), length), fmt.Sprintf("blocks of %d neighbours in time, for those resemble each other", length)
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

// redrawn holds the figures of a run's series in every resample.
type redrawn struct {
	samples []quantile.Sample
	figures [][][]float64 // by series, by figure: percentiles of a duration, the share of a share
	words   string        // how they were drawn
}

// resample draws the interactions of a run again.
func (r *Run) resample(series []*Series, resamples int, random dist.Rand) redrawn {
	plan, words := r.plan()
	out := redrawn{make([]quantile.Sample, len(series)), make([][][]float64, len(series)), words}
	for i, s := range series {
		out.samples[i] = quantile.NewSample(s.Values)
		out.figures[i] = make([][]float64, s.figures())
	}
	times, into := make([]int32, len(r.Sessions)), make([]float64, len(percentiles))
	for range resamples {
		plan.Draw(&random, times)
		for i, s := range series {
			if !s.redraw(out.samples[i], times, into) {
				continue
			}
			for k := range out.figures[i] {
				out.figures[i][k] = append(out.figures[i][k], into[k])
			}
		}
	}
	return out
}

// figures returns how many figures a series has.
func (s *Series) figures() int {
	if s.Unit == budgets.Share {
		return 1
	}
	return len(percentiles)
}

func (s *Series) redraw(sample quantile.Sample, times []int32, into []float64) (ok bool) {
	if s.Unit == budgets.Share {
		into[0], ok = sample.RedrawnMean(times)
		return ok
	}
	return sample.Redrawn(times, percentiles, into)
}

// proportions returns the shares of two runs, each worth as many independent members as
// make it vary as it did when it was drawn again, and never more than it has: the
// effective sample size of surveys, which Wilson's interval takes in place of n. A share
// that does not vary, since all its members are alike, is worth as much for each of them
// as that of the other run: that nothing failed here says nothing of how what fails
// hangs together.
func proportions(a, b, redrawnA, redrawnB []float64) (pa, pb quantile.Proportion) {
	worthA, knownA := worth(a, redrawnA)
	worthB, knownB := worth(b, redrawnB)
	if !knownA {
		worthA = worthB
	}
	if !knownB {
		worthB = worthA
	}
	pa.Share, _ = quantile.Mean(a)
	pb.Share, _ = quantile.Mean(b)
	pa.N, pb.N = worthA*float64(len(a)), worthB*float64(len(b))
	return pa, pb
}

// worth returns how many independent members each of a share's is worth, at most 1.
// Where nothing varies it is 1 and not known.
func worth(values, redrawn []float64) (each float64, known bool) {
	share, _ := quantile.Mean(values)
	v := variance(redrawn)
	if v == 0 || share == 0 || share == 1 {
		return 1, false
	}
	return min(1, share*(1-share)/v/float64(len(values))), true
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
