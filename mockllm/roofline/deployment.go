package roofline

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"halfsecond/mockllm/catalog"
)

// Deployment is one replica of a model: the model, the software that serves it, and
// the hardware on which it is spread.
type Deployment struct {
	Model     catalog.Model
	Hardware  catalog.Hardware
	Engine    catalog.Engine // zero means vllm; its limits become those on this hardware
	GPUs      int            // devices that share every layer or, by a layer split, the layers; 0 means 1
	Stages    int            // pipeline parallelism: groups of GPUs devices, each with some of the layers; 0 means 1
	Split     string         // how GPUs devices share: catalog.SplitTensor or SplitLayer; "" means as the engine does
	Weights   Format         // zero means Native
	KV        KVFormat       // zero means KVFP16
	KVTokens  int            // tokens that the cache holds, where that is known; 0 means computed
	Constants Constants      // zero means Defaults
}

// withDefaults returns the deployment with its zero fields filled in.
func (d Deployment) withDefaults() Deployment {
	d = d.filled()
	if d.Constants == (Constants{}) {
		d.Constants = Defaults(d)
	}
	return d
}

// filled returns the deployment with its zero fields but Constants filled in.
func (d Deployment) filled() Deployment {
	if d.GPUs == 0 {
		d.GPUs = 1
	}
	if d.Stages == 0 {
		d.Stages = 1
	}
	if d.Engine.Name == "" {
		d.Engine = defaultEngine()
	}
	d.Engine = d.Engine.On(d.Hardware)
	if d.Split == "" {
		d.Split = d.Engine.Split
	}
	d.Weights, d.KV = d.Weights.Of(d.Model, d.Engine, d.Hardware), d.KV.orDefault()
	return d
}

// defaultEngine is the engine of a deployment that names none.
func defaultEngine() catalog.Engine {
	e, err := catalog.FindEngine("vllm")
	if err != nil {
		panic(err)
	}
	return e
}

// Devices returns how many devices the replica takes.
func (d Deployment) Devices() int { return max(1, d.GPUs) * max(1, d.Stages) }

// tensor returns among how many devices each layer is divided.
func (d Deployment) tensor() int {
	if d.Split == catalog.SplitLayer {
		return 1
	}
	return d.GPUs
}

// stages returns into how many groups the layers are divided, one after the other.
func (d Deployment) stages() int { return d.Devices() / d.tensor() }

// validate reports everything that is wrong with a deployment whose defaults are
// filled in.
func (d Deployment) validate() error {
	return errors.Join(d.validFigures(), d.validDevices(), d.Constants.validate())
}

func (d Deployment) validFigures() error {
	var errs []error
	if d.Model.TotalParams() <= 0 {
		errs = append(errs, fmt.Errorf("model: %d parameters: want more than 0", d.Model.TotalParams()))
	}
	if !(d.Hardware.Bandwidth > 0) {
		errs = append(errs, fmt.Errorf("memory bandwidth %g: want more than 0", d.Hardware.Bandwidth))
	}
	if e := d.Engine; e.Support(d.Hardware) == catalog.Unsupported {
		errs = append(errs, fmt.Errorf("%s does not run on %s: it is made for %s", e.Name, d.Hardware.Name, strings.Join(slices.Concat(e.RunsOn, e.PortedTo), ", ")))
	}
	if !(d.Weights.bits > 0) {
		errs = append(errs, fmt.Errorf("weights of %g bits: want more than 0", d.Weights.bits))
	}
	if d.KVTokens != 0 && d.KVTokens < BlockTokens {
		errs = append(errs, fmt.Errorf("a cache of %d tokens: want at least a block of %d", d.KVTokens, BlockTokens))
	}
	return errors.Join(errs...)
}

func (d Deployment) validDevices() error {
	m := d.Model
	switch {
	case d.GPUs < 1:
		return fmt.Errorf("%d GPUs: want at least 1", d.GPUs)
	case d.Stages < 1:
		return fmt.Errorf("%d stages: want at least 1", d.Stages)
	case !slices.Contains([]string{catalog.SplitTensor, catalog.SplitLayer}, d.Split):
		return fmt.Errorf("split %q: want %s or %s", d.Split, catalog.SplitTensor, catalog.SplitLayer)
	case d.Devices() == 1:
		return nil
	case !m.HasShape():
		return fmt.Errorf("%d GPUs: a model of unknown shape runs on 1", d.Devices())
	case d.Hardware.Link == 0:
		return fmt.Errorf("%d GPUs: %s has no interconnect, so a model runs on 1", d.Devices(), d.Hardware.Name)
	case d.stages() > m.Layers:
		return fmt.Errorf("%d stages: %s has only %d layers", d.stages(), m.Name, m.Layers)
	}
	return d.validHeads()
}

// validHeads reports heads that do not divide among the devices that share a layer.
func (d Deployment) validHeads() error {
	m, n := d.Model, d.tensor()
	switch {
	case m.Heads%n != 0:
		return fmt.Errorf("%d GPUs: %s has %d attention heads, which divide among %s GPUs", n, m.Name, m.Heads, divisors(m.Heads))
	case m.KVRank == 0 && m.KVHeads%n != 0 && n%m.KVHeads != 0:
		return fmt.Errorf("%d GPUs: %s has %d KV heads, which neither divide among them nor fill them evenly", n, m.Name, m.KVHeads)
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
