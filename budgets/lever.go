package budgets

import (
	"cmp"
	"math"
	"slices"
	"time"

	"halfsecond/pipeline"
)

// Lever is one stage, or several, whose shortening moves the value of a budget.
//
// A lever is found by replaying every recorded interaction with only those
// stages shortened: the same requests, the same waits between spans, the same
// outcomes.
type Lever struct {
	Stages []string // one or two, or what belongs together, see Reason
	AtZero float64  // the budget's value if they took no time
	Enough bool     // AtZero is inside the limit
	// Cap is the longest that the one stage may ever take for the budget to be
	// inside; Unknown unless Enough and alone.
	Cap time.Duration
	// Keep is the largest whole percentage of their recorded lengths that the
	// stages may keep together; 0 for one stage.
	Keep int
	// Cut is the share of the stages' recorded time that has to go to get there,
	// 0 unless Enough.
	Cut float64
}

// landed is an interaction with a value of its kind's landing metric.
type landed struct {
	trace *pipeline.Trace
	value time.Duration // landing - due
}

func (l landed) graph(mark string) graph { return newGraph(l.trace, mark, l.trace.Due+l.value) }

// replayer holds the interactions that a budget judges, ready to be replayed.
type replayer struct {
	budget     Budget
	population int
	graphs     []graph
	tails      [][]time.Duration // of the graphs, see graph.tails
	lost       []lost
	stages     []string // that any landing waited for, in order of appearance
}

// lost is an interaction that was given up while a stage was at work: how long it
// would have been is unknown, but had it been shorter than what it took until then,
// by as much as what comes after it takes, the interaction would have landed.
type lost struct {
	stage  string
	before []leg         // what it waited for, one after the other, before the stage
	atWork time.Duration // from the start of the stage until it was given up
	after  []leg         // what is taken to come after the stage
	beside leg           // what runs from the beginning on beside all of them, and is waited for too
	last   leg           // what comes when all that is over
}

// leg is a stage and how long it takes.
type leg struct {
	stage string
	takes time.Duration
}

// landing returns landing - due with each stage as short as a function says, far outside
// any limit when it does not land. What is given up by a step is so however soon the
// stage ended, so that what comes after it has to be over by then too.
func (l lost) landing(short func(stage string, took time.Duration) time.Duration) time.Duration {
	sum, until := time.Duration(0), l.atWork
	for _, p := range l.before {
		sum, until = sum+short(p.stage, p.takes), until+p.takes
	}
	at := short(l.stage, l.atWork)
	if at >= l.atWork { // no shorter than it was at work already: how long it takes is not known
		return math.MaxInt64
	}
	sum += at
	for _, p := range l.after {
		sum += short(p.stage, p.takes)
	}
	if sum = max(sum, short(l.beside.stage, l.beside.takes)) + short(l.last.stage, l.last.takes); sum >= until {
		return math.MaxInt64
	}
	return sum
}

// at returns landing - due with the stage capped.
func (l lost) at(limit time.Duration) time.Duration {
	return l.landing(func(stage string, took time.Duration) time.Duration {
		if stage == l.stage {
			return min(limit, took)
		}
		return took
	})
}

// lostOf returns what is known of an interaction that did not land, if it was
// given up at a stage.
func lostOf(t *pipeline.Trace) (l lost, ok bool) {
	if len(t.Requests) == 0 {
		return lost{}, false
	}
	r := &t.Requests[len(t.Requests)-1]
	for _, s := range t.Spans {
		if s.End == pipeline.Unknown && r.Outcome == pipeline.Cancelled && r.End != pipeline.Unknown {
			return lost{stage: s.Name, before: []leg{{"", s.Start - t.Due}}, atWork: r.End - s.Start}, true
		}
	}
	return lost{}, false
}

// lostOfAll returns what is known of interactions that did not land.
func lostOfAll(missing []*pipeline.Trace) (all []lost) {
	for _, t := range missing {
		if l, ok := lostOf(t); ok {
			all = append(all, l)
		}
	}
	return all
}

func newReplayer(b Budget, population int, mark string, all []landed, gone []lost) *replayer {
	r := &replayer{budget: b, population: population}
	seen := map[string]bool{}
	for _, l := range gone {
		if b.Function == ShareWhere {
			r.lost = append(r.lost, l)
			if !seen[l.stage] {
				seen[l.stage] = true
				r.stages = append(r.stages, l.stage)
			}
		}
	}
	for _, l := range all {
		g := l.graph(mark)
		tails := g.tails()
		r.graphs, r.tails = append(r.graphs, g), append(r.tails, tails)
		for id, tail := range tails {
			if name := l.trace.Spans[id].Name; tail != pipeline.Unknown && g.took(pipeline.SpanID(id)) > 0 && !seen[name] {
				seen[name] = true
				r.stages = append(r.stages, name)
			}
		}
	}
	return r
}

// levers returns one lever a stage: those that are enough, the smallest cut
// first, then the others by the value they would leave. When none is enough alone
// and there is a pair that is, the best pair comes before them.
func (r *replayer) levers() []Lever {
	var levers []Lever
	alone := false
	for _, stage := range r.stages {
		l := r.single(stage)
		alone = alone || l.Enough
		levers = append(levers, l)
	}
	if !alone {
		levers = append(levers, r.bestPair()...)
	}
	slices.SortStableFunc(levers, func(a, b Lever) int {
		if a.Enough && b.Enough {
			return cmp.Compare(a.Cut, b.Cut)
		}
		return r.stronger(a, b)
	})
	return levers
}

// stronger orders levers by the value each leaves, best first.
func (r *replayer) stronger(a, b Lever) int {
	if r.budget.Limit.Comparison.upper() {
		return cmp.Compare(a.AtZero, b.AtZero)
	}
	return cmp.Compare(b.AtZero, a.AtZero)
}

// single finds what capping one stage does.
func (r *replayer) single(stage string) Lever {
	responses := make([]response, len(r.graphs))
	longest := time.Duration(0)
	for i := range r.graphs {
		responses[i] = r.response(i, stage)
		longest = max(longest, responses[i].longest)
	}
	saved := slices.DeleteFunc(slices.Clone(r.lost), func(l lost) bool { return l.stage != stage })
	for _, l := range saved {
		longest = max(longest, l.atWork)
	}
	values := make([]float64, 0, len(responses)+len(saved))
	at := func(limit time.Duration) []float64 {
		values = values[:0]
		for i := range responses {
			values = append(values, float64(responses[i].at(limit)))
		}
		for _, l := range saved {
			values = append(values, float64(l.at(limit)))
		}
		return values
	}
	l := Lever{Stages: []string{stage}, Enough: r.met(at(0)), Cap: pipeline.Unknown}
	if l.Enough {
		l.Cap = time.Duration(last(int64(longest), func(n int64) bool { return r.met(at(time.Duration(n))) }))
		l.Cut = r.cut(stage, l.Cap)
	}
	l.AtZero = r.value(at(0))
	return l
}

// cut returns the share of the recorded time of a stage that a cap takes away.
func (r *replayer) cut(stage string, limit time.Duration) float64 {
	var all, over time.Duration
	for i := range r.graphs {
		for id, tail := range r.tails[i] {
			if tail != pipeline.Unknown && r.graphs[i].trace.Spans[id].Name == stage {
				took := r.graphs[i].took(pipeline.SpanID(id))
				all, over = all+took, over+max(took-limit, 0)
			}
		}
	}
	for _, l := range r.lost {
		if l.stage == stage {
			all, over = all+l.atWork, over+max(l.atWork-limit, 0)
		}
	}
	return float64(over) / float64(all)
}

// bestPair returns the pair of stages that may keep the most of what they took,
// the first of several, if there is a pair that is enough at all.
func (r *replayer) bestPair() []Lever {
	var pairs [][]string
	for i, a := range r.stages {
		for _, b := range r.stages[i+1:] {
			pairs = append(pairs, []string{a, b})
		}
	}
	return r.best(pairs)
}

// among returns groups of stages without those that nothing waited for, and without what is
// then no group.
func (r *replayer) among(groups [][]string) (some [][]string) {
	for _, group := range groups {
		group = slices.DeleteFunc(slices.Clone(group), func(stage string) bool { return !slices.Contains(r.stages, stage) })
		if len(group) > 1 {
			some = append(some, group)
		}
	}
	return some
}

// best returns the group of stages that may keep the most of what they took, the first of
// several, if there is one that is enough at all.
func (r *replayer) best(groups [][]string) []Lever {
	best, found := Lever{Enough: true, Cap: pipeline.Unknown, Keep: -1}, false
	for _, group := range groups {
		kept := func(percent int64) bool { return r.met(r.scaled(percent, group...)) }
		if kept(int64(best.Keep + 1)) { // most groups are done with after this one replay
			best.Stages, best.Keep, found = group, int(last(100, kept)), true
		}
	}
	if !found {
		return nil
	}
	best.AtZero = r.value(r.scaled(0, best.Stages...))
	best.Cut = float64(100-best.Keep) / 100
	return []Lever{best}
}

// scaled returns the values with some stages cut to a percentage, with those of interactions
// that were given up at one of them.
func (r *replayer) scaled(percent int64, stages ...string) []float64 {
	values := r.replayed(percent, stages...)
	for _, l := range r.lost {
		values = append(values, float64(l.landing(func(stage string, took time.Duration) time.Duration {
			if slices.Contains(stages, stage) {
				return took * time.Duration(percent) / 100
			}
			return took
		})))
	}
	return values
}

// replayed returns the values of what landed with some stages cut to a percentage.
func (r *replayer) replayed(percent int64, stages ...string) []float64 {
	values := make([]float64, len(r.graphs))
	for i := range r.graphs {
		g := &r.graphs[i]
		landing := g.replay(func(id pipeline.SpanID) time.Duration {
			took := g.took(id)
			if slices.Contains(stages, g.trace.Spans[id].Name) {
				return took * time.Duration(percent) / 100
			}
			return took
		})
		values[i] = float64(landing - g.trace.Due)
	}
	return values
}

// last returns the largest n below limit for which f holds. f holds for 0, does
// not for limit, and changes once.
func last(limit int64, f func(n int64) bool) int64 {
	holds, fails := int64(0), limit
	for fails-holds > 1 {
		if mid := holds + (fails-holds)/2; f(mid) {
			holds = mid
		} else {
			fails = mid
		}
	}
	return holds
}

// value evaluates the budget; it sorts the values.
func (r *replayer) value(values []float64) float64 {
	slices.Sort(values)
	v, _ := r.budget.evaluate(values, r.population)
	return v
}

// met reports whether the values, in any order, keep a budget whose bound is an
// upper one. A quantile does so when as many members as its rank are inside.
func (r *replayer) met(values []float64) bool {
	b := r.budget
	switch b.Function {
	case Mean:
		v, ok := mean(values, b.Metric.Unit)
		return ok && b.Limit.Holds(v)
	case Quantile:
		return b.inside(values) >= b.Q.Rank(len(values))
	case Max:
		return b.inside(values) == len(values)
	default:
		return b.Limit.holdsFor(b.inside(values), r.population)
	}
}

// response is the landing of one interaction, as a function of a cap on one
// stage: the later of the best way around the stage, and the way through it.
type response struct {
	floor   time.Duration // landing - due with the stage at zero
	through time.Duration // the way through the stage without the stage's own time; far below zero when there is none
	longest time.Duration // longest that the stage took

	// A stage that comes more than once has no such form and is replayed.
	replay func(limit time.Duration) time.Duration
}

func (r *response) at(limit time.Duration) time.Duration {
	if r.replay != nil {
		return r.replay(limit)
	}
	return max(r.floor, r.through+min(limit, r.longest))
}

// response finds how interaction i depends on the stage.
func (r *replayer) response(i int, stage string) response {
	g, due := &r.graphs[i], r.graphs[i].trace.Due
	capped := func(limit time.Duration) time.Duration {
		return g.replay(func(id pipeline.SpanID) time.Duration {
			if g.trace.Spans[id].Name == stage {
				return min(limit, g.took(id))
			}
			return g.took(id)
		}) - due
	}
	out := response{floor: g.landing - due, through: math.MinInt64 / 2}
	for n, id := 0, pipeline.SpanID(0); int(id) < len(r.tails[i]); id++ {
		if r.tails[i][id] == pipeline.Unknown || g.trace.Spans[id].Name != stage {
			continue
		}
		if n++; n > 1 {
			out.replay = capped
		}
		out.floor = capped(0)
		out.through = g.trace.Spans[id].Start - due + r.tails[i][id]
		out.longest = max(out.longest, g.took(id))
	}
	return out
}
