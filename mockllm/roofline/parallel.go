package roofline

import (
	"math"

	"halfsecond/mockllm/catalog"
)

// activationBytes is the size of one value that devices hand to each other.
const activationBytes = 2

// allReduceSeconds returns how long n devices take to add up a message: a latency,
// and 2*(n-1)/n of the message over the bus, which carries bus bytes a second. It is
// the time of a ring, in which each device sends every part but its own twice.
func allReduceSeconds(bytes float64, n int, latency, bus float64) float64 {
	return latency + 2*float64(n-1)/float64(n)*bytes/bus
}

// planCommunication plans the two all-reduces of a layer, one after attention and one
// after the MLP, and the hand-over from one stage to the next, which takes as long as
// an all-reduce between two.
func (p *Plan) planCommunication() {
	m, c := p.d.Model, p.d.Constants
	latency, bus := c.AllReduceLatency.Seconds(), p.d.Hardware.Link*c.BusShare
	tokenBytes := float64(m.Hidden) * activationBytes
	add := func(calls float64, n int) {
		p.communicationBase += nanoseconds(calls * allReduceSeconds(0, n, latency, bus))
		p.tokenCommunication += nanoseconds(calls * allReduceSeconds(tokenBytes, n, 0, bus))
	}
	if n := p.d.tensor(); n > 1 {
		add(2*float64(m.Layers), n)
	}
	if stages := p.d.stages(); stages > 1 {
		add(float64(stages-1), 2)
	}
}

// planMicroBatches plans how a step is cut. An engine with a micro-batch cuts the
// tokens of a step, which pass the stages like wagons. One without cuts the batch of
// a pipeline into one micro-batch a stage, each of whole sequences, and a micro-batch
// has at most the tokens that a step on one stage may have.
func (p *Plan) planMicroBatches() {
	p.stages = p.d.stages()
	p.microBatch = p.d.Engine.MicroBatch
	p.drained = p.microBatch > 0 || p.d.Split == catalog.SplitLayer
	if p.microBatch == 0 && p.stages > 1 {
		p.microBatch = p.d.Engine.TokenBudget
	}
	if p.microBatch == 0 {
		p.microBatch = math.MaxInt
	}
}

// microTokens returns the tokens of the largest micro-batch of a step.
func (p *Plan) microTokens(b *Batch) int {
	tokens := b.Tokens
	if !p.drained && p.stages > 1 {
		tokens = max((b.Tokens+p.stages-1)/p.stages, b.Longest)
	}
	return min(tokens, p.microBatch)
}

// part is a micro-batch of a step, and how often its time counts in the time of the
// step.
type part struct {
	times float64
	cost  cost
}

// parts cuts a step into whole micro-batches, what is left, and the one that fills the
// stages. Of k micro-batches that pass s stages one after the other, with times t_i
// through all of them, the last one leaves after
//
//	(t_1 + ... + t_k)/s + (s-1)/s * the largest t_i
//
// since the stages are alike. The largest is the last one or, if that is small, a whole
// one which computes the output head as the last does. Running sequences that decode in
// a pipeline do not wait for the last micro-batch: each goes on when its own has
// returned, so the step takes the time of the largest.
func (p *Plan) parts(b *Batch) [3]part {
	size := p.microTokens(b)
	share := float64(size) / float64(b.Tokens)
	sequences, logits := float64(b.Sequences), float64(b.Logits)
	if !p.drained && b.Longest <= DecodeTokens {
		return [3]part{{1, p.cost(b, share, share*sequences, share*logits)}}
	}
	count := (b.Tokens - 1) / size
	rest := part{1, p.cost(b, float64(b.Tokens-count*size)/float64(b.Tokens), sequences, logits)}
	if count == 0 {
		return [3]part{rest}
	}
	stages := float64(p.stages)
	whole := part{float64(count) / stages, p.cost(b, share, 0, 0)}
	rest.times = 1 / stages
	largest := part{(stages - 1) / stages, p.cost(b, share, sequences, logits)}
	if p.total(&rest.cost) >= p.total(&largest.cost) {
		rest.times, largest.times = rest.times+largest.times, 0
	}
	return [3]part{whole, rest, largest}
}
