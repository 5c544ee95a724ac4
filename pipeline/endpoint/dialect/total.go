package dialect

import (
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/reply"
)

// withReasoning returns the counts of a server with its reasoning in that of the answer.
// OpenAI counts it there. xAI counts it beside the answer, and in the total only (its pages on
// rate limits say so, and its Grok 3 mini stated 2 and 317 tokens in a total of 331 with a
// prompt of 12: vercel/ai, pull request 12425, 2026-02-11); so do gateways before Gemini, of
// which some leave the count of the reasoning out (mozilla-ai/any-llm, issue 1290,
// 2026-08-16). So the total tells, where there is one: what it has beside the prompt and the
// answer is reasoning. Where there is none, more reasoning than answer can only be beside it.
// A total that fits neither way changes nothing.
func withReasoning(u reply.Usage, total int) reply.Usage {
	if u.Completion == pipeline.UnknownCount {
		return u
	}
	beside := u.Reasoning
	if total > 0 && u.Prompt > 0 {
		beside = total - u.Prompt - u.Completion
	} else if beside <= u.Completion {
		return u
	}
	switch {
	case beside <= 0, u.Reasoning > 0 && beside != u.Reasoning:
		return u
	case u.Reasoning <= 0 && beside == u.Cached:
		return u // the prompt is counted without what was cached of it
	}
	u.Completion, u.Reasoning = u.Completion+beside, beside
	return u
}
