package reply

import "halfsecond/pipeline"

// tally keeps the last count of each kind that a stream states. Counts are never
// added up: servers repeat running totals.
type tally struct {
	usage, timings *Counts
	totalled       *Counts // the usage as it was when the last total came; nil for none
	outgrown       bool    // reasoning was once more than the answer

	last   growth // of the last count of the answer
	missed bool   // an output chunk came without a count since
	progress
}

// growth is how many tokens of the answer and of reasoning there are, or were added.
type growth struct{ answer, reasoning int }

// unknownGrowth is that of a message without a count.
var unknownGrowth = growth{pipeline.UnknownCount, pipeline.UnknownCount}

// take keeps the counts of a message and returns how many tokens of the answer, and of
// reasoning, it adds to the running counts.
func (t *tally) take(usage, timings *Counts, came kinds) (added growth) {
	t.timings, t.usage = t.timings.with(timings), t.usage.with(usage)
	if usage != nil {
		t.look()
	}
	now := t.counting(usage, timings)
	t.progress.take(now, came)
	if now == nil {
		t.missed = t.missed || came.any()
		return unknownGrowth
	}
	next := now.grown()
	added = growth{next.answer - t.last.answer, next.reasoning - t.last.reasoning}
	if t.missed || added.answer < 0 || next.answer > MostTokens {
		added = unknownGrowth
	}
	t.last, t.missed = next, false
	return added
}

// look takes from the usage what tells how it is to be read.
func (t *tally) look() {
	if t.usage.Total > 0 {
		t.totalled = t.usage
	}
	t.outgrown = t.outgrown || t.usage.outgrown()
}

// counting returns the counts up to a message that counts the answer, nil where it does not.
func (t *tally) counting(usage, timings *Counts) *Counts {
	switch {
	case usage.countsAnswer():
		return t.usage
	case timings.countsAnswer():
		return t.timings
	}
	return nil
}

// outgrown reports whether reasoning is more than the answer, so that it is no part of it.
func (c *Counts) outgrown() bool {
	return c.Answer != pipeline.UnknownCount && c.Reasoning > c.Answer
}

// grown returns what there is of the answer and of reasoning.
func (c *Counts) grown() growth { return growth{max(0, c.Answer), max(0, c.Reasoning)} }

// result returns the server's counts, nil for none, and where that of the answer came from.
// Timings that have one go before a usage that has none.
func (t *tally) result() (*Counts, string) {
	switch {
	case t.usage != nil && (t.usage.countsAnswer() || t.timings == nil):
		return t.usage, sourceUsage
	case t.timings != nil:
		return t.timings, sourceTimings
	}
	return nil, sourceNone
}

// reading decides how the counts of a source are to be read, those at the end and those with
// the first output alike: as the protocol has it, or else as the last total shows. Where no
// total tells, reasoning that is more than the answer at the end is beside it; and so is what was
// more only before, where the counts with the output chunks bear that out. Else an early count
// was wrong, and none of those is a running count.
func (t *tally) reading(source string) (how reading) {
	c, _ := t.result()
	if source == sourceUsage {
		var told bool
		if t.totalled != nil {
			how, told = t.totalled.byTotal()
			told = told && t.totalled.Reasoning > 0
		}
		if !told {
			how.reasoning = t.usage.outgrown() || t.outgrown && t.besides(t.usage)
		}
		if !told && t.usage.Reasoning > 0 {
			how.rest = 0 // of a total from before that was counted
		}
	}
	how.cache, how.reasoning = how.cache || c.CacheBeside, how.reasoning || c.ReasoningBeside
	how.doubted = t.outgrown && !how.reasoning
	return how
}
