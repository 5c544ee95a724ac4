package dialect

import (
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/reply"
)

// withRest returns the counts of a server with its reasoning in that of the answer, and what was
// cached in that of the prompt, and how many tokens its total has beside them that are in no
// count.
//
// OpenAI counts reasoning in the answer. xAI counts it beside that, and in the total (its pages
// on rate limits say so, and its Grok 3 mini stated 2 and 317 tokens in a total of 331 with a
// prompt of 12: vercel/ai, pull request 12425, 2026-02-11); so do gateways before Gemini. Where
// there is no total, more reasoning than answer can only be beside it.
//
// A rest alone says nothing of what it is. Some gateways before Gemini leave the count of the
// reasoning out (mozilla-ai/any-llm, issue 1290, 2026-08-16); others before Anthropic have what
// is read from a cache and written to it in the total alone (Portkey-AI/gateway, pull request
// 1754, 2026-08-10). The reader of the whole answer decides, see reply.Step.
func withRest(u reply.Usage, total int) (out reply.Usage, rest int) {
	reasoning, cached := max(0, u.Reasoning), max(0, u.Cached)
	switch {
	case u.Completion == pipeline.UnknownCount:
		return u, 0
	case total <= 0 || u.Prompt < 0 || u.Prompt == 0 && cached == 0:
		if reasoning > u.Completion {
			u.Completion, u.Apart = u.Completion+reasoning, true
		}
		return u, 0
	}
	rest = max(0, total-u.Prompt-u.Completion)
	reasoning, cached = inRest(u, reasoning, cached, rest)
	u.Completion, u.Prompt, u.Apart = u.Completion+reasoning, u.Prompt+cached, reasoning > 0
	return u, rest - reasoning - cached
}

// inRest returns how many of the tokens of reasoning and of those that were cached are in the
// rest of a total, and so beside the answer and the prompt: where they are all of it, and where
// they can only be in it, being more than the answer or the prompt.
func inRest(u reply.Usage, reasoning, cached, rest int) (int, int) {
	switch {
	case rest == reasoning:
		return reasoning, 0
	case rest == cached && reasoning <= u.Completion:
		return 0, cached
	case rest == reasoning+cached:
		return reasoning, cached
	}
	if reasoning <= u.Completion || reasoning > rest {
		reasoning = 0
	}
	if cached <= u.Prompt || cached > rest-reasoning {
		cached = 0
	}
	return reasoning, cached
}
