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
		d.Model.Name, d.Weights, float64(e.Need)/1e9, d.Devices(), d.Hardware.Name, float64(e.Have)/1e9)
}

// WeightBytes returns the bytes of all weights, on all devices together, some of which
// hold what others do. Those of a drafting head are what it has beside the model.
func (p *Plan) WeightBytes() int64 {
	m, w := p.d.Model, p.d.Weights
	bits := float64(p.d.tensor()) * p.deviceParams() * w.steadyPart(m).bits
	if m.HasShape() {
		bits += float64(m.RoutedParams()) * w.bits
	}
	if m.HasShape() && !p.head {
		bits += float64(m.TotalParams()-m.LinearParams()) * w.head
	}
	return int64(math.Round(bits / 8))
}

// layerKVBytes returns the bytes that one layer keeps of a token: 2 * G * h values,
// or those of latent attention.
func (p *Plan) layerKVBytes() float64 {
	m := p.d.Model
	if m.KVRank > 0 {
		return float64(m.MLAValues()) * p.d.KV.Bytes()
	}
	return 2 * float64(m.KVHeads*m.HeadDim) * p.d.KV.Bytes()
}

// kvBytes returns the bytes that the layers without a sliding window keep of a token.
func (p *Plan) kvBytes() float64 {
	return float64(p.d.Model.Layers) * (1 - p.d.Model.WindowShare) * p.layerKVBytes()
}

// windowBytes returns the bytes that the layers with one keep of a token.
func (p *Plan) windowBytes() float64 {
	return float64(p.d.Model.Layers) * p.d.Model.WindowShare * p.layerKVBytes()
}

// kvShare returns the part of a layer's cache that each of the devices sharing it
// holds: heads are divided until there are more devices than heads, then repeated;
// what latent attention keeps serves all heads, so every device has all of it.
func (p *Plan) kvShare() float64 {
	if p.d.Model.KVRank > 0 {
		return 1
	}
	return max(1/float64(p.d.tensor()), 1/float64(p.d.Model.KVHeads))
}

// repeated returns how many copies of the cache the devices hold together.
func (p *Plan) repeated() float64 { return p.kvShare() * float64(p.d.tensor()) }

// KVBytesPerToken returns the bytes of one cached token in the layers that keep all
// of a sequence, counted once however many devices repeat it, or
// pipeline.UnknownCount when the shape is unknown.
func (p *Plan) KVBytesPerToken() int64 {
	if !p.d.Model.HasShape() {
		return pipeline.UnknownCount
	}
	return int64(math.Round(p.kvBytes()))
}

// DeviceKVBytesPerToken returns the bytes that a token counted by KVBytesPerToken takes
// on all devices together, where some repeat what others hold.
func (p *Plan) DeviceKVBytesPerToken() int64 {
	if !p.d.Model.HasShape() {
		return pipeline.UnknownCount
	}
	return int64(math.Round(p.repeated() * p.kvBytes()))
}

// KVBytesPerSequence returns the bytes that the layers with a sliding window keep of
// a sequence once it has filled the window, counted like KVBytesPerToken; 0 when
// there are none.
func (p *Plan) KVBytesPerSequence() int64 {
	if !p.d.Model.HasShape() {
		return pipeline.UnknownCount
	}
	return int64(math.Round(p.windowBytes() * float64(p.d.Model.Window)))
}

// have returns the bytes that the engine may take of all devices.
func (p *Plan) have() int64 {
	return int64(math.Round(float64(p.d.Hardware.Memory)*p.d.Constants.MemoryUse)) * int64(p.d.Devices())
}

// need returns the bytes taken before there is a cache. Every stage works on a batch
// of its own.
func (p *Plan) need() int64 {
	c := p.d.Constants
	return p.WeightBytes() + c.WorkingMemory*int64(p.d.stages()) + c.NonTorch*int64(p.d.Devices())
}
