package roofline

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Plan is a deployment ready to be asked: the coefficients of the step equation,
// in nanoseconds. It does not change and may be used by several goroutines.
type Plan struct {
	d       Deployment
	missing []string

	tokenCompute, logitCompute            float64
	layerMemory, headMemory               float64
	expertMemory, unread                  float64 // all experts; the logarithm of the share that one token leaves unread
	exposed                               float64
	attention                             attention
	communicationBase, tokenCommunication float64
	activations                           float64 // of a token
	launches, fixedBase, sequenceFixed    float64

	stages, microBatch int
	drained            bool // a step ends when its last micro-batch has left the last stage
	head               bool // it is that of a drafting head
}

// New returns the plan of a deployment. It needs every figure that a step depends
// on: shape, bandwidth and compute rate. The error names all that is wrong or
// missing.
func New(d Deployment) (*Plan, error) {
	p, err := Partial(d)
	if err != nil {
		return nil, err
	}
	if len(p.missing) > 0 {
		return nil, fmt.Errorf("%s on %s: unknown: %s%s", d.Model.Name, d.Hardware.Name, strings.Join(p.missing, ", "), p.cure())
	}
	return p, nil
}

// Partial is New for a deployment of which the model's shape or the compute rate
// may be unknown. A term that needs an unknown figure is left out of the steps, and
// Missing tells which; an engine must not run on such a plan.
func Partial(d Deployment) (*Plan, error) {
	d = d.withDefaults()
	if err := d.validate(); err != nil {
		return nil, err
	}
	p := &Plan{d: d}
	p.fill()
	return p, nil
}

// fill works out the coefficients of a deployment that is valid and has its zero
// fields filled in.
func (p *Plan) fill() {
	p.exposed = p.d.Constants.Exposed
	p.planMatmul()
	p.planAttention()
	p.planCommunication()
	p.planMicroBatches()
	p.planFixed()
}

// steadyParams returns the parameters that every token is multiplied with: those of
// the layers without experts, or all there are when the shape is unknown.
func (p *Plan) steadyParams() float64 {
	if !p.d.Model.HasShape() {
		return float64(p.d.Model.TotalParams())
	}
	return float64(p.d.Model.SteadyParams())
}

// deviceParams returns how many of steadyParams one of the devices that share a layer
// has. Those that make what is cached are divided as the cache is; source: ReplicatedLinear
// and QKVParallelLinear in vllm-project/vllm vllm/model_executor/models/deepseek_v2.py and
// layers/linear.py, fused_qkv_a_proj_with_mqa in sgl-project/sglang
// python/sglang/srt/models/deepseek_v2.py, read 2026-11-29.
func (p *Plan) deviceParams() float64 {
	steady, n := p.steadyParams(), float64(p.d.tensor())
	if n == 1 {
		return steady
	}
	cached := float64(p.d.Model.CachedParams())
	return (steady-cached)/n + cached*p.kvShare()
}

func (p *Plan) planMatmul() {
	m, c, n := p.d.Model, p.d.Constants, float64(p.d.tensor())
	experts, steady := p.d.Weights, p.d.Weights.steadyPart(m)
	active := float64(m.ActiveLinearParams() - m.SteadyParams())
	if rate := n * p.computeRate(experts); rate > 0 {
		p.tokenCompute = nanoseconds(2 * (p.deviceParams()/p.computeRate(steady) + active/rate))
		p.logitCompute = nanoseconds(2 * float64(m.HeadParams()) / (n * p.computeRate(p.d.Weights.headPart())))
	} else {
		p.missing = append(p.missing, missingRate)
	}
	bandwidth := n * p.d.Hardware.Bandwidth * c.MBU
	p.layerMemory = nanoseconds(n * p.deviceParams() * steady.bits / 8 / bandwidth)
	p.headMemory = nanoseconds(float64(m.HeadParams()) * p.d.Weights.head / 8 / bandwidth)
	if m.Experts > 0 {
		p.expertMemory = nanoseconds(float64(m.RoutedParams()) * experts.bits / 8 / (bandwidth * p.expertMBU()))
		p.unread = math.Log1p(-float64(m.ActiveExperts) / float64(m.Experts))
	}
}

// computeRate returns the rate at which a device multiplies weights of a format, 0
// when it is unknown.
func (p *Plan) computeRate(f Format) float64 {
	peak, share := p.products(f)
	return peak * share
}

// Products returns the rate in operations a second that code as the engine's could
// reach at most on a device, with the weights of the layers, and the share of it that
// large products do reach. The rate is 0 when it is unknown.
func (p *Plan) Products() (peak, share float64) { return p.products(p.d.Weights) }

// products returns what computeRate is the product of.
//
// Code that keeps to portable instructions reaches a share of the portable rate, where
// there is one for these weights. A GeForce board has half the rate of its chip when
// 16-bit products are added up in 32 bits, and that is all that is halved: tuned code,
// which reaches a share of a whole chip's rate, nearly fills it.
func (p *Plan) products(f Format) (peak, share float64) {
	h, share := p.d.Hardware, p.d.Constants.MFU
	flops, _ := f.rate(h)
	inFP32 := f.compute == in16Bits && h.FP32 > h.FP16
	switch {
	case p.d.portable() && h.Portable > 0 && !inFP32:
		return h.Portable, share
	case p.d.halved(flops):
		return flops, min(max(fullMFU, share), wholeChip*share)
	}
	return flops, share
}

// halved reports whether a rate is half of what its code would reach if sums in 32 bits
// did not halve it.
func (d Deployment) halved(flops float64) bool {
	return d.tuned() && d.Hardware.Family == "geforce" && flops == d.Hardware.FP16
}

// wholeChip is how many times the rate of a GeForce board with 32-bit sums its chip has.
const wholeChip = 2

// fullMFU is as near as products come to a rate that nothing else limits. An estimate.
const fullMFU = .95

// manyExperts is how many make an expert's matrices so small, or so widely spread,
// that reading them is less efficient: more than the 8 or 16 of the models whose
// experts are as large as other models' MLPs. An estimate.
const manyExperts = 32

func (p *Plan) expertMBU() float64 {
	if p.d.Model.Experts < manyExperts {
		return 1
	}
	return p.d.Constants.ExpertMBU
}

// planFixed plans what does not depend on the work, and the pointwise work that
// depends on nothing but the tokens.
func (p *Plan) planFixed() {
	m, c := p.d.Model, p.d.Constants
	layers := nanoseconds(c.LayerFixed.Seconds()*float64(m.Layers) + c.ExpertFixed.Seconds()*float64(m.ExpertLayers()))
	p.fixedBase = nanoseconds(c.StepFixed.Seconds())
	if c.Overlapped {
		p.launches = layers
	} else {
		p.fixedBase += layers
	}
	p.sequenceFixed = nanoseconds(c.SequenceFixed.Seconds())
	moved := c.Activations * (1 + dividedActivation/float64(p.d.tensor()))
	vector := float64(m.Hidden) * activationBytes
	p.activations = nanoseconds(moved * vector * float64(m.Layers) / (p.d.Hardware.Bandwidth * c.MBU))
}

func nanoseconds(seconds float64) float64 { return seconds * 1e9 }

// Deployment returns what the plan was made of, defaults filled in.
func (p *Plan) Deployment() Deployment { return p.d }

// Missing names the figures that are unknown; it is empty for a plan from New.
func (p *Plan) Missing() []string { return p.missing }

// cure says where a user can state a compute rate that a row of the catalogue lacks, or "".
func (p *Plan) cure() string {
	if !slices.Contains(p.missing, missingRate) || p.d.Hardware.Source == "" {
		return ""
	}
	column := "dense_fp16_bf16_TFLOPS"
	if p.d.Hardware.Family == "cpu" {
		column = "fp32_TFLOPS, and cores," // what threads cost depends on them
	}
	return fmt.Sprintf("; state it as %s of hardware of your own, in a file that --catalog or the key catalog names", column)
}

const missingRate = "compute rate"
