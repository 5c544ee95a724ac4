package reply

import (
	"net/http"
	"slices"
	"time"

	"halfsecond/pipeline"
)

// Reply is what one response said and when. Instants are on the clock that the
// reader was given; one that was not observed is pipeline.Unknown.
type Reply struct {
	Outcome pipeline.Outcome // OK, Error or Truncated
	Failure *Failure         // what was reported or went wrong; nil when nothing did

	Status     int
	Header     http.Header
	RetryAfter time.Duration // what the server asked for; Unknown when it did not
	Compressed bool          // the body had a content coding
	Whole      bool          // one JSON answer, not a stream

	Began     time.Duration // the reader began to read: status and headers were there
	FirstByte time.Duration // first byte of the body, whatever it is
	// End is when the end event or the error event was complete or, when there
	// was neither, when the body ended.
	End  time.Duration
	Done bool // the end event came
	// BodyEnded and BodyBroken say that the body came to its end, or broke off; neither
	// holds when the reader had enough before.
	BodyEnded, BodyBroken bool

	// Unread counts messages of a stream that are no valid JSON, and were left out. One that
	// the end of the body cut is none of them.
	Unread  int
	Mangled int // messages of a stream that are no UTF-8, of which U+FFFD was read in places

	Choices []Choice // by index, each kept apart
	Usage   *Usage   // what the server counted; nil when it did not
	// Impossible is what it counted that cannot be, and Unreadable what it stated in place of
	// a number, each in words behind "it counts" and "it states". Neither is in Usage.
	Impossible, Unreadable []string
	Beside                 int    // tokens of its total that are in no count, and of which nobody knows what they are
	TokenSource            string // of the tokens of the answer: "usage", "timings" or "none"
	Server                 pipeline.ServerTime

	run      *run // the server's running count of what came; nil where it has none
	thought  bool // its running count of reasoning went up with each chunk of that, to all of it
	hidden   bool // its running count had not all of the reasoning with the first output
	streamed bool // it was read as a stream
	endless  bool // its protocol has no end event
}

// None returns the Reply of a request that got no response, as was known at that instant.
func None(at time.Duration, cause error) *Reply {
	return &Reply{
		Outcome: pipeline.Error, Failure: &Failure{Kind: BadLink, Cause: cause},
		RetryAfter: pipeline.Unknown, Began: pipeline.Unknown, FirstByte: pipeline.Unknown, End: at,
		TokenSource: sourceNone, Server: pipeline.NewServerTime(),
	}
}

// Names of what a Reply counted tokens from, as they stand in traces.
const (
	sourceUsage   = "usage"
	sourceTimings = "timings"
	sourceNone    = "none"
)

// Flag names of Reply.Flags.
const (
	FlagNoUsage         = "no_usage"             // complete, and the server counted nothing
	FlagNoDone          = "no_done"              // a stream without an end event
	FlagNoFinishReason  = "no_finish_reason"     // a stream without a finish reason
	FlagTokensExceed    = "tokens_exceed_chunks" // at least 1.5 tokens an output chunk
	FlagBurst           = "burst_delivery"       // 3 or more output chunks, all at one time
	FlagReasoning       = "reasoning"            // a reasoning chunk came
	FlagCompressed      = "compressed"           // the body had a content coding
	FlagNonStreaming    = "non_streaming"        // one JSON answer to a streaming request
	FlagMultipleChoices = "multi_choice"         // more than one choice
)

// Answer returns choice 0, which the figures of a Reply are about; the first one that came
// where that did not. It is empty when the reply has none.
func (r *Reply) Answer() Choice {
	if len(r.Choices) == 0 {
		return Choice{}
	}
	return r.Choices[max(0, slices.IndexFunc(r.Choices, func(c Choice) bool { return c.Index == 0 }))]
}

// OutputTokens returns the server's count, or pipeline.UnknownCount.
func (r *Reply) OutputTokens() int {
	if r.Usage == nil {
		return pipeline.UnknownCount
	}
	return r.Usage.Completion
}

// PromptTokens returns the server's count, or pipeline.UnknownCount.
func (r *Reply) PromptTokens() int {
	if r.Usage == nil {
		return pipeline.UnknownCount
	}
	return r.Usage.Prompt
}

// CachedTokens returns the server's count, or pipeline.UnknownCount.
func (r *Reply) CachedTokens() int {
	if r.Usage == nil {
		return pipeline.UnknownCount
	}
	return r.Usage.Cached
}

// TPOT returns the time per output token after the first:
//
//	(last output - first output) / (output tokens - 1)
//
// It is Unknown with fewer than 2 tokens, with several choices, whose tokens the
// server counts together, and where all came at one instant, which tells nothing.
func (r *Reply) TPOT() time.Duration {
	return r.pace(r.Answer().FirstOutput(), r.OutputTokens()-1)
}

// DecodeTPOT returns TPOT over the tokens that came after the first output chunk,
// which may hold several. It needs a server that states a running count with each
// output chunk, see opened, and is Unknown otherwise.
func (r *Reply) DecodeTPOT() time.Duration {
	a := r.Answer()
	if r.opened() == 0 {
		return pipeline.Unknown
	}
	tokens := 0
	for i, o := range a.Outputs {
		if o.Tokens == pipeline.UnknownCount {
			return pipeline.Unknown
		}
		if i > 0 {
			tokens += o.Tokens
		}
	}
	return r.pace(a.FirstOutput(), tokens)
}

// VisibleTPOT returns TPOT of the answer without its reasoning, which a user waits
// for but does not see. It needs a server that states how many tokens were
// reasoning, and is Unknown otherwise.
func (r *Reply) VisibleTPOT() time.Duration {
	if r.Usage == nil || r.Usage.Reasoning == pipeline.UnknownCount {
		return pipeline.Unknown
	}
	return r.pace(r.Answer().FirstText(), r.Usage.Completion-r.Usage.Reasoning-1)
}

// pace returns the time from an instant to the last output by the steps between; Unknown where
// that is one instant.
func (r *Reply) pace(from time.Duration, steps int) time.Duration {
	a := r.Answer()
	if steps < 1 || from == pipeline.Unknown || len(r.Choices) > 1 || a.Burst() {
		return pipeline.Unknown
	}
	span := a.LastOutput() - from
	if span == 0 {
		return pipeline.Unknown
	}
	return span / time.Duration(steps)
}

// Flags returns the names of what is odd about the reply, in the order above.
func (r *Reply) Flags() []string {
	a := r.Answer()
	complete := r.Outcome == pipeline.OK
	readable := r.streamed && (complete || r.Outcome == pipeline.Truncated)
	tokens := r.OutputTokens()
	flags := []string{}
	add := func(name string, set bool) {
		if set {
			flags = append(flags, name)
		}
	}
	add(FlagNoUsage, complete && r.TokenSource == sourceNone)
	add(FlagNoDone, readable && !r.Done && !r.endless)
	add(FlagNoFinishReason, readable && a.Finish == "")
	add(FlagTokensExceed, r.streamed && len(r.Choices) <= 1 && tokens > 0 && 2*tokens >= 3*len(a.Outputs))
	add(FlagBurst, a.Burst())
	add(FlagReasoning, r.reasoned())
	add(FlagCompressed, r.Compressed)
	add(FlagNonStreaming, r.Whole)
	add(FlagMultipleChoices, len(r.Choices) > 1)
	return flags
}

func (r *Reply) reasoned() bool {
	for _, c := range r.Choices {
		for _, o := range c.Outputs {
			if o.Kind == Reasoning {
				return true
			}
		}
	}
	return false
}
