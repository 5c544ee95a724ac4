package budgets

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"halfsecond/budgets/ghost"
	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// Ghost returns the run of an editor with its ghost text, sorted out; nil of other kinds.
func (a *Analysis) Ghost() *ghost.Run {
	if a.kind.name != pipeline.KindIDE {
		return nil
	}
	return sortedOut(a.withSteps(), leastVisible(&a.Run.Header))
}

// leastVisible returns how long a suggestion must be there to count as shown.
func leastVisible(h *trace.Header) time.Duration {
	return cmp.Or(h.LeastVisible, ghost.DefaultLeastVisible)
}

// sortedOut sorts the traces of an editor out.
func sortedOut(traces []pipeline.Trace, least time.Duration) *ghost.Run {
	all := make([]*pipeline.Trace, len(traces))
	for i := range traces {
		all[i] = &traces[i]
	}
	return ghost.Of(all, ghost.Options{LeastVisible: least})
}

// ghostShare makes a metric that is a share of what a run has. Each trace gives its own part
// of it, which other traces may have to do with: an answer is useful where another key draws
// on it.
func ghostShare(name, formula, over string, least time.Duration, of func(r *ghost.Run) ghost.Share) Metric {
	split := func(traces []pipeline.Trace) []ghost.Share {
		r, parts := sortedOut(traces, least), make([]ghost.Share, len(traces))
		for i := range traces {
			parts[i] = of(r.Only(&traces[i]))
		}
		return parts
	}
	return Metric{Name: name, Unit: Share, Formula: formula, Over: over, split: split, gather: func(traces []pipeline.Trace, p *Pool) {
		p.share(of(sortedOut(traces, least)))
	}}
}

// share files the members of a share.
func (p *Pool) share(s ghost.Share) {
	for i := range s.Of {
		p.put(flag(i < s.N))
	}
}

// Split returns what each interaction gives to a metric, in the order of the run's traces, so
// that together they give what the run does. What another step gives is told of the last
// interaction of the same person before it, or else of the first.
func (a *Analysis) Split(m Metric) []Pool {
	traces := a.Run.Traces
	pools := make([]Pool, len(traces))
	for i := range pools {
		pools[i] = Pool{Metric: m}
	}
	if a.Steps != nil && ofRequests(m.Name) {
		traces = a.withSteps()
	}
	var parts []ghost.Share
	if m.split != nil {
		parts = m.split(traces)
	}
	of := [][]pipeline.Trace{}
	for i := range a.Run.Traces {
		of = append(of, traces[i:i+1:i+1])
	}
	people := peopleOf(a.Run.Traces)
	for i := range traces {
		at := i
		if i >= len(pools) {
			at = max(0, people.before(&traces[i]))
		}
		switch {
		case at >= len(pools): // there are no interactions
		case parts != nil:
			pools[at].share(parts[i])
		case at != i:
			of[at] = append(of[at], traces[i])
		}
	}
	for i := range pools {
		if parts == nil {
			pools[i] = collect(m, of[i])
		}
		slices.Sort(pools[i].Values)
	}
	return pools
}

// people holds the interactions of each person, as places among the traces, in order of time.
type people struct {
	traces []pipeline.Trace
	of     map[int][]int
}

func peopleOf(traces []pipeline.Trace) people {
	p := people{traces, map[int][]int{}}
	for i := range traces {
		p.of[traces[i].Session] = append(p.of[traces[i].Session], i)
	}
	for _, of := range p.of {
		slices.SortStableFunc(of, func(i, j int) int { return cmp.Compare(traces[i].Due, traces[j].Due) })
	}
	return p
}

// before returns which interaction a step is told of: the last of the same person before it, or
// else the first; -1 for none.
func (p *people) before(step *pipeline.Trace) int {
	of := p.of[step.Session]
	after := sort.Search(len(of), func(i int) bool { return p.traces[of[i]].Due > step.Due })
	switch {
	case len(of) == 0:
		return -1
	case after == 0:
		return of[0]
	}
	return of[after-1]
}

// flashShare is the metric of suggestions that nobody can read.
func flashShare(least time.Duration) Metric {
	return ghostShare("flash_share", "suggestions that were gone before the least visible time, and not accepted / suggestions that appeared", appeared, least,
		func(r *ghost.Run) ghost.Share { s := r.Seen(); return ghost.Share{N: s.Flashes, Of: s.Suggestions} })
}

const appeared = "suggestions that appeared"

// ghostMetrics are those that follow from requests, what became of their answers, and what was
// seen of them, whether a key or another step led to them.
var ghostMetrics = []Metric{
	ghostShare("useful_share", "of those keys, the ones whose own request's answer was useful on arrival: shown, now or after trimming", opportunities, 0,
		func(r *ghost.Run) ghost.Share { return r.Worth().OfOpportunities }),
	ghostShare("useful_requests", "requests whose answer was useful / requests", "requests sent, warm-ups aside", 0,
		func(r *ghost.Run) ghost.Share { return r.Worth().OfRequests }),
	ghostShare("useful_answers", "requests whose answer was useful / requests of whose answer text arrived", "answers that arrived", 0,
		func(r *ghost.Run) ghost.Share { return r.Worth().OfAnswers }),
	ghostShare("right_share", "of those answers, the ones that are what was then typed: the first line, as far as it came", "useful answers of which it is known", 0,
		func(r *ghost.Run) ghost.Share { return r.Worth().Right }),
	flashShare(ghost.DefaultLeastVisible),
	ghostShare("flicker_share", "suggestions that go on with one that a step had hidden / suggestions that appeared", appeared, 0,
		func(r *ghost.Run) ghost.Share { s := r.Seen(); return ghost.Share{N: s.Flickers, Of: s.Suggestions} }),
	{
		Name: "lost_edge_share", Unit: Share, Over: "bursts of typing, which a pause of more than 1 s ends",
		Formula: "last keys of bursts after which there is neither a suggestion nor a request / bursts",
		split:   lostEdges,
		gather:  func(traces []pipeline.Trace, p *Pool) { p.share(sortedOut(traces, 0).Edges().Share) },
	},
	{
		Name: "waste_per_useful", Unit: Count, whole: true, Over: "the whole run",
		Formula: "tokens that were evaluated or generated for answers that were not useful, or are known to be wrong / useful answers",
		gather: func(traces []pipeline.Trace, p *Pool) {
			w := sortedOut(traces, 0).Waste()
			if v, ok := w.PerUseful(w.WastedPrompt + w.WastedOutput); ok {
				p.add(v)
			}
		},
	},
}

// lostEdges tells of each trace whether it is the last key of a burst, and lost.
func lostEdges(traces []pipeline.Trace) []ghost.Share {
	parts, places := make([]ghost.Share, len(traces)), make(map[*pipeline.Trace]int, len(traces))
	for i := range traces {
		places[&traces[i]] = i
	}
	sortedOut(traces, 0).EachEdge(func(t *pipeline.Trace, lost bool) {
		part := &parts[places[t]]
		if part.Of++; lost {
			part.N++
		}
	})
	return parts
}

// ofGhost reports whether a metric is one of ghostMetrics, or of answers as code.
func ofGhost(name string) bool {
	return slices.ContainsFunc(slices.Concat(ghostMetrics, qualityMetrics(0)), func(m Metric) bool { return m.Name == name })
}
