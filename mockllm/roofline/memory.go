package roofline

import (
	"fmt"
	"math"

	"halfsecond/pipeline"
)

// BlockTokens is the tokens of one block of a paged KV cache, the default of vLLM.
const BlockTokens = 16

// FitError says that a model leaves no room for a KV cache on its hardware.
type FitError struct {
	Deployment Deployment
	Need       int64 // bytes of weights and of what an engine needs to work in
	Have       int64 // bytes that the engine may take
}

func (e *FitError) Error() string {
	d := e.Deployment
	return fmt.Sprintf("%s in %s does not fit: it needs %.1f GB before any KV cache, and %d x %s offers %.1f GB",
		d.Model.Name, d.Weights, float64(e.Need)/1e9, d.GPUs, d.Hardware.Name, float64(e.Have)/1e9)
}

// WeightBytes returns the bytes of all weights, on all devices together.
func (p *Plan) WeightBytes() int64 {
	m := p.d.Model
	bits := p.layerParams() * p.d.Weights.bits
	if m.HasShape() {
		bits += float64(m.TotalParams()-m.LinearParams()) * p.d.Weights.head
	}
	return int64(math.Round(bits / 8))
}

// kvBytes returns 2 * L * G * h * c.
func (p *Plan) kvBytes() float64 {
	m := p.d.Model
	return 2 * float64(m.Layers*m.KVHeads*m.HeadDim) * p.d.KVBytes
}

// kvShare returns the part of a token's cache that each device holds: heads are
// divided until there are more devices than heads, then repeated.
func (p *Plan) kvShare() float64 {
	return max(1/float64(p.d.GPUs), 1/float64(p.d.Model.KVHeads))
}

// KVBytesPerToken returns the bytes of one cached token, counted once however
// many devices repeat it, or pipeline.UnknownCount when the shape is unknown.
func (p *Plan) KVBytesPerToken() int64 {
	if !p.d.Model.HasShape() {
		return pipeline.UnknownCount
	}
	return int64(math.Round(p.kvBytes()))
}

// KVTokens returns how many tokens the cache holds, in whole blocks, or
// pipeline.UnknownCount when the shape or the memory is unknown. The error is a
// *FitError when there is not even room for one block.
func (p *Plan) KVTokens() (int, error) {
	if !p.d.Model.HasShape() || p.d.Hardware.Memory == 0 {
		return pipeline.UnknownCount, nil
	}
	n, c := p.d.GPUs, p.d.Constants
	have := int64(math.Round(float64(p.d.Hardware.Memory)*c.MemoryUse)) * int64(n)
	need := p.WeightBytes() + c.Activations + c.NonTorch*int64(n)
	tokens := float64(have-need) / (p.kvBytes() * p.kvShare() * float64(n))
	if tokens < BlockTokens {
		return 0, &FitError{Deployment: p.d, Need: need, Have: have}
	}
	return int(tokens/BlockTokens) * BlockTokens, nil
}
