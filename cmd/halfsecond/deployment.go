package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/roofline"
)

// namedDeployment is a model on hardware, by their names in the catalogue, as typed.
type namedDeployment struct {
	model, hardware, weights string
	gpus                     int
}

func (n *namedDeployment) addFlags(f *pflag.FlagSet) {
	f.StringVar(&n.model, "model", "", "`name` of a model of the catalogue")
	f.StringVar(&n.hardware, "hardware", "", "`name` of the hardware of the catalogue")
	f.IntVar(&n.gpus, "gpus", 1, "`devices` that share the model by tensor parallelism")
	f.StringVar(&n.weights, "weights", "fp16", "weight `format`: fp16, fp8, int8 or int4")
}

// find returns the model on the hardware. It reports all that is wrong at once.
func (n namedDeployment) find() (roofline.Deployment, error) {
	d := roofline.Deployment{GPUs: n.gpus}
	var errs [3]error
	if n.model == "" {
		errs[0] = errors.New("--model is missing: 'halfsecond catalog models' lists them")
	} else {
		d.Model, errs[0] = catalog.FindModel(n.model)
	}
	if n.hardware == "" {
		errs[1] = errors.New("--hardware is missing: 'halfsecond catalog hardware' lists it")
	} else {
		d.Hardware, errs[1] = catalog.FindHardware(n.hardware)
	}
	d.Weights, errs[2] = roofline.ParseFormat(n.weights)
	return d, errors.Join(errs[:]...)
}

// alternatives says which single change would make a model fit, or "".
func alternatives(d roofline.Deployment) string {
	fits := func(d roofline.Deployment) bool {
		plan, err := roofline.Partial(d)
		if err != nil {
			return false
		}
		_, err = plan.KVTokens()
		return err == nil
	}
	var ways []string
	for more := d; more.GPUs < 16 && len(ways) == 0; {
		more.GPUs *= 2
		if fits(more) {
			ways = append(ways, fmt.Sprintf("--gpus %d", more.GPUs))
		}
	}
	for _, f := range roofline.Formats() {
		if fewer := d; f.Bits() < d.Weights.Bits() {
			if fewer.Weights = f; fits(fewer) {
				ways = append(ways, "--weights "+f.String())
				break
			}
		}
	}
	if len(ways) == 0 {
		return ""
	}
	return "; it would with " + strings.Join(ways, " or with ")
}
