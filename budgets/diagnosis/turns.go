package diagnosis

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"halfsecond/budgets"
	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
)

// run is what the checks look at.
type run struct {
	*budgets.Analysis
	turns []turn            // that landed, in the order of their being due
	all   []*pipeline.Trace // every voice turn, by session and index
}

// turn is a turn that landed.
type turn struct {
	budgets.Replay
	path []budgets.Segment
}

func newRun(a *budgets.Analysis) *run {
	r := &run{Analysis: a}
	for _, x := range a.Replays() {
		r.turns = append(r.turns, turn{x, x.Path()})
	}
	slices.SortStableFunc(r.turns, func(x, y turn) int { return cmp.Compare(x.Trace.Due, y.Trace.Due) })
	for i := range a.Run.Traces {
		r.all = append(r.all, &a.Run.Traces[i])
	}
	slices.SortStableFunc(r.all, func(x, y *pipeline.Trace) int {
		return cmp.Or(cmp.Compare(x.Session, y.Session), cmp.Compare(x.Index, y.Index))
	})
	return r
}

// took returns how long the spans of these names were at work in the turn, together, and
// whether there is one.
func (t *turn) took(names ...string) (sum time.Duration, ok bool) {
	for i := range t.Trace.Spans {
		if s := &t.Trace.Spans[i]; s.End != pipeline.Unknown && slices.Contains(names, s.Name) {
			sum, ok = sum+s.For(), true
		}
	}
	return sum, ok
}

// first returns the ID of the first span of a name that ended, or NoSpan.
func (t *turn) first(name string) pipeline.SpanID {
	return pipeline.SpanID(slices.IndexFunc(t.Trace.Spans, func(s pipeline.Span) bool {
		return s.Name == name && s.End != pipeline.Unknown
	}))
}

// end returns when the first span of a name ended; Unknown for none.
func (t *turn) end(name string) time.Duration {
	if id := t.first(name); id != pipeline.NoSpan {
		return t.Trace.Spans[id].End
	}
	return pipeline.Unknown
}

// critical reports whether a stage is on the turn's critical path.
func (t *turn) critical(name string) bool {
	return slices.ContainsFunc(t.path, func(s budgets.Segment) bool { return s.Name == name })
}

// lengths returns how long the spans of these names took, of the turns that have one.
func (r *run) lengths(names ...string) []time.Duration {
	var lengths []time.Duration
	for i := range r.turns {
		if d, ok := r.turns[i].took(names...); ok {
			lengths = append(lengths, d)
		}
	}
	return lengths
}

// critical returns the share of turns that a stage was critical in.
func (r *run) critical(name string) float64 {
	n := 0
	for i := range r.turns {
		if r.turns[i].critical(name) {
			n++
		}
	}
	return float64(n) / float64(len(r.turns))
}

// effect is what another length of spans would do to the replies.
type effect struct{ was, would []time.Duration }

// with replays all turns. length is given a turn's spans that ended.
func (r *run) with(length func(t *turn, id pipeline.SpanID, took time.Duration) time.Duration) effect {
	var e effect
	for i := range r.turns {
		t := &r.turns[i]
		e.was = append(e.was, t.Value)
		e.would = append(e.would, t.With(func(id pipeline.SpanID, took time.Duration) time.Duration { return length(t, id, took) }))
	}
	return e
}

// without replays all turns without the stages of these names.
func (r *run) without(names ...string) effect {
	return r.with(func(t *turn, id pipeline.SpanID, took time.Duration) time.Duration {
		if slices.Contains(names, t.Trace.Spans[id].Name) {
			return 0
		}
		return took
	})
}

// gains returns how much sooner each turn would land.
func (e effect) gains() []time.Duration {
	gains := make([]time.Duration, len(e.was))
	for i := range gains {
		gains[i] = e.was[i] - e.would[i]
	}
	return gains
}

// mean returns how much sooner a turn would land on average.
func (e effect) mean() time.Duration { return mean(e.gains()) }

// String says where replies would land.
func (e effect) String() string {
	return fmt.Sprintf("replies land at %s; without it they would at %s", figures(e.was), figures(e.would))
}

func mean(of []time.Duration) time.Duration {
	m, ok := quantile.Mean(of)
	if !ok {
		return 0
	}
	return time.Duration(m)
}

// median returns the median, the lower of two. There must be one.
func median[T cmp.Ordered](of []T) T {
	sorted := slices.Sorted(slices.Values(of))
	return sorted[quantile.P50.Rank(len(sorted))-1]
}

// figures says what the median is, and the 95th percentile where there are enough for one.
func figures(of []time.Duration) string {
	if len(of) == 0 {
		return "unknown"
	}
	text := "p50 " + ms(median(of))
	if p95, ok := quantile.Of(of, quantile.P95); ok {
		text += ", p95 " + ms(p95)
	}
	return text
}

func ms(d time.Duration) string { return budgets.Duration.Format(float64(d)) }

func percent(share float64) string { return budgets.Share.Format(share) }

// ofTurns says how many of the turns that is.
func ofTurns(n, of int) string { return fmt.Sprintf("%d of %d turns", n, of) }
