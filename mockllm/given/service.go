package given

import (
	"math"
	"time"

	"halfsecond/mockllm/engine"
)

// service is the time that requests take, and what each slot remembers of the last.
type service struct {
	server *Server
	slots  []memory
}

// memory is what the cache of a slot holds.
type memory struct {
	kind   string   // of request
	tokens []uint64 // of the last prompt, each hash standing for all up to it
}

// newService returns the service of a model with what its caches hold at the start, or with
// empty ones.
func newService(s *Server, warm bool) *service {
	v := &service{server: s, slots: make([]memory, s.Slots)}
	if !warm {
		return v
	}
	for i := range v.slots {
		v.slots[i].tokens = s.held
	}
	for i, kind := range s.WarmSlots {
		v.slots[i].kind = kind
	}
	return v
}

// First implements engine.Service.
func (v *service) First(r *engine.Request, slot int) time.Duration {
	if p, stated := v.server.paces[r]; stated && p.First >= 0 {
		v.slots[slot].kind = r.Kind
		return p.First
	}
	if v.server.PrefillRate == 0 {
		return span(v.server.TTFT)
	}
	n := v.evaluated(r, &v.slots[slot])
	return span(1000 * float64(n) / v.server.PrefillRate)
}

// evaluated returns the tokens of a prompt that the slot does not hold, and lets the
// slot hold the prompt.
func (v *service) evaluated(r *engine.Request, m *memory) int {
	s := v.server
	prompt := r.Prompt
	if _, stated := v.server.paces[r]; s.PromptTokens > 0 && !stated {
		prompt = s.PromptTokens
	}
	fresh := prompt
	switch {
	case s.WarmSlots != nil && m.kind == r.Kind:
		fresh = min(s.NewTokens, prompt)
		r.CachedTokens = min(prompt-fresh, r.Prompt)
	case s.PromptCache == "prefix" && r.Blocks != nil:
		tokens := r.Blocks(nil, 1)
		tokens = tokens[:min(len(tokens), r.Prompt)]
		r.CachedTokens = common(m.tokens, tokens)
		fresh = prompt - r.CachedTokens
		m.tokens = tokens
	}
	m.kind = r.Kind
	return fresh
}

// common returns how many leading hashes two prompts share.
func common(a, b []uint64) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// Next implements engine.Service.
func (v *service) Next(r *engine.Request, busy int) time.Duration {
	s := v.server
	next := span(s.TPOT)
	if p, stated := s.paces[r]; stated && p.Next >= 0 {
		next = p.Next
	}
	return time.Duration(math.Round(float64(next) * (1 + s.BatchSlowdown*float64(busy-1))))
}
