package roofline

import "halfsecond/mockllm/catalog"

// attention holds the coefficients of the attention terms of a step, in nanoseconds
// for each unit of a sum of Batch.
type attention struct {
	pair, decodePair, recalled, windowPair float64 // computing
	context, windowContext                 float64 // reading the cache
	score, windowScore                     float64 // scores written and read when attention is not fused
}

// scoreBytes is what one pair of tokens and one head move when the scores go to
// memory: a 32-bit number written by the first product, read and written by the
// softmax, and read by the second product. For a prompt of N tokens that is
// 8 * N^2 bytes.
const scoreBytes = 16

func (p *Plan) planAttention() {
	m, c := p.d.Model, p.d.Constants
	if !m.HasShape() {
		p.missing = append(p.missing, "model shape")
		return
	}
	whole := float64(m.Layers) * (1 - m.WindowShare)
	windowed := float64(m.Layers) * m.WindowShare
	a := &p.attention
	if flops, _ := FP16.rate(p.d.Hardware); flops > 0 {
		layer := nanoseconds(1 / (float64(p.d.tensor()) * flops * c.AttentionMFU))
		prefill, decode, recall := pairFLOPs(m)
		a.pair, a.decodePair, a.recalled = prefill*whole*layer, (decode-prefill)*whole*layer, recall*whole*layer
		a.windowPair = prefill * windowed * layer
	}
	bandwidth := p.d.Hardware.Bandwidth * c.AttentionMBU
	if p.d.KV.Bytes() < 2 {
		bandwidth *= c.KVDequant
	}
	a.context = nanoseconds(p.kvBytes() * p.kvShare() / bandwidth)
	a.windowContext = nanoseconds(p.windowBytes() * p.kvShare() / bandwidth)
	if !p.d.Engine.FlashAttention {
		score := nanoseconds(scoreBytes * float64(m.Heads) / (float64(p.d.tensor()) * p.d.Hardware.Bandwidth * c.AttentionMBU))
		a.score, a.windowScore = score*whole, score*windowed
	}
}

// pairFLOPs returns the operations of one layer for a pair of tokens in a chunk of a
// prompt and in decode, and for a token of the cache that a chunk makes keys and
// values of again.
//
// With whole keys and values all pairs take 4*H*h, and nothing is made again. Latent
// attention of rank r with a rotated part of width p multiplies keys of h+p and
// values of h, made of the cached ones, in a chunk; in decode it multiplies what is
// cached itself, r+p and r wide, by heads into which the matrices were absorbed.
func pairFLOPs(m catalog.Model) (prefill, decode, recall float64) {
	heads, h := float64(m.Heads), float64(m.HeadDim)
	if m.KVRank == 0 {
		return 4 * heads * h, 4 * heads * h, 0
	}
	r, p := float64(m.KVRank), float64(m.RopeDim)
	return 2 * heads * (2*h + p), 2 * heads * (2*r + p), 2 * r * heads * 2 * h
}

// compute returns the time to multiply, reads the time to read the cache, and
// scores the time that unfused scores take.
func (a *attention) compute(b *Batch) float64 {
	return a.pair*b.AttentionPairs + a.decodePair*b.DecodePairs + a.recalled*float64(b.Recalled) + a.windowPair*b.WindowPairs
}

func (a *attention) reads(b *Batch) float64 {
	return a.context*float64(b.ContextTokens) + a.windowContext*float64(b.WindowContext)
}

func (a *attention) scores(b *Batch) float64 {
	return a.score*b.AttentionPairs + a.windowScore*b.WindowPairs
}
