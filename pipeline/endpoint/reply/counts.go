package reply

import "halfsecond/pipeline"

// Counts are what one message of a server states of tokens, or what all of them so far do: each
// count as it stands there. One that is not stated is pipeline.UnknownCount, as NewCounts has
// all of them. What is part of what is decided once, for all messages of a stream; see
// tally.reading.
type Counts struct {
	Prompt, Written, Cached int // of a prompt: what was written to a cache, and read from one, may be part of it or beside it
	Answer, Reasoning       int // the second may be part of the first or beside it
	Total                   int // of all, in the message that states it
	// CacheBeside says that the protocol counts what was written to a cache and read from it
	// beside the prompt, ReasoningBeside that it counts reasoning beside the answer, and leaves
	// out what is 0. Where they are false the server may do either.
	CacheBeside, ReasoningBeside bool
}

// NewCounts returns Counts of which none is stated.
func NewCounts() Counts {
	const none = pipeline.UnknownCount
	return Counts{Prompt: none, Written: none, Cached: none, Answer: none, Reasoning: none, Total: none}
}

// Stated returns the counts, or nil where neither the prompt nor the answer is counted, or with
// nothing but zeros, which some servers send as a placeholder.
func (c Counts) Stated() *Counts {
	some := c.Prompt > 0 || c.Answer > 0 || c.CacheBeside && (c.Written > 0 || c.Cached > 0) || c.ReasoningBeside && c.Reasoning > 0
	if !some {
		return nil
	}
	return &c
}

// countsAnswer reports whether the answer is counted. Nil counts nothing.
func (c *Counts) countsAnswer() bool {
	return c != nil && (c.Answer != pipeline.UnknownCount || c.ReasoningBeside && c.Reasoning != pipeline.UnknownCount)
}

// with returns the counts with those in place of each that next states. They may be nil.
func (c *Counts) with(next *Counts) *Counts {
	switch {
	case next == nil:
		return c
	case c == nil:
		return next
	}
	keep := func(old, next int) int {
		if next == pipeline.UnknownCount {
			return old
		}
		return next
	}
	return &Counts{
		Prompt: keep(c.Prompt, next.Prompt), Written: keep(c.Written, next.Written), Cached: keep(c.Cached, next.Cached),
		Answer: keep(c.Answer, next.Answer), Reasoning: keep(c.Reasoning, next.Reasoning), Total: next.Total,
		CacheBeside: next.CacheBeside, ReasoningBeside: next.ReasoningBeside,
	}
}

// forget makes a count of that kind unknown, and with it what means nothing without it. Nil
// Counts have none.
func (c *Counts) forget(kind int) {
	const none = pipeline.UnknownCount
	switch {
	case c == nil:
	case kind == ofPrompt:
		c.Prompt, c.Written = none, none
	case kind == ofCache:
		if c.Cached = none; c.CacheBeside {
			c.Prompt = none
		}
	case kind == ofAnswer:
		c.Answer, c.Reasoning = none, none
	case kind == ofReasoning:
		if c.Reasoning = none; c.ReasoningBeside {
			c.Answer = none
		}
	}
}

// reading is how a server's counts are to be read.
type reading struct {
	cache, reasoning bool // they are beside the prompt, and beside the answer
	rest             int  // tokens of a total that are in no count
	doubted          bool // counts as they came were not what this makes of them
}

// usage returns what the counts are, read that way.
func (c *Counts) usage(how reading) *Usage {
	u := &Usage{Prompt: c.Prompt, Completion: c.Answer, Reasoning: c.Reasoning, Cached: c.Cached}
	if how.cache && c.Prompt != pipeline.UnknownCount {
		u.Prompt += max(0, c.Written) + max(0, c.Cached)
	}
	if how.reasoning && c.countsAnswer() {
		u.Completion = max(0, c.Answer) + max(0, c.Reasoning)
	}
	if u.Completion == pipeline.UnknownCount {
		u.Reasoning = pipeline.UnknownCount
	}
	return u
}

// byTotal returns how the counts are to be read by their total; ok is false where it says
// nothing, or there is none.
//
// OpenAI counts reasoning in the answer. xAI counts it beside that, and in the total (its pages
// on rate limits say so, and its Grok 3 mini stated 2 and 317 tokens in a total of 331 with a
// prompt of 12: vercel/ai, pull request 12425, 2026-02-11); so do gateways before Gemini.
//
// A rest alone says nothing of what it is. Some gateways before Gemini leave the count of the
// reasoning out (mozilla-ai/any-llm, issue 1290, 2026-08-16); others before Anthropic have what
// is read from a cache and written to it in the total alone (Portkey-AI/gateway, pull request
// 1754, 2026-08-10).
func (c *Counts) byTotal() (how reading, ok bool) {
	reasoning, cached := max(0, c.Reasoning), max(0, c.Cached)
	if c.Answer == pipeline.UnknownCount || c.Total <= 0 || c.Prompt < 0 || c.Prompt == 0 && cached == 0 {
		return reading{}, false
	}
	rest := max(0, c.Total-c.Prompt-c.Answer)
	how.reasoning, how.cache = c.inRest(reasoning, cached, rest)
	if how.rest = rest; how.reasoning {
		how.rest -= reasoning
	}
	if how.cache {
		how.rest -= cached
	}
	return how, true
}

// inRest reports which of reasoning and what was cached are in the rest of a total, and so
// beside the answer and the prompt: those that are all of it, and those that can only be in it,
// being more than the answer or the prompt.
func (c *Counts) inRest(reasoning, cached, rest int) (ofAnswer, ofPrompt bool) {
	switch {
	case rest == reasoning:
		return reasoning > 0, false
	case rest == cached && reasoning <= c.Answer:
		return false, cached > 0
	case rest == reasoning+cached:
		return reasoning > 0, true
	}
	if ofAnswer = reasoning > c.Answer && reasoning <= rest; ofAnswer {
		rest -= reasoning
	}
	return ofAnswer, cached > c.Prompt && cached <= rest
}
