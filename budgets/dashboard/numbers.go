package dashboard

import (
	"cmp"
	"slices"
	"time"

	"halfsecond/budgets"
	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
)

// reply is the metric that is voice-to-voice.
const reply = "reply"

// Number is a metric over a run's turns that landed.
type Number struct {
	Metric Metric
	Values []time.Duration // ascending
	// V2V is the sum of the landings of those turns. For a metric of the whole turn it is
	// the values, and what Left has, less Twice, to the nanosecond.
	V2V   time.Duration
	Left  []Left        // what it leaves out, together over the turns, the longest first
	Twice time.Duration // what it counts twice
}

// Left is what a metric leaves out of voice-to-voice.
type Left struct {
	Name  string // a span, or a wait before one
	Takes time.Duration
}

// Turn is one turn's number.
type Turn struct {
	Value time.Duration
	Left  []Left // in the order of the critical path, one a name
	// Twice is what it counts twice, or from before the end of speech: a detector may miss
	// the last of it.
	Twice time.Duration
}

// Of returns the number of a turn; ok is false where the framework would not have one.
func (m *Metric) Of(r *budgets.Replay) (n Turn, ok bool) {
	s := see(r.Trace, r.Trace.Due+r.Value)
	return m.number(&s, r.Path())
}

// number is Of with what a framework sees of the turn, and its critical path.
func (m *Metric) number(s *seen, path []budgets.Segment) (n Turn, ok bool) {
	parts := m.of(s)
	for i, p := range parts {
		if p.from == unknown || p.to == unknown || p.to < p.from && !m.Zero {
			return Turn{}, false
		}
		if p.to < p.from {
			parts[i].to, p.to = p.from, p.from
		}
		n.Value += p.length()
	}
	covered := union(parts)
	n.Twice = n.Value
	for _, c := range covered {
		n.Twice -= max(0, c.to-max(c.from, s.due))
	}
	for _, segment := range path {
		n.leave(segment.Name, segment.For()-overlap(covered, segment.Start, segment.End))
	}
	return n, true
}

func (n *Turn) leave(name string, takes time.Duration) {
	if takes > 0 {
		n.Left = add(n.Left, name, takes)
	}
}

func add(all []Left, name string, takes time.Duration) []Left {
	if i := slices.IndexFunc(all, func(l Left) bool { return l.Name == name }); i >= 0 {
		all[i].Takes += takes
		return all
	}
	return append(all, Left{name, takes})
}

// union returns what stretches cover, without overlaps.
func union(parts []stretch) (out []stretch) {
	sorted := slices.SortedFunc(slices.Values(parts), func(a, b stretch) int { return cmp.Compare(a.from, b.from) })
	for _, p := range sorted {
		if n := len(out); n > 0 && p.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, p.to)
			continue
		}
		out = append(out, p)
	}
	return out
}

// overlap returns how much of a time is covered.
func overlap(covered []stretch, from, to time.Duration) (d time.Duration) {
	for _, c := range covered {
		d += max(0, min(to, c.to)-max(from, c.from))
	}
	return d
}

// Numbers returns what the frameworks would say of a run of voice turns: the metrics that
// any of its turns has. Of turns that others logged it is what their log says, where
// voice-to-voice is known beside it.
func Numbers(a *budgets.Analysis) []Number {
	if a.Run.Header.Kind != pipeline.KindVoice {
		return nil
	}
	replays := a.Replays()
	if len(replays) == 0 || a.Landing().Metric.Name != reply {
		return nil
	}
	ms := of(replays[0].Trace.Fact(pipeline.FactLog))
	all := make([]Number, len(ms))
	for i := range replays {
		r := &replays[i]
		s, path := see(r.Trace, r.Trace.Due+r.Value), r.Path()
		for k := range all {
			all[k].Metric = ms[k]
			if t, ok := ms[k].number(&s, path); ok {
				all[k].count(&t, r.Value)
			}
		}
	}
	all = slices.DeleteFunc(all, func(n Number) bool { return len(n.Values) == 0 })
	for i := range all {
		slices.Sort(all[i].Values)
		slices.SortStableFunc(all[i].Left, func(x, y Left) int { return cmp.Compare(y.Takes, x.Takes) })
	}
	return all
}

func (n *Number) count(t *Turn, v2v time.Duration) {
	n.Values = append(n.Values, t.Value)
	n.V2V += v2v
	n.Twice += t.Twice
	for _, l := range t.Left {
		n.Left = add(n.Left, l.Name, l.Takes)
	}
}

// Quantile returns a percentile of the values, and whether there are enough of them.
func (n *Number) Quantile(q quantile.Q) (time.Duration, bool) { return quantile.OfSorted(n.Values, q) }

// Short returns by how much the metric is less than voice-to-voice, over the turns
// together.
func (n *Number) Short() time.Duration {
	short := n.V2V
	for _, v := range n.Values {
		short -= v
	}
	return short
}
