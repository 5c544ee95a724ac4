package reply

import (
	"fmt"

	"halfsecond/pipeline"
)

// What a reader makes of the tokens that a server counts, and of how much came.

// count takes what the message in hand says of tokens and of time. It returns how many
// tokens it adds to the running counts.
func (r *reader) count(came kinds) growth {
	r.reply.Server.Merge(r.step.Server)
	return r.tally.take(r.step.Usage, r.step.Timings, came)
}

// useCount takes what the server counted, as far as that can be.
func (r *reader) useCount() {
	counted, source := r.counted()
	r.reply.Usage, r.reply.Impossible = counted.believed(r.asked, answered{r.amount(), r.reply.Outcome == pipeline.OK})
	r.reply.TokenSource = source
	if r.reply.OutputTokens() == pipeline.UnknownCount {
		r.reply.TokenSource = sourceNone
	}
	if n := r.reply.Beside; n > 0 && r.reply.Outcome == pipeline.OK {
		r.reply.Impossible = append(r.reply.Impossible, fmt.Sprintf("%d tokens in the total beside the prompt and the answer, of which nothing says what they are", n))
	}
	negative, unreadable := r.odd.told(r.reply.Usage)
	r.reply.Impossible, r.reply.Unreadable = append(r.reply.Impossible, negative...), unreadable
}

// counted returns what the server's counts are and where that of the answer came from.
func (r *reader) counted() (*Usage, string) {
	counts, source := r.tally.result()
	if counts == nil {
		return nil, source
	}
	how := r.tally.reading(source)
	r.reply.run = r.tally.run(how)
	r.reply.thought, r.reply.hidden = r.tally.thought(counts.Reasoning), r.tally.hidden(counts.Reasoning)
	reasoned := false
	for _, c := range r.reply.Choices {
		reasoned = reasoned || c.Reasoning != ""
		if how.reasoning {
			withThoughts(c.Outputs)
		}
	}
	usage := counts.usage(how)
	with, doubtful := usage.withBeside(how.rest, reasoned)
	if r.reply.Beside = doubtful; with != usage {
		r.reply.run = nil // it lacks what is beside
	}
	return with, source
}

// amount says how much came of the answer; empty for nothing.
func (r *reader) amount() string {
	switch {
	case r.outputs == 1:
		return "1 chunk"
	case r.outputs > 0:
		return fmt.Sprintf("%d chunks", r.outputs)
	}
	n := 0
	for i := range r.reply.Choices {
		c := &r.reply.Choices[i]
		n += len(c.Text) + len(c.Reasoning)
		for j := range c.ToolCalls {
			n += len(c.ToolCalls[j].Name) + len(c.ToolCalls[j].Arguments)
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d bytes", n)
}
