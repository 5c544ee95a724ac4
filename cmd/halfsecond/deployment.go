package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/roofline"
	"halfsecond/simulators/scenario"
)

// namedDeployment is a model on hardware, by their names in the catalogue, as typed.
type namedDeployment struct {
	model, hardware, engine string
	weights, kv             string
	gpus, stages            int
	split                   string
	kvTokens                int
	catalog                 string // a file with the user's own rows, or ""
	profile                 string // a file of calibrated constants, or ""
}

// deploymentFlags are the names of those that addFlags adds.
var deploymentFlags = []string{
	"model", "hardware", "engine", "gpus", "split", "stages", "weights", "kv-cache", "kv-tokens", "catalog", "profile",
}

// typed returns those of the flags that were given, with their dashes.
func typed(given func(flag string) bool, flags ...string) []string {
	var out []string
	for _, f := range flags {
		if given(f) {
			out = append(out, "--"+f)
		}
	}
	return out
}

func (n *namedDeployment) addFlags(f *pflag.FlagSet) {
	n.addNames(f)
	f.StringVar(&n.profile, "profile", "", "`file` with constants that 'halfsecond calibrate' fitted")
}

// addNames adds all flags but that of the profile.
func (n *namedDeployment) addNames(f *pflag.FlagSet) {
	f.StringVar(&n.model, "model", "", "`name` of a model of the catalogue")
	f.StringVar(&n.hardware, "hardware", "", "`name` of the hardware of the catalogue")
	f.StringVar(&n.engine, "engine", "vllm", "`name` of an engine family of the catalogue")
	f.IntVar(&n.gpus, "gpus", 1, "`devices` that share the model")
	f.StringVar(&n.split, "split", "", "`how` they share it: tensor (a part of every layer) or layer (some of the layers; default: as the engine does)")
	f.IntVar(&n.stages, "stages", 1, "pipeline `stages` of so many devices each")
	f.StringVar(&n.weights, "weights", "native", "weight `format`: native (as the model was published), "+formatNames()+"; fp16 stands for bf16 too; with the bits of a weight that a file is known to have as Q4_K_M@4.7")
	f.StringVar(&n.kv, "kv-cache", "fp16", "`format` of the KV cache: fp16, fp8, int8, q8_0 or q4_0")
	f.IntVar(&n.kvTokens, "kv-tokens", 0, "`tokens` that the KV cache holds, where that is known (default: what fits the memory)")
	f.StringVar(&n.catalog, "catalog", "", "`file` with hardware, models and engines of your own")
}

// formatNames lists the weight formats.
func formatNames() string {
	var names []string
	for _, f := range roofline.Formats() {
		names = append(names, f.String())
	}
	return strings.Join(names, ", ")
}

// find returns the model on the hardware, with the constants of the profile if there
// is one. It reports all that is wrong at once.
func (n namedDeployment) find() (roofline.Deployment, error) {
	d, err := n.byNames()
	if err != nil || n.profile == "" {
		return d, err
	}
	p, err := n.openProfile()
	if err == nil {
		d.Constants, err = p.Constants(d)
	}
	return d, err
}

// openProfile returns the profile, nil for none.
func (n namedDeployment) openProfile() (*scenario.Profile, error) {
	if n.profile == "" {
		return nil, nil
	}
	data, err := readFile(n.profile, mostSmallFile)
	if err != nil {
		return nil, fmt.Errorf("--profile: %w", err)
	}
	return scenario.ReadProfile(n.profile, data)
}

func (n namedDeployment) byNames() (roofline.Deployment, error) {
	d := roofline.Deployment{GPUs: n.gpus, Stages: n.stages, Split: n.split, KVTokens: n.kvTokens}
	c, err := openCatalog(n.catalog)
	if err != nil {
		return d, err
	}
	var errs [5]error
	if n.model == "" {
		errs[0] = errors.New("--model is missing: 'halfsecond catalog models' lists them")
	} else {
		d.Model, errs[0] = c.Model(n.model)
	}
	if n.hardware == "" {
		errs[1] = errors.New("--hardware is missing: 'halfsecond catalog hardware' lists it")
	} else {
		d.Hardware, errs[1] = c.Hardware(n.hardware)
	}
	d.Engine, errs[2] = c.Engine(n.engine)
	d.Weights, errs[3] = roofline.ParseFormat(n.weights)
	d.Weights = d.Weights.Of(d.Model, d.Engine, d.Hardware)
	d.KV, errs[4] = roofline.ParseKVFormat(n.kv)
	return d, errors.Join(errors.Join(errs[:]...), n.validate())
}

// openCatalog returns the built-in catalogue, with the rows of a file unless its name
// is "".
func openCatalog(file string) (*catalog.Catalog, error) {
	if file == "" {
		return catalog.Builtin(), nil
	}
	data, err := readFile(file, mostSmallFile)
	if err != nil {
		return nil, fmt.Errorf("--catalog: %w", err)
	}
	return catalog.Read(file, data)
}

// validate reports every number that is out of range.
func (n namedDeployment) validate() error {
	errs := []error{
		within("gpus", n.gpus, 1, mostDevices),
		within("stages", n.stages, 1, mostDevices),
	}
	if n.kvTokens != 0 {
		errs = append(errs, within("kv-tokens", n.kvTokens, roofline.BlockTokens, mostTokens))
	}
	if n.split != "" && n.split != catalog.SplitTensor && n.split != catalog.SplitLayer {
		errs = append(errs, fmt.Errorf("--split %s: want %s or %s", n.split, catalog.SplitTensor, catalog.SplitLayer))
	}
	return errors.Join(errs...)
}

// mostDevices is more than anybody joins.
const mostDevices = 1024

// within reports a number that a flag must not have.
func within(flag string, v, least, most int) error {
	switch {
	case v < least:
		return fmt.Errorf("--%s %d: want at least %d", flag, v, least)
	case v > most:
		return fmt.Errorf("--%s %d: want at most %d", flag, v, most)
	}
	return nil
}

// alternatives says which single change would make a model fit, or "".
func alternatives(d roofline.Deployment) string {
	ways := slices.DeleteFunc([]string{moreDevices(d), fewerBits(d)}, func(way string) bool { return way == "" })
	if len(ways) == 0 {
		return ""
	}
	return "; it would with " + strings.Join(ways, " or with ")
}

// moreDevices returns the flag for the fewest devices that hold a model, or "".
func moreDevices(d roofline.Deployment) string {
	for d.GPUs *= 2; d.GPUs <= 16; d.GPUs *= 2 {
		if fits(d) {
			return fmt.Sprintf("--gpus %d", d.GPUs)
		}
	}
	return ""
}

// fewerBits returns the flag for the format closest to the deployment's, of those that
// its engine reads, in which the model fits, or "".
func fewerBits(d roofline.Deployment) string {
	bits := d.Weights.Bits()
	for _, f := range d.Readable() {
		if d.Weights = f; f.Bits() < bits && fits(d) {
			return "--weights " + f.String()
		}
	}
	return ""
}

// fits reports whether a model leaves room for a KV cache.
func fits(d roofline.Deployment) bool {
	plan, err := roofline.Partial(d)
	if err != nil {
		return false
	}
	_, err = plan.KVTokens()
	return err == nil
}
