package reply

import "halfsecond/pipeline"

// progress follows the counts that come with output chunks, to tell whether they are a running
// count of what comes, or something else: a placeholder, or one that is told late.
type progress struct {
	first, last *Counts // with the first output, and with the last one; nil before
	// flat says that an output came and the count of the answer did not go up, crossed that it
	// was not the count of its own kind alone, of reasoning or of the answer, that did.
	flat, crossed bool
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
		p.flat, p.crossed = true, true
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
	if p.last = now; p.first == nil {
		p.first = now
	}
}

// run is a running count of what came of an answer: with its first output and with its last.
type run struct{ first, last int }

// run returns the running count, read that way; nil where there is none. There is one where
// every output chunk raised it, and, where reasoning is beside the answer, raised that of its
// own kind alone.
func (p *progress) run(how reading) *run {
	if p.last == nil || how.reasoning && p.crossed || !how.reasoning && p.flat {
		return nil
	}
	return &run{p.first.usage(how).Completion, p.last.usage(how).Completion}
}

// opened returns how many tokens of the answer there were with the first output; 0 where no
// running count tells. One tells where at the end it is the count of the answer, or one less,
// for the end may be a token; or lacks only the reasoning that was not sent, which is taken to
// have been made before.
func (r *Reply) opened() int {
	if r.run == nil {
		return 0
	}
	unsent := r.unsent()
	least := unsent
	if r.Answer().begins() != Reasoning {
		least++
	}
	switch late := r.OutputTokens() - r.run.last; {
	case (late == 0 || late == 1) && r.run.first >= least:
		return r.run.first
	case unsent > 0 && (late == unsent || late == unsent+1):
		return r.run.first + unsent
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
