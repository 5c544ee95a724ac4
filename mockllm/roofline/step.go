package roofline

import (
	"math"
	"time"

	"halfsecond/pipeline"
)

// cost is the terms of one step in nanoseconds.
type cost struct {
	matmulCompute, matmulMemory               float64
	attentionCompute, attentionMemory, scores float64
	activations, communication                float64
	launches, fixed                           float64
}

// cost computes the terms of a micro-batch that has a share of a step's tokens, and
// so many of its sequences and logits.
func (p *Plan) cost(b *Batch, share, sequences, logits float64) (c cost) {
	tokens := share * float64(b.Tokens)
	c = cost{
		matmulCompute:    p.tokenCompute*tokens + p.logitCompute*logits,
		matmulMemory:     p.layerMemory,
		attentionCompute: share * p.attention.compute(b),
		attentionMemory:  share * p.attention.reads(b),
		scores:           share * p.attention.scores(b),
		activations:      p.activations * tokens,
		communication:    p.communicationBase + p.tokenCommunication*tokens,
		launches:         p.launches,
		fixed:            p.fixedBase + p.sequenceFixed*sequences,
	}
	if p.expertMemory > 0 {
		c.matmulMemory += p.expertMemory * (1 - math.Exp(p.unread*tokens))
	}
	if logits > 0 {
		c.matmulMemory += p.headMemory
	}
	return c
}

// matmul returns the time of the matrix products.
func (p *Plan) matmul(c *cost) float64 {
	longer, shorter := c.matmulCompute, c.matmulMemory
	if longer < shorter {
		longer, shorter = shorter, longer
	}
	return longer + p.exposed*shorter
}

// total adds up the terms of a step.
func (p *Plan) total(c *cost) float64 {
	return max(p.device(c), c.launches) + c.fixed
}

// device returns how long the devices work.
func (p *Plan) device(c *cost) float64 {
	return p.matmul(c) + max(c.attentionCompute, c.attentionMemory) + c.scores + c.activations + c.communication
}

// Step returns how long a step takes, rounded to the nanosecond; 0 when it has no
// tokens.
func (p *Plan) Step(b Batch) time.Duration {
	if b.Tokens <= 0 {
		return 0
	}
	if p.microTokens(&b) == b.Tokens {
		c := p.cost(&b, 1, float64(b.Sequences), float64(b.Logits))
		return rounded(p.total(&c))
	}
	parts := p.parts(&b)
	return sum(&parts, p.total)
}

// sum adds up a time of the parts of a step, each as often as it counts.
func sum(parts *[3]part, of func(*cost) float64) time.Duration {
	var ns float64
	for i := range parts {
		if parts[i].times > 0 {
			ns += parts[i].times * of(&parts[i].cost)
		}
	}
	return rounded(ns)
}

// rounded turns nanoseconds, 0 or more, into a duration, the longest there is when
// they are more.
func rounded(ns float64) time.Duration {
	if ns >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(ns + .5)
}

// Terms are the parts of a step, each rounded on its own. Of a compute and a
// memory term, the larger counts; of the smaller matmul term, the part that Exposed
// says counts as well. A step of several micro-batches has the sum of their terms.
type Terms struct {
	MatmulCompute, MatmulMemory       time.Duration
	AttentionCompute, AttentionMemory time.Duration
	Scores                            time.Duration // attention scores moved to memory and back, without flash attention
	Activations                       time.Duration // pointwise work, bound by memory
	Communication                     time.Duration
	Fixed                             time.Duration // with what the host takes longer to launch than the devices to work
	Exposed                           float64       // Constants.Exposed
}

// Explain returns the terms of a step; all are 0 when it has no tokens.
func (p *Plan) Explain(b Batch) Terms {
	if b.Tokens <= 0 {
		return Terms{}
	}
	parts := p.parts(&b)
	term := func(pick func(*cost) float64) time.Duration { return sum(&parts, pick) }
	return Terms{
		MatmulCompute:    term(func(c *cost) float64 { return c.matmulCompute }),
		MatmulMemory:     term(func(c *cost) float64 { return c.matmulMemory }),
		AttentionCompute: term(func(c *cost) float64 { return c.attentionCompute }),
		AttentionMemory:  term(func(c *cost) float64 { return c.attentionMemory }),
		Scores:           term(func(c *cost) float64 { return c.scores }),
		Activations:      term(func(c *cost) float64 { return c.activations }),
		Communication:    term(func(c *cost) float64 { return c.communication }),
		Fixed:            term(func(c *cost) float64 { return c.fixed + max(0, c.launches-p.device(c)) }),
		Exposed:          p.exposed,
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

// By returns the time of the step that belongs to one bound.
func (t Terms) By(b Bound) time.Duration {
	compute, memory := counted(t.MatmulCompute, t.MatmulMemory, t.Exposed)
	attentionCompute, attentionMemory := counted(t.AttentionCompute, t.AttentionMemory, 0)
	switch b {
	case Compute:
		return compute + attentionCompute
	case Memory:
		return memory + attentionMemory + t.Scores + t.Activations
	case Communication:
		return t.Communication
	default:
		return t.Fixed
	}
}

// counted returns how much of two overlapping times counts: all of the longer one,
// and the exposed part of the other.
func counted(compute, memory time.Duration, exposed float64) (time.Duration, time.Duration) {
	if compute > memory {
		return compute, time.Duration(float64(memory) * exposed)
	}
	return time.Duration(float64(compute) * exposed), memory
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
	return p.Step(p.PrefillBatch(prompt))
}

// Decode returns how long one token for each of n sequences takes when each has
// context tokens with it: the TPOT of a batch of n.
func (p *Plan) Decode(n, context int) time.Duration { return p.Step(p.DecodeBatch(n, context)) }

// TPS returns the tokens a second of n sequences that decode together, of one of
// them and of all.
func (p *Plan) TPS(n, context int) (single, aggregate float64) {
	single = float64(time.Second) / float64(p.Decode(n, context))
	return single, single * float64(n)
}
