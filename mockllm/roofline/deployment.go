package roofline

import (
	"errors"
	"fmt"
	"strings"

	"halfsecond/mockllm/catalog"
)

// Deployment is one replica of a model: the model, and the hardware on which it is
// spread by tensor parallelism.
type Deployment struct {
	Model     catalog.Model
	Hardware  catalog.Hardware
	GPUs      int       // devices that share one replica; 0 means 1
	Weights   Format    // zero means FP16
	KVBytes   float64   // bytes of one cached value; 0 means 2
	Constants Constants // zero means Defaults
}

// withDefaults returns the deployment with its zero fields filled in.
func (d Deployment) withDefaults() Deployment {
	if d.GPUs == 0 {
		d.GPUs = 1
	}
	if d.KVBytes == 0 {
		d.KVBytes = 2
	}
	d.Weights = d.Weights.orDefault()
	if d.Constants == (Constants{}) {
		d.Constants = Defaults(d.Hardware, d.GPUs, d.Weights)
	}
	return d
}

// UnsupportedError says that a kind of model is not modelled.
type UnsupportedError struct {
	Model string
	Kind  string // "a mixture of experts" or "multi-head latent attention"
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("%s uses %s, which is not modelled yet", e.Model, e.Kind)
}

// supported returns an *UnsupportedError for the models that the equation would
// get wrong.
func supported(m catalog.Model) error {
	switch {
	case m.MLAValues > 0:
		return &UnsupportedError{m.Name, "multi-head latent attention"}
	case m.Experts > 0:
		return &UnsupportedError{m.Name, "a mixture of experts"}
	}
	return nil
}

// validate reports everything that is wrong with a deployment whose defaults are
// filled in.
func (d Deployment) validate() error {
	return errors.Join(supported(d.Model), d.validFigures(), d.validGPUs(), d.Constants.validate())
}

func (d Deployment) validFigures() error {
	var errs []error
	if d.Model.TotalParams() <= 0 {
		errs = append(errs, fmt.Errorf("model: %d parameters: want more than 0", d.Model.TotalParams()))
	}
	if !(d.Hardware.Bandwidth > 0) {
		errs = append(errs, fmt.Errorf("memory bandwidth %g: want more than 0", d.Hardware.Bandwidth))
	}
	if !(d.Weights.bits > 0) {
		errs = append(errs, fmt.Errorf("weights of %g bits: want more than 0", d.Weights.bits))
	}
	if !(d.KVBytes > 0) {
		errs = append(errs, fmt.Errorf("cached values of %g bytes: want more than 0", d.KVBytes))
	}
	return errors.Join(errs...)
}

func (d Deployment) validGPUs() error {
	m := d.Model
	switch {
	case d.GPUs < 1:
		return fmt.Errorf("%d GPUs: want at least 1", d.GPUs)
	case d.GPUs == 1:
		return nil
	case !m.HasShape():
		return fmt.Errorf("%d GPUs: a model of unknown shape runs on 1", d.GPUs)
	case m.Heads%d.GPUs != 0:
		return fmt.Errorf("%d GPUs: %s has %d attention heads, which divide among %s GPUs", d.GPUs, m.Name, m.Heads, divisors(m.Heads))
	case m.KVHeads%d.GPUs != 0 && d.GPUs%m.KVHeads != 0:
		return fmt.Errorf("%d GPUs: %s has %d KV heads, which neither divide among them nor fill them evenly", d.GPUs, m.Name, m.KVHeads)
	case d.Hardware.Link == 0:
		return fmt.Errorf("%d GPUs: %s has no interconnect, so a model runs on 1", d.GPUs, d.Hardware.Name)
	}
	return nil
}

// divisors lists the numbers of GPUs, 16 at most, that divide n.
func divisors(n int) string {
	var out []string
	for i := 1; i <= min(n, 16); i++ {
		if n%i == 0 {
			out = append(out, fmt.Sprint(i))
		}
	}
	return strings.Join(out, ", ")
}

// Plan is a deployment ready to be asked: the coefficients of the step equation,
// in nanoseconds. It does not change and may be used by several goroutines.
type Plan struct {
	d       Deployment
	missing []string

	tokenCompute, halfTokens, logitCompute float64
	layerMemory, headMemory                float64
	pairCompute, contextMemory             float64
	communicationBase, tokenCommunication  float64
	fixedBase, sequenceFixed               float64
}

// New returns the plan of a deployment. It needs every figure that a step depends
// on: shape, bandwidth and compute rate. The error names all that is wrong or
// missing; a model that is not modelled gives an *UnsupportedError.
func New(d Deployment) (*Plan, error) {
	p, err := Partial(d)
	if err != nil {
		return nil, err
	}
	if len(p.missing) > 0 {
		return nil, fmt.Errorf("%s on %s: unknown: %s", d.Model.Name, d.Hardware.Name, strings.Join(p.missing, ", "))
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
	p := &Plan{d: d, halfTokens: d.Constants.HalfTokens}
	p.planMatmul()
	p.planAttention()
	p.planCommunication()
	p.fixedBase = nanoseconds(d.Constants.StepFixed.Seconds() + d.Constants.LayerFixed.Seconds()*float64(d.Model.Layers))
	p.sequenceFixed = nanoseconds(d.Constants.SequenceFixed.Seconds())
	return p, nil
}

// layerParams returns the parameters that every token is multiplied with: those of
// the layers, or all there are when the shape is unknown.
func (p *Plan) layerParams() float64 {
	if !p.d.Model.HasShape() {
		return float64(p.d.Model.TotalParams())
	}
	return float64(p.d.Model.LinearParams())
}

// headParams returns the parameters of the output head, 0 when the shape is
// unknown.
func (p *Plan) headParams() float64 { return float64(p.d.Model.HeadParams()) }

func (p *Plan) planMatmul() {
	c, n := p.d.Constants, float64(p.d.GPUs)
	flops, unpacked := p.d.Weights.rate(p.d.Hardware)
	if unpacked {
		flops *= c.Dequant
	}
	if flops > 0 {
		p.tokenCompute = nanoseconds(2 * p.layerParams() / (n * flops * c.MFU))
		p.logitCompute = nanoseconds(2 * p.headParams() / (n * flops * c.MFU))
	} else {
		p.missing = append(p.missing, "compute rate")
	}
	bandwidth := n * p.d.Hardware.Bandwidth * c.MBU
	p.layerMemory = nanoseconds(p.layerParams() * p.d.Weights.bits / 8 / bandwidth)
	p.headMemory = nanoseconds(p.headParams() * p.d.Weights.head / 8 / bandwidth)
}

func (p *Plan) planAttention() {
	m, c, n := p.d.Model, p.d.Constants, float64(p.d.GPUs)
	if !m.HasShape() {
		p.missing = append(p.missing, "model shape")
		return
	}
	if flops, _ := FP16.rate(p.d.Hardware); flops > 0 {
		p.pairCompute = nanoseconds(4 * float64(m.Heads*m.HeadDim*m.Layers) / (n * flops * c.AttentionMFU))
	}
	bandwidth := p.d.Hardware.Bandwidth * c.AttentionMBU
	if p.d.KVBytes < 2 {
		bandwidth *= c.KVDequant
	}
	p.contextMemory = nanoseconds(p.kvBytes() * p.kvShare() / bandwidth)
}

func (p *Plan) planCommunication() {
	if p.d.GPUs == 1 {
		return
	}
	m, c, n := p.d.Model, p.d.Constants, float64(p.d.GPUs)
	calls := 2 * float64(m.Layers)
	p.communicationBase = calls * nanoseconds(c.AllReduceLatency.Seconds())
	const activationBytes = 2
	tokenBytes := 2 * (n - 1) / n * float64(m.Hidden) * activationBytes
	p.tokenCommunication = calls * nanoseconds(tokenBytes/(p.d.Hardware.Link*c.BusShare))
}

func nanoseconds(seconds float64) float64 { return seconds * 1e9 }

// Deployment returns what the plan was made of, defaults filled in.
func (p *Plan) Deployment() Deployment { return p.d }

// Missing names the figures that are unknown; it is empty for a plan from New.
func (p *Plan) Missing() []string { return p.missing }

// Notes returns what a reader of the plan's figures should know about them.
func (p *Plan) Notes() []string {
	m, h := p.d.Model, p.d.Hardware
	var notes []string
	note := func(when bool, format string, args ...any) {
		if when {
			notes = append(notes, fmt.Sprintf(format, args...))
		}
	}
	_, unpacked := p.d.Weights.rate(h)
	flops, _ := FP16.rate(h)
	note(!m.HasShape(), "the model's shape is unknown: attention, KV cache and fixed costs per layer are left out")
	note(flops == 0, "the compute rate is unknown: steps are taken as bound by memory, and prefill is unknown")
	note(m.Window > 0, "%s has a sliding window of %d tokens in part of its layers; it is computed with full attention, so long contexts come out too slow and the KV cache too large", m.Name, m.Window)
	note(unpacked && p.d.Weights != INT4, "%s does not multiply faster in %s than in 16 bits: weights are unpacked to 16 bits first", h.Name, p.d.Weights)
	note(h.FP32 > h.FP16, "%s multiplies faster in 32 bits than in 16: its 32-bit rate is used", h.Name)
	note(p.d.GPUs > 2 && bridged(h), "NVLink bridges join %s in pairs: all-reduce between pairs crosses PCIe", h.Name)
	note(p.d.GPUs > 1 && h.Family == "geforce", "consumer boards have no peer-to-peer copies: communication may be slower than this")
	note(p.d.Constants.Note != "", "%s", p.d.Constants.Note)
	return notes
}
