package endpoint

import (
	"errors"
	"fmt"
	"math"

	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/wire"
)

// How many output chunks may come for an answer of at most n tokens: chunksPerToken n +
// chunksBeside. A chunk holds a character or more and a token is some four characters of
// English and more of code, so a server that sends letter by letter, a tool call's JSON
// included, stays below; what goes on beyond it ignores the limit that it was given. The
// constant part is for short answers, whose few tokens may be long words.
const (
	chunksPerToken = 8
	chunksBeside   = 256
)

// mostOutputs returns the most output chunks of an answer of at most so many tokens; 0,
// which is no limit, when the tokens have none, or none that can be counted.
func mostOutputs(tokens int) int {
	if tokens <= 0 || tokens > (math.MaxInt-chunksBeside)/chunksPerToken {
		return 0
	}
	return chunksPerToken*tokens + chunksBeside
}

// wentOn says of an answer that it has more chunks than that. It has the same words for
// every request, so that a report counts them together; how many chunks came is in the
// trace, how many were allowed in the raw log.
var wentOn = fmt.Sprintf("the answer went on past the tokens asked for: more than %d chunks of output came for each of them and %d beside",
	chunksPerToken, chunksBeside)

// overlong says in words which limit on size a reply to a call of so many tokens went
// over, and how to move it. It is empty when it went over none.
func overlong(r *reply.Reply, tokens int) string {
	if r.Failure == nil || r.Failure.Kind != reply.TooLong {
		return ""
	}
	if most := mostOutputs(tokens); most > 0 && outputs(r) > most {
		return wentOn
	}
	for _, fixed := range []error{wire.ErrLineTooLong, reply.ErrTooManyParts, reply.ErrTooManyValues, reply.ErrSilent} {
		if errors.Is(r.Failure.Cause, fixed) {
			return r.Failure.String()
		}
	}
	return r.Failure.String() + " (--limit-bytes)"
}

// outputs returns the output chunks of a reply, of all its choices.
func outputs(r *reply.Reply) (n int) {
	for i := range r.Choices {
		n += len(r.Choices[i].Outputs)
	}
	return n
}
