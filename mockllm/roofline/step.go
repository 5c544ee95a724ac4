package roofline

import (
	"time"

	"halfsecond/pipeline"
)

// Batch describes the work of one step by its sums. Build it with Add.
type Batch struct {
	Tokens         int     // tokens in the step: prefill chunks, and one a decoding sequence
	Sequences      int     // sequences in the step
	Logits         int     // tokens that need the output head: those after which a token is sampled
	ContextTokens  int64   // cached tokens read: the sum over sequences of tokens before and in the step
	AttentionPairs float64 // the sum over sequences of q * (before + q/2), with q tokens in the step
}

// Add adds one sequence that has before tokens in the cache and tokens in this
// step. Sampled says that a token is sampled after the last of them.
func (b *Batch) Add(tokens, before int, sampled bool) {
	b.Tokens += tokens
	b.Sequences++
	if sampled {
		b.Logits++
	}
	b.ContextTokens += int64(before) + int64(tokens)
	b.AttentionPairs += float64(tokens) * (float64(before) + float64(tokens)/2)
}

// PrefillBatch is the step that takes in a whole prompt, alone, and samples its
// first token.
func PrefillBatch(prompt int) Batch {
	var b Batch
	b.Add(prompt, 0, true)
	return b
}

// DecodeBatch is the step that adds a token to each of n sequences, after which
// each has context tokens, at least 1.
func DecodeBatch(n, context int) Batch {
	return Batch{
		Tokens: n, Sequences: n, Logits: n,
		ContextTokens:  int64(n) * int64(context),
		AttentionPairs: float64(n) * (float64(context) - .5),
	}
}

// cost is the terms of one step in nanoseconds.
type cost struct {
	matmulCompute, matmulMemory       float64
	attentionCompute, attentionMemory float64
	communication, fixed              float64
}

// cost computes the terms of a step that has at least one token.
func (p *Plan) cost(b Batch) cost {
	tokens, logits := float64(b.Tokens), float64(b.Logits)
	c := cost{
		matmulCompute:    p.tokenCompute*(tokens+p.halfTokens) + p.logitCompute*logits,
		matmulMemory:     p.layerMemory,
		attentionCompute: p.pairCompute * b.AttentionPairs,
		attentionMemory:  p.contextMemory * float64(b.ContextTokens),
		communication:    p.communicationBase + p.tokenCommunication*tokens,
		fixed:            p.fixedBase + p.sequenceFixed*float64(b.Sequences),
	}
	if b.Logits > 0 {
		c.matmulMemory += p.headMemory
	}
	return c
}

// Step returns how long a step takes, rounded to the nanosecond; 0 when it has no
// tokens.
func (p *Plan) Step(b Batch) time.Duration {
	if b.Tokens <= 0 {
		return 0
	}
	c := p.cost(b)
	return rounded(max(c.matmulCompute, c.matmulMemory) + max(c.attentionCompute, c.attentionMemory) + c.communication + c.fixed)
}

// rounded turns nanoseconds, 0 or more, into a duration.
func rounded(ns float64) time.Duration { return time.Duration(ns + .5) }

// Terms are the parts of a step, each rounded on its own. Of a compute and a
// memory term, the larger counts.
type Terms struct {
	MatmulCompute, MatmulMemory       time.Duration
	AttentionCompute, AttentionMemory time.Duration
	Communication                     time.Duration
	Fixed                             time.Duration
}

// Explain returns the terms of a step; all are 0 when it has no tokens.
func (p *Plan) Explain(b Batch) Terms {
	if b.Tokens <= 0 {
		return Terms{}
	}
	c := p.cost(b)
	return Terms{
		MatmulCompute: rounded(c.matmulCompute), MatmulMemory: rounded(c.matmulMemory),
		AttentionCompute: rounded(c.attentionCompute), AttentionMemory: rounded(c.attentionMemory),
		Communication: rounded(c.communication), Fixed: rounded(c.fixed),
	}
}

// Bound names what a step spends most of its time on.
type Bound string

// What can dominate a step.
const (
	Compute       Bound = "compute"
	Memory        Bound = "memory"
	Communication Bound = "communication"
	Fixed         Bound = "fixed"
)

// By returns the time of the step that belongs to one bound: that of Compute is
// the sum of the compute terms that are larger than their memory terms.
func (t Terms) By(b Bound) time.Duration {
	var compute, memory time.Duration
	for _, pair := range [...][2]time.Duration{{t.MatmulCompute, t.MatmulMemory}, {t.AttentionCompute, t.AttentionMemory}} {
		if pair[0] > pair[1] {
			compute += pair[0]
		} else {
			memory += pair[1]
		}
	}
	switch b {
	case Compute:
		return compute
	case Memory:
		return memory
	case Communication:
		return t.Communication
	default:
		return t.Fixed
	}
}

// BoundBy returns the bound with the most time; the earlier of Compute, Memory,
// Communication and Fixed when two have the same.
func (t Terms) BoundBy() Bound {
	best := Compute
	for _, b := range [...]Bound{Memory, Communication, Fixed} {
		if t.By(b) > t.By(best) {
			best = b
		}
	}
	return best
}

// Prefill returns how long a lone prompt of at least one token takes in one step:
// the time from the start of its step to its first token. It is pipeline.Unknown
// when the compute rate is.
func (p *Plan) Prefill(prompt int) time.Duration {
	if p.tokenCompute == 0 {
		return pipeline.Unknown
	}
	return p.Step(PrefillBatch(prompt))
}

// Decode returns how long one token for each of n sequences takes when each has
// context tokens with it: the TPOT of a batch of n.
func (p *Plan) Decode(n, context int) time.Duration { return p.Step(DecodeBatch(n, context)) }

// TPS returns the tokens a second of n sequences that decode together, of one of
// them and of all.
func (p *Plan) TPS(n, context int) (single, aggregate float64) {
	single = float64(time.Second) / float64(p.Decode(n, context))
	return single, single * float64(n)
}
