package reply

import "halfsecond/pipeline"

// Usage is what a server counted. A count that it did not state is
// pipeline.UnknownCount; Completion is always stated.
type Usage struct {
	Prompt     int
	Completion int
	Reasoning  int // part of Completion
	Cached     int // part of Prompt
}

// tally keeps the last count of each kind that a stream states. Counts are never
// added up: servers repeat running totals.
type tally struct {
	usage   *Usage
	timings *Usage

	running int  // the last running count of completion tokens
	missed  bool // an output chunk came without a count since
}

// take keeps the counts of a message and returns how many tokens of the answer it adds
// to the running count, or UnknownCount. Output says whether it brought any.
func (t *tally) take(usage, timings *Usage, output bool) int {
	now := pipeline.UnknownCount
	if timings != nil {
		t.timings = merge(t.timings, timings)
		now = t.timings.Completion
	}
	if usage != nil {
		t.usage = merge(t.usage, usage)
		now = t.usage.Completion
	}
	if now == pipeline.UnknownCount {
		t.missed = t.missed || output
		return pipeline.UnknownCount
	}
	added := now - t.running
	if t.missed || added < 0 {
		added = pipeline.UnknownCount
	}
	t.running, t.missed = now, false
	return added
}

// result returns the server's count and where it came from.
func (t *tally) result() (*Usage, string) {
	switch {
	case t.usage != nil:
		return t.usage, sourceUsage
	case t.timings != nil:
		return t.timings, sourceTimings
	}
	return nil, sourceNone
}

// merge returns old with every count that next states.
func merge(old, next *Usage) *Usage {
	if old == nil {
		return next
	}
	keep := func(a, b int) int {
		if b == pipeline.UnknownCount {
			return a
		}
		return b
	}
	return &Usage{
		Prompt:     keep(old.Prompt, next.Prompt),
		Completion: keep(old.Completion, next.Completion),
		Reasoning:  keep(old.Reasoning, next.Reasoning),
		Cached:     keep(old.Cached, next.Cached),
	}
}
