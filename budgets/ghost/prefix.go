package ghost

import (
	"slices"

	"halfsecond/pipeline"
)

// Prefix is how much of prompts a server had in its cache, and how much of them was as in the
// prompt before.
type Prefix struct {
	Cached Share // tokens of prompts that were in the cache, of requests of which that is known
	Shared Share // tokens of prompts up to the first that differs, of requests of which that is told
	Causes []Drift
}

// Drift is the prompts that differ from the one before for one cause.
type Drift struct {
	Cause    string
	Requests int
	First    []int // the index of the first token that differs, ascending
	Shared   Share // of their tokens
}

// Prefix tells of prompts.
func (r *Run) Prefix() (p Prefix) {
	causes := map[string]*Drift{}
	for i := range r.Requests {
		q := &r.Requests[i]
		if q.CachedTokens != pipeline.UnknownCount && q.PromptTokens > 0 && (q.FirstOutput != pipeline.Unknown || q.Outcome == pipeline.OK) {
			p.Cached.N, p.Cached.Of = p.Cached.N+q.CachedTokens, p.Cached.Of+q.PromptTokens
		}
		cause := q.Trace.Fact(pipeline.FactDiffersBy)
		if cause == "" || len(q.Trace.Requests) != 1 {
			continue
		}
		if causes[cause] == nil {
			causes[cause] = &Drift{Cause: cause}
		}
		causes[cause].add(q)
	}
	var names []Count
	for cause, d := range causes {
		names = append(names, Count{cause, d.Requests})
		slices.Sort(d.First)
		p.Shared.N, p.Shared.Of = p.Shared.N+d.Shared.N, p.Shared.Of+d.Shared.Of
	}
	all := counts{}
	for _, n := range names {
		all[n.Name] = n.N
	}
	for _, n := range all.most() {
		p.Causes = append(p.Causes, *causes[n.Name])
	}
	return p
}

func (d *Drift) add(q *Request) {
	at := number(q.Trace, pipeline.FactDiffersAt)
	d.Requests++
	d.First = append(d.First, at)
	if q.PromptTokens > 0 {
		d.Shared.N, d.Shared.Of = d.Shared.N+min(at, q.PromptTokens), d.Shared.Of+q.PromptTokens
	}
}
