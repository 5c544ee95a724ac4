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

// Usage is what a server counted, as far as that can be. A count that it did not state, or
// that cannot be, is pipeline.UnknownCount.
type Usage struct {
	Prompt     int
	Completion int
	Reasoning  int // part of Completion
	Cached     int // part of Prompt
}

// withBeside returns the usage with tokens that the server's total has beside it, where they can
// only be reasoning, and how many of them are doubtful. Reasoning came is whether the answer
// brought some.
func (u *Usage) withBeside(n int, reasoningCame bool) (out *Usage, doubtful int) {
	switch {
	case n <= 0 || u == nil || u.Completion == pipeline.UnknownCount:
		return u, 0
	case !reasoningCame || u.Reasoning != pipeline.UnknownCount || u.Cached != pipeline.UnknownCount:
		return u, n
	}
	with := *u
	with.Completion, with.Reasoning = u.Completion+n, n
	return &with, 0
}

// believed returns the usage without the counts that cannot be, nil when none is left, and
// says what these were. The request had so many bytes; 0 is unknown.
func (u *Usage) believed(requestBytes int, a answered) (*Usage, []string) {
	if u == nil {
		return nil, nil
	}
	left := *u
	said := append(left.doubtAnswer(a), left.doubtPrompt(requestBytes)...)
	if left == (Usage{Prompt: pipeline.UnknownCount, Completion: pipeline.UnknownCount, Reasoning: pipeline.UnknownCount, Cached: pipeline.UnknownCount}) {
		return nil, said
	}
	return &left, said
}

// answered is what came of an answer, which its count has to fit.
type answered struct {
	amount string // such as "20 chunks"; empty where nothing came
	whole  bool   // it came to its end: until then a count may be one of what has come so far
}

// doubtAnswer takes out counts of the answer that cannot be, and says what they were.
func (u *Usage) doubtAnswer(a answered) (said []string) {
	if u.Completion > MostTokens {
		said = append(said, fmt.Sprintf("an answer of more than %d tokens", MostTokens))
		u.Completion, u.Reasoning = pipeline.UnknownCount, pipeline.UnknownCount
	}
	if u.Completion != pipeline.UnknownCount && u.Reasoning > u.Completion {
		if a.whole {
			said = append(said, fmt.Sprintf("%d tokens of reasoning in an answer of %d", u.Reasoning, u.Completion))
		}
		u.Reasoning = pipeline.UnknownCount
	}
	if u.Completion == 0 && a.amount != "" {
		if a.whole {
			said = append(said, "no token in an answer of "+a.amount)
		}
		u.Completion, u.Reasoning = pipeline.UnknownCount, pipeline.UnknownCount
	}
	return said
}

// doubtPrompt takes out counts of the prompt that cannot be, and says what they were. One
// of the cache that cannot be leaves that of the prompt, which can.
func (u *Usage) doubtPrompt(requestBytes int) (said []string) {
	switch {
	case u.Prompt > MostTokens, u.Prompt == pipeline.UnknownCount && u.Cached > MostTokens:
		said = append(said, fmt.Sprintf("a prompt of more than %d tokens", MostTokens))
		u.Prompt, u.Cached = pipeline.UnknownCount, pipeline.UnknownCount
	case requestBytes > 0 && u.Prompt > requestBytes+addedTokens:
		said = append(said, fmt.Sprintf("a prompt of %d tokens in a request of %d bytes", u.Prompt, requestBytes))
		u.Prompt, u.Cached = pipeline.UnknownCount, pipeline.UnknownCount
	case u.Prompt != pipeline.UnknownCount && u.Cached > u.Prompt:
		said = append(said, fmt.Sprintf("%d tokens in the cache of a prompt of %d", u.Cached, u.Prompt))
		u.Cached = pipeline.UnknownCount
	}
	return said
}
