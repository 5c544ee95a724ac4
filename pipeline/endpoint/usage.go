package endpoint

import (
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire"
)

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

// take reads the counts of an event and returns how many completion tokens it
// adds to the running count, or UnknownCount. Output says whether it brought any.
func (t *tally) take(c *wire.Chunk, output bool) int {
	now := pipeline.UnknownCount
	if u := timedUsage(c.Timings); u != nil {
		t.timings = merge(t.timings, u)
		now = u.Completion
	}
	if u := statedUsage(c.Usage); u != nil {
		t.usage = merge(t.usage, u)
		now = u.Completion
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

// statedUsage reads a usage object. One without a completion count is none, and so
// is one with nothing but zeros, which some servers send as a placeholder.
func statedUsage(c *wire.UsageCounts) *Usage {
	if c == nil || known(c.CompletionTokens) == pipeline.UnknownCount {
		return nil
	}
	u := &Usage{
		Prompt:     known(c.PromptTokens),
		Completion: *c.CompletionTokens,
		Reasoning:  known(c.CompletionTokensDetails.ReasoningTokens),
		Cached:     known(c.PromptTokensDetails.CachedTokens),
	}
	if u.Cached == pipeline.UnknownCount {
		u.Cached = known(c.PromptCacheHitTokens)
	}
	if u.Completion == 0 && u.Prompt <= 0 {
		return nil
	}
	return u
}

// timedUsage reads the timings of a llama.cpp server, which splits the prompt into
// what it found in its cache and what it evaluated.
func timedUsage(t *wire.Timings) *Usage {
	if t == nil || known(t.PredictedN) == pipeline.UnknownCount {
		return nil
	}
	u := &Usage{
		Prompt:     known(t.PromptN),
		Completion: *t.PredictedN,
		Reasoning:  pipeline.UnknownCount,
		Cached:     known(t.CacheN),
	}
	if u.Prompt != pipeline.UnknownCount && u.Cached != pipeline.UnknownCount {
		u.Prompt += u.Cached
	}
	return u
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
		Completion: next.Completion,
		Reasoning:  keep(old.Reasoning, next.Reasoning),
		Cached:     keep(old.Cached, next.Cached),
	}
}

func known(n *int) int {
	if n == nil || *n < 0 {
		return pipeline.UnknownCount
	}
	return *n
}
