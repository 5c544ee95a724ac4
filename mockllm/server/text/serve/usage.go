package serve

import "halfsecond/pipeline/wire"

// Usage returns the counts of an answer that has ended.
func (g *Generation) Usage() wire.Usage {
	u := g.Counts(g.Request.Generated())
	if g.Model.Shares {
		u.PromptTokensDetails = &wire.PromptTokensDetail{CachedTokens: g.Request.CachedTokens}
	}
	return u
}

// Counts returns the counts of an answer that has come to its n-th token.
func (g *Generation) Counts(n int) wire.Usage {
	u := wire.Usage{PromptTokens: g.Request.Prompt, CompletionTokens: n, TotalTokens: g.Request.Prompt + n}
	if t := min(n, g.ThinkingTokens()); t > 0 {
		u.CompletionTokensDetails = &wire.CompletionTokensDetail{ReasoningTokens: t}
	}
	return u
}
