package reply

import (
	"strings"
	"time"
	"unicode"

	"halfsecond/pipeline"
)

// Kind says what an output chunk holds.
type Kind string

const (
	Text      Kind = "text" // what the user is told, a refusal too
	Reasoning Kind = "reasoning"
	Tool      Kind = "tool" // a tool call's name and arguments
)

// Output is an output chunk: what one event brought of one kind.
type Output struct {
	At     time.Duration // when the event was complete
	Kind   Kind
	Text   string // never empty; of a tool its name and arguments
	Tokens int    // by the server's running count; pipeline.UnknownCount without one

	thoughts int // by its count of reasoning; in Tokens where that is part of the answer
}

// Choice is one of the answers in a Reply.
type Choice struct {
	Index     int
	Text      string
	Reasoning string
	ToolCalls []ToolCall // numbered from 0 by their place
	Finish    string     // the server's word; empty when none came
	Outputs   []Output   // as they came; none in a whole answer
	Summary   bool       // all of the reasoning is a summary, by the protocol
}

// ToolCall is a tool call put together from its pieces.
type ToolCall struct {
	ID, Name, Arguments string
}

// FirstOutput returns the instant of the first output chunk of any kind: TTFT
// counts to here. It is Unknown when there is none, as are the others.
func (c Choice) FirstOutput() time.Duration {
	return c.first(func(Output) bool { return true })
}

// FirstText returns the instant of the first chunk that is not reasoning: TTFO.
func (c Choice) FirstText() time.Duration {
	return c.first(func(o Output) bool { return o.Kind != Reasoning })
}

// FirstSeen returns the instant of the first chunk that is not reasoning and has
// a character other than white space, so that a user can see or hear it: TTFV.
func (c Choice) FirstSeen() time.Duration {
	return c.first(func(o Output) bool {
		return o.Kind != Reasoning && strings.ContainsFunc(o.Text, func(r rune) bool { return !unicode.IsSpace(r) })
	})
}

func (c Choice) first(is func(Output) bool) time.Duration {
	for _, o := range c.Outputs {
		if is(o) {
			return o.At
		}
	}
	return pipeline.Unknown
}

// begins returns the kind of the first output chunk, "" where there is none.
func (c Choice) begins() Kind {
	if len(c.Outputs) == 0 {
		return ""
	}
	return c.Outputs[0].Kind
}

// LastOutput returns the instant of the last output chunk, which ends the request
// for latency and pace.
func (c Choice) LastOutput() time.Duration {
	if len(c.Outputs) == 0 {
		return pipeline.Unknown
	}
	return c.Outputs[len(c.Outputs)-1].At
}

// ICL returns the gaps between output chunks. They are not gaps between tokens;
// 0 means the same read.
func (c Choice) ICL() []time.Duration {
	gaps := make([]time.Duration, 0, len(c.Outputs))
	for i := 1; i < len(c.Outputs); i++ {
		gaps = append(gaps, c.Outputs[i].At-c.Outputs[i-1].At)
	}
	return gaps
}

// leastTogether is how many output chunks at one instant are more than a step of an engine
// makes: drafts of speculative decoding are shorter.
const leastTogether = 8

// Together returns the most output chunks that came at one instant, 0 where those are fewer
// than eight.
func (c Choice) Together() (most int) {
	n := 0
	for i := range c.Outputs {
		if n++; i > 0 && c.Outputs[i].At != c.Outputs[i-1].At {
			n = 1
		}
		most = max(most, n)
	}
	if most < leastTogether {
		return 0
	}
	return most
}

// Burst reports whether three or more output chunks came, all at one time, as a
// proxy that holds the stream back delivers them.
func (c Choice) Burst() bool {
	return len(c.Outputs) >= 3 && c.FirstOutput() == c.LastOutput()
}
