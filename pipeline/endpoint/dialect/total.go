package dialect

import (
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/reply"
)

// withReasoning returns the counts of a server with its reasoning in that of the answer, and
// how many tokens its total has beside them that are in no count.
//
// OpenAI counts reasoning in the answer. xAI counts it beside that, and in the total (its pages
// on rate limits say so, and its Grok 3 mini stated 2 and 317 tokens in a total of 331 with a
// prompt of 12: vercel/ai, pull request 12425, 2026-02-11); so do gateways before Gemini. Where
// the rest of the total is the reasoning that is stated, it is that, and where there is no
// total, more reasoning than answer can only be beside it.
//
// A rest alone says nothing of what it is. Some gateways before Gemini leave the count of the
// reasoning out (mozilla-ai/any-llm, issue 1290, 2026-08-16); others before Anthropic have what
// is read from a cache and written to it in the total alone (Portkey-AI/gateway, pull request
// 1754, 2026-08-10). The reader of the whole answer decides, see reply.Step.
func withReasoning(u reply.Usage, total int) (out reply.Usage, beside int) {
	if u.Completion == pipeline.UnknownCount {
		return u, 0
	}
	with := func(reasoning int) reply.Usage {
		u.Completion, u.Reasoning = u.Completion+reasoning, reasoning
		return u
	}
	if total <= 0 || u.Prompt <= 0 {
		if u.Reasoning > u.Completion {
			return with(u.Reasoning), 0
		}
		return u, 0
	}
	switch rest := total - u.Prompt - u.Completion; {
	case rest <= 0:
		return u, 0
	case u.Reasoning > 0 && rest == u.Reasoning:
		return with(rest), 0
	case u.Reasoning > u.Completion && rest > u.Reasoning: // it can only be beside the answer
		return with(u.Reasoning), rest - u.Reasoning
	case u.Reasoning > u.Completion: // it fits neither way
		return u, 0
	case u.Reasoning <= 0 && rest == u.Cached: // the prompt is counted without what was cached of it
		return u, 0
	default:
		return u, rest
	}
}
