package reply

import (
	"fmt"

	"halfsecond/pipeline"
)

// MostTokens is the most tokens that a server is believed to have counted of a prompt or of
// an answer: as many as the longest context that a model is said to have (LTM-2-mini,
// 2024-08-29), ten times the longest that is served.
const MostTokens = 100_000_000

// addedTokens is how many tokens a server may add to a prompt: its template, instructions
// and tools of its own. Assumed, and generous.
const addedTokens = 100_000

// Usage is what a server counted, as far as that can be. A count that it did not state is
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
	if t.missed || added < 0 || now > MostTokens {
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

// believed returns the usage without what cannot be, nil when that is all of the answer,
// and says what it was. The request had so many bytes; 0 is unknown. A count of reasoning
// may be above that of what can be seen, since it can stay hidden.
func (u *Usage) believed(requestBytes int) (*Usage, string) {
	switch {
	case u == nil:
		return nil, ""
	case u.Completion > MostTokens:
		return nil, fmt.Sprintf("an answer of more than %d tokens", MostTokens)
	case max(u.Prompt, u.Cached) > MostTokens:
		return u.withoutPrompt(), fmt.Sprintf("a prompt of more than %d tokens", MostTokens)
	case requestBytes > 0 && u.Prompt > requestBytes+addedTokens:
		return u.withoutPrompt(), fmt.Sprintf("a prompt of %d tokens in a request of %d bytes", u.Prompt, requestBytes)
	case u.Prompt != pipeline.UnknownCount && u.Cached > u.Prompt:
		return u.withoutPrompt(), fmt.Sprintf("%d tokens in the cache of a prompt of %d", u.Cached, u.Prompt)
	}
	return u, ""
}

// withoutPrompt returns the usage of the answer alone.
func (u *Usage) withoutPrompt() *Usage {
	answer := *u
	answer.Prompt, answer.Cached = pipeline.UnknownCount, pipeline.UnknownCount
	return &answer
}
