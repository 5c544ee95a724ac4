package reply

import (
	"fmt"
	"slices"

	"halfsecond/pipeline"
)

// What a reader makes of the tokens that a server counts, and of how much came.

// count takes what the message in hand says of tokens and of time. It returns how many
// tokens of the answer it adds to the running count.
func (r *reader) count(output bool) int {
	r.reply.Server.Merge(r.step.Server)
	if r.step.Usage != nil {
		r.beside = r.step.Beside
	}
	return r.tally.take(r.step.Usage, r.step.Timings, output)
}

// useCount takes what the server counted, as far as that can be.
func (r *reader) useCount() {
	counted, source := r.tally.result()
	r.reply.opened = r.tally.opened
	if source == sourceUsage {
		with, doubtful := counted.withBeside(r.beside, slices.ContainsFunc(r.reply.Choices, func(c Choice) bool { return c.Reasoning != "" }))
		if with != counted {
			r.reply.opened = nil // it lacks what is beside
		}
		counted, r.reply.Beside = with, doubtful
	}
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
