package bench

import "halfsecond/pipeline/dist"

// Shared is what prompts have in common at their beginning, so that a server which
// keeps prompts need not compute it again. The zero Shared is nothing.
type Shared struct {
	Tokens int     // so many of each prompt, all of a shorter one
	Part   float64 // or else this share of each prompt, 0 to 1
	By     float64 // the share of the prompts that begin so, 0 to 1
}

// of returns how many tokens of a prompt are shared; r is drawn from where only some
// prompts share anything.
func (s Shared) of(prompt int, r *dist.Rand) int {
	if s.By < 1 && r.Float64() >= s.By {
		return 0
	}
	if s.Part > 0 {
		return int(s.Part*float64(prompt) + .5)
	}
	return min(s.Tokens, prompt)
}
