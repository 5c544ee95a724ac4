package versus

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"halfsecond/budgets"
	"halfsecond/budgets/quality"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/quantile"
)

// Confidence is that of all intervals of one family of rows together, and of each of
// the plain intervals.
const Confidence = .95

// Settings say how to compare. The zero Settings will do.
type Settings struct {
	Matters float64 // share of a duration, a count or a speed below which a difference does not matter; 0 means DefaultMatters
	Seed    uint64  // of the resampling
	Anyway  bool    // compare runs of different scenarios or targets all the same

	resamples int // 0 means what the size of the runs allows
}

// Comparison says of each metric how b differs from a.
type Comparison struct {
	A, B      Facts
	Rows      []Row
	Verdict   Verdict
	Unjudged  []string // why no row can have a word; empty when rows can
	Warnings  []string
	Matters   float64
	Resamples int
	Seed      uint64
	DrawnA    string // how the interactions of each were drawn again, in words
	DrawnB    string
	Pairs     int               // interactions of which the same one of both runs was drawn together; 0 where the runs were drawn each for itself
	Unpaired  string            // why they were; empty for pairs
	Formulas  map[string]string // of each metric of the rows
}

// Row is one figure of one metric in both runs.
type Row struct {
	Metric string
	Figure string // "p50", "p90", "p95" or "p99", "share", "mean" of a count, "rate" of a speed
	Unit   budgets.Unit
	Role   Role
	More   bool // more is better
	NA, NB int  // values, or answers of an effective speed

	// In the unit's base. A and B are meaningless unless Known, which a row of a
	// comparison always is, the rest unless HasInterval.
	A, B        float64
	Known       bool
	HasInterval bool
	Low, High   float64 // of b - a, at the confidence that the row has in its family
	Low95       float64 // of b - a, at 95 % for this row alone
	High95      float64
	Confidence  float64 // of Low to High
	Matters     float64 // how large a difference has to be to matter
	Takes       int     // values in each run that an interval takes, where there are fewer; 0 otherwise

	Word   Word
	Reason string // why it cannot be told; empty for other words

	pair, figure int // where its figures are
}

// By returns b - a.
func (r *Row) By() float64 { return r.B - r.A }

// Of returns what the row's interval is of: a percentile, or the metric itself.
func (r *Row) Of() string {
	if r.Unit == budgets.Duration {
		return r.Figure
	}
	return r.Metric
}

// Relative returns (b - a) / a, and whether there is such a number.
func (r *Row) Relative() (float64, bool) { return r.By() / r.A, r.Known && r.A != 0 }

// Compare says how far run b is from run a. It fails with all reasons, joined, when the
// two are not of one experiment; see Settings.Anyway.
func Compare(a, b *Run, set Settings) (*Comparison, error) {
	if set.Matters == 0 {
		set.Matters = DefaultMatters
	}
	if set.resamples == 0 {
		set.resamples = resamplesFor(max(a.N, b.N))
	}
	c := &Comparison{A: a.Facts, B: b.Facts, Matters: set.Matters, Resamples: set.resamples, Seed: set.Seed, Formulas: map[string]string{}}
	if err := c.check(a, b, set.Anyway); err != nil {
		return nil, err
	}
	if names := missing(a, b); len(names) > 0 && a.N > 0 && b.N > 0 {
		c.warn("not compared: %s", strings.Join(names, ", "))
	}
	pairs := c.pairs(a, b)
	all, slow := withSlow(pairs)
	var inA, inB []*Series
	for _, p := range all {
		inA, inB = append(inA, p[0]), append(inB, p[1])
	}
	var drawnA, drawnB redrawn
	var both sync.WaitGroup
	fromA, fromB := c.draws(a, b)
	stream := 1
	if c.Pairs > 0 {
		stream = 0 // they are drawn alike
	}
	both.Go(func() { drawnA = fromA.resample(inA, set.resamples, dist.Stream(set.Seed, "versus", 0)) })
	both.Go(func() { drawnB = fromB.resample(inB, set.resamples, dist.Stream(set.Seed, "versus", stream)) })
	both.Wait()
	for i := range pairs {
		c.Formulas[inA[i].Name] = inA[i].Formula
		for k := range inA[i].figures() {
			if r := newRow(inA[i], inB[i], k, &drawnA, &drawnB, i); r.Known {
				c.Rows = append(c.Rows, r)
			}
		}
	}
	c.judge(all, slow, &drawnA, &drawnB)
	c.Verdict = overall(c.Rows)
	return c, nil
}

// draws returns how the two runs are drawn again: together where they can be paired.
func (c *Comparison) draws(a, b *Run) (fromA, fromB draw) {
	members, why := pair(a, b)
	if c.Unpaired = why; why != "" {
		fromA, fromB = a.alone(), b.alone()
	} else {
		c.Pairs = shared(members)
		fromA, fromB = drawPairs(a, b, members)
	}
	c.DrawnA, c.DrawnB = fromA.words, fromB.words
	return fromA, fromB
}

// resamplesFor returns how often to draw runs of n interactions again: with 9,999 the
// tails of a family of forty rows still hold six figures each; runs that are large have
// narrow intervals, and time is short.
func resamplesFor(n int) int {
	if n > 20_000 {
		return 1999
	}
	return 9999
}

// pairs returns the series that both runs have, by role, those that say the same as an
// earlier one of their role left out.
func (c *Comparison) pairs(a, b *Run) [][2]*Series {
	var out [][2]*Series
	for role := range Role(len(roleNames)) {
		first := len(out)
		for i := range a.Series {
			sa := &a.Series[i]
			sb := b.series(sa.Name)
			if sa.Role != role || sb == nil || sa.Formula != sb.Formula {
				continue
			}
			again := slices.ContainsFunc(out[first:], func(p [2]*Series) bool { return p[0].equals(sa) && p[1].equals(sb) })
			if sa.Role == Judged || !again {
				out = append(out, [2]*Series{sa, sb})
			}
		}
	}
	return out
}

// equals reports whether two series have the same values, the slower ones too.
func (s *Series) equals(other *Series) bool {
	return s.Unit == other.Unit && slices.EqualFunc(s.Values, other.Values, slices.Equal) && slices.EqualFunc(s.Slow, other.Slow, slices.Equal) && slices.EqualFunc(s.Quick, other.Quick, slices.Equal) &&
		slices.EqualFunc(s.Answers, other.Answers, slices.Equal)
}

// newRow returns the k-th figure of the i-th pair of series, without its interval.
func newRow(a, b *Series, k int, drawnA, drawnB *redrawn, i int) Row {
	va, vb := drawnA.samples[i].Values(), drawnB.samples[i].Values()
	r := Row{Metric: a.Name, Unit: a.Unit, Role: a.Role, More: a.More, NA: len(va), NB: len(vb), pair: i, figure: k}
	var okA, okB bool
	switch a.Unit {
	case budgets.Duration:
		q := percentiles[k]
		r.Figure = q.String()
		r.A, okA = quantile.OfSorted(va, q)
		r.B, okB = quantile.OfSorted(vb, q)
	case budgets.TokenRate:
		r.Figure, r.NA, r.NB = "rate", drawnA.answers[i].N(), drawnB.answers[i].N()
		r.A, okA = drawnA.answers[i].Effective(a.Repair)
		r.B, okB = drawnB.answers[i].Effective(b.Repair)
	default:
		r.Figure = "mean"
		r.A, okA = quantile.Mean(va)
		r.B, okB = quantile.Mean(vb)
	}
	if a.Unit == budgets.Share {
		r.Figure, r.Matters = "share", ShareMatters
	}
	r.Known = okA && okB
	return r
}

// judge gives every row its interval and its word. The rows of one role are a family:
// with m of them that have values enough, each has the confidence 1 - 0.05/m
// (Bonferroni), so that all intervals of the family hold the truth together in 95 of
// 100 comparisons, however the rows hang together. Slow says where what the
// values of a pair may be stands, see withSlow.
func (c *Comparison) judge(pairs [][2]*Series, slow map[int]int, drawnA, drawnB *redrawn) {
	sizes := make([]int, len(roleNames))
	for i := range c.Rows {
		if r := &c.Rows[i]; r.takes(Confidence) == 0 {
			sizes[r.Role]++
		}
	}
	for i := range c.Rows {
		r := &c.Rows[i]
		r.Confidence = 1 - (1-Confidence)/float64(max(1, sizes[r.Role]))
		if r.Unit != budgets.Share {
			r.Matters = c.threshold(r)
		}
		if r.Reason = r.refusal(pairs[r.pair]); r.Reason == "" {
			c.interval(r, drawnA, drawnB)
			c.unseen(r, pairs[r.pair], drawnA, drawnB)
			c.word(r)
			if first, ok := slow[r.pair]; ok {
				c.reconsider(r, func(which int) Row {
					at := first + which
					s := newRow(pairs[at][0], pairs[at][1], r.figure, drawnA, drawnB, at)
					s.Confidence, s.Matters = r.Confidence, c.threshold(&s)
					c.interval(&s, drawnA, drawnB)
					c.word(&s)
					return s
				})
			}
		}
	}
}

// threshold returns how large a difference of durations, counts or speeds has to be to matter.
func (c *Comparison) threshold(r *Row) float64 {
	least := float64(LeastMatters)
	if r.Unit != budgets.Duration || budgets.IsPace(r.Metric) {
		least = 0
	}
	return max(c.Matters*math.Abs(r.A), least)
}

// leastOfMean is of how many values a mean or a speed has an interval, by the convention of
// effective speeds.
const leastOfMean = quality.LeastAnswers

// takes returns how many values an interval takes in each run, 0 where there are enough.
func (r *Row) takes(confidence float64) int {
	n := leastOfMean
	switch r.Unit {
	case budgets.Share:
		return 0
	case budgets.Duration:
		n = quantile.IntervalNeeds(percentiles[r.figure], confidence)
	}
	if min(r.NA, r.NB) < n {
		return n
	}
	return 0
}

// refusal says why a row has no interval, "" when it has one.
func (r *Row) refusal(p [2]*Series) string {
	if r.Unit == budgets.Duration && percentiles[r.figure] != quantile.P50 && (p[0].MedianOnly || p[1].MedianOnly) {
		return "it rests on a component of which only a median is published"
	}
	if r.Takes = r.takes(r.Confidence); r.Takes > 0 {
		return fmt.Sprintf("an interval of %s takes %d values in each run, there are %d and %d", r.Of(), r.Takes, r.NA, r.NB)
	}
	return ""
}

// interval finds both intervals of a row's b - a.
func (c *Comparison) interval(r *Row, drawnA, drawnB *redrawn) {
	r.HasInterval = true
	fa, fb := inBoth(drawnA.figures[r.pair][r.figure], drawnB.figures[r.pair][r.figure])
	if r.Unit == budgets.Share {
		pa, pb := proportions(drawnA.samples[r.pair].Values(), drawnB.samples[r.pair].Values(), drawnA.worth[r.pair], drawnB.worth[r.pair])
		together := 0.0
		if c.Pairs > 0 {
			together = correlation(fa, fb)
		}
		r.Low, r.High = pb.Minus(pa, together, r.Confidence)
		r.Low95, r.High95 = pb.Minus(pa, together, Confidence)
		return
	}
	by := make([]float64, len(fa))
	for j := range by {
		by[j] = fb[j] - fa[j]
	}
	r.Low, r.High = quantile.Central(by, r.Confidence)
	r.Low95, r.High95 = quantile.Central(by, Confidence)
}

// unseen widens the interval of an effective speed of which a run had no broken answer, or no sound
// one: to where its speed is at the end of what the share that is broken may be.
func (c *Comparison) unseen(r *Row, p [2]*Series, drawnA, drawnB *redrawn) {
	if r.Unit != budgets.TokenRate {
		return
	}
	widen := func(low, high *float64, confidence float64) {
		if v, ok := drawnA.answers[r.pair].Beyond(drawnA.plan, p[0].Repair, confidence); ok {
			*low, *high = min(*low, r.B-v), max(*high, r.B-v)
		}
		if v, ok := drawnB.answers[r.pair].Beyond(drawnB.plan, p[1].Repair, confidence); ok {
			*low, *high = min(*low, v-r.A), max(*high, v-r.A)
		}
	}
	widen(&r.Low, &r.High, r.Confidence)
	widen(&r.Low95, &r.High95, Confidence)
}

// word says what a row's interval means.
func (c *Comparison) word(r *Row) {
	if len(c.Unjudged) > 0 {
		r.Reason = c.Unjudged[0]
		return
	}
	if r.Word = wordFor(r.Low, r.High, r.Matters, r.More); r.Word == CannotTell {
		r.Reason = "the interval holds both no difference and one that matters"
	}
}
