package reply

import "halfsecond/pipeline"

// progress follows the counts that come with output chunks, to tell whether they are a running
// count of what comes, or something else: a placeholder, or one that is told late.
type progress struct {
	first, last *Counts // with the first output, and with the last one; nil before
	// flat says that an output came and the count of the answer did not go up, crossed that it
	// was not the count of its own kind alone, of reasoning or of the answer, that did.
	flat, crossed bool
	// thoughts is how many messages brought reasoning; still says that one of them did not raise
	// the count of it. mixed says that reasoning alone raised the count of the answer.
	thoughts     int
	still, mixed bool
}

// kinds are the kinds of output that a message brought.
type kinds struct{ reasoning, others bool }

func (k kinds) any() bool { return k.reasoning || k.others }

// take takes what is counted up to a message that brought output, nil where it has no count.
func (p *progress) take(now *Counts, came kinds) {
	switch {
	case !came.any():
		return
	case now == nil || now.Answer > MostTokens || now.Reasoning > MostTokens:
		p.flat, p.crossed, p.still = true, true, true
		return
	}
	var before growth
	if p.last != nil {
		before = p.last.grown()
	}
	next := now.grown()
	p.flat = p.flat || next.answer <= before.answer
	p.crossed = p.crossed || came.reasoning && next.reasoning <= before.reasoning || came.others && next.answer <= before.answer ||
		!came.reasoning && p.last != nil && next.reasoning != before.reasoning
	if came.reasoning {
		p.thoughts++
		p.still = p.still || next.reasoning <= before.reasoning
		p.mixed = p.mixed || !came.others && next.answer > before.answer
	}
	if p.last = now; p.first == nil {
		p.first = now
	}
}

// run is a running count of what came of an answer: with its first output and with its last.
type run struct{ first, last int }

// thought reports whether so many tokens of reasoning were counted as they came: each message
// that brought some raised the count of it, two or more to all of it.
func (p *progress) thought(reasoning int) bool {
	return p.thoughts > 1 && !p.still && p.last.Reasoning == reasoning
}

// hidden reports whether, of so many tokens of reasoning, some were not counted with the first
// output.
func (p *progress) hidden(reasoning int) bool {
	return reasoning > 0 && p.first != nil && p.first.Reasoning != reasoning
}

// besides reports whether the counts with the output chunks are those of reasoning beside the
// answer: each chunk raised the count of its own kind alone, up to the last count of the answer
// or one less.
func (p *progress) besides(end *Counts) bool {
	if p.last == nil || p.crossed || p.mixed {
		return false
	}
	late := end.Answer - p.last.Answer
	return late == 0 || late == 1
}

// run returns the running count, read that way; nil where there is none. There is one where
// every output chunk raised it, and, where reasoning is beside the answer, raised that of its
// own kind alone.
func (p *progress) run(how reading) *run {
	if p.last == nil || how.doubted || how.reasoning && p.crossed || !how.reasoning && p.flat {
		return nil
	}
	return &run{p.first.usage(how).Completion, p.last.usage(how).Completion}
}

// opened returns how many tokens of the answer there were with the first output; 0 where no
// running count tells. One tells where at the end it is the count of the answer, or one less,
// for the end may be a token. Of an answer with reasoning it has to have all of that with the
// first output, unless it counts reasoning as it comes: what is told later may have been made
// before the first output or after it.
func (r *Reply) opened() int {
	if r.run == nil || r.hidden && !r.thought {
		return 0
	}
	unsent := r.unsent()
	least := unsent
	if r.Answer().begins() != Reasoning {
		least++
	}
	if late := r.OutputTokens() - r.run.last; (late == 0 || late == 1) && r.run.first >= least {
		return r.run.first
	}
	return 0
}

// withThoughts has chunks whose tokens are counted say those of reasoning too, which are
// beside them.
func withThoughts(outputs []Output) {
	for i := range outputs {
		o := &outputs[i]
		if o.Tokens == pipeline.UnknownCount || o.thoughts < 0 {
			o.Tokens = pipeline.UnknownCount
			continue
		}
		o.Tokens += o.thoughts
	}
}
