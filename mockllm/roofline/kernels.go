package roofline

import (
	"strings"

	"halfsecond/mockllm/catalog"
)

// kernels names the code that multiplies: that of the engine, or of the back end on
// hardware that has one of its own. Deployments whose code and arithmetic are alike
// share their constants.
func (d Deployment) kernels() string {
	switch family, k := d.Hardware.Family, d.Engine.Kernels; {
	case family == "apple":
		return "metal"
	case family == "cpu" && k != "ik":
		return "cpu"
	case family != "cpu" && k == "ik":
		return "llama.cpp" // what is its own is for processors
	default:
		return k
	}
}

// arithmetic names how weights are multiplied: "16", "8" or "4" bits where the
// hardware does it, "q" where they are unpacked first.
func (d Deployment) arithmetic() string {
	_, unpacked := d.Weights.rate(d.Hardware)
	switch {
	case unpacked:
		return "q"
	case d.Weights.compute == inFP8, d.Weights.compute == inINT8:
		return "8"
	case d.Weights.compute == inFP4:
		return "4"
	default:
		return "16"
	}
}

// tuned reports whether the code is written for each generation of hardware; that of
// servers is.
func (d Deployment) tuned() bool {
	switch d.kernels() {
	case "serving", "serving-2023", "eager", "transformers", "gpt-fast":
		return true
	}
	return false
}

// portable reports whether the code keeps to the instructions that every generation
// has, with sums in 16 bits.
func (d Deployment) portable() bool {
	k := d.kernels()
	return k == "llama.cpp" || k == "local"
}

// serves reports whether a scheduler composes every step from the requests at hand,
// which costs a while a step and sequence.
func (d Deployment) serves() bool {
	switch d.kernels() {
	case "serving", "serving-2023", "eager":
		return true
	}
	return false
}

// captured reports whether the launches of a whole step are recorded beforehand.
func (d Deployment) captured() bool {
	switch d.kernels() {
	case "eager", "transformers", "serving-2023":
		return false
	}
	return true
}

// overlapped reports whether the host launches kernels while the device still works
// on earlier ones, one at a time, so that a step takes the longer of the two.
func (d Deployment) overlapped() bool {
	k := d.kernels()
	return k == "eager" || k == "transformers"
}

// names lists the constants of a table that make up those of a deployment: each is
// the product of its names.
type names struct {
	mfu, mbu, layer, sequence, activations []string
	perCore                                float64 // by what a fixed cost of a layer is multiplied
}

func (n names) all() []string {
	var out []string
	for _, list := range [][]string{n.mfu, n.mbu, n.layer, n.sequence, n.activations} {
		out = append(out, list...)
	}
	return out
}

// Uses returns the names of the constants that a deployment's constants are made of.
func Uses(d Deployment) []string { return d.filled().names().all() }

// names says which constants deployments share. Engines are told apart by their
// kernels, weights by their arithmetic; hardware only where whole families differ.
func (d Deployment) names() names {
	k, a := d.kernels(), d.arithmetic()
	n := names{mfu: []string{"mfu." + k + "." + a}, mbu: []string{"mbu." + k}, layer: []string{"layer." + k}, perCore: 1}
	switch k {
	case "serving", "serving-2023":
		n.mfu, n.mbu = []string{"mfu.serving." + a}, []string{"mbu.serving"}
		if a == "8" || a == "4" {
			n.mbu = append(n.mbu, "mbu.serving-in-"+a)
		}
	case "llama.cpp", "metal", "gpt-fast":
		kind := ".16"
		if a != "16" {
			kind = ".q"
		}
		n.mfu, n.mbu, n.layer = []string{"mfu." + k + kind}, []string{"mbu." + k + kind}, []string{"layer." + k + kind}
		// What llama.cpp's kernels spend on unpacking, beside reading, shows as a cost a
		// layer; those of mlx unpack while they read.
		if d.Engine.Name == "mlx" {
			n.layer = []string{"layer.metal.16"}
		}
	case "autoawq", "awq-gemv":
		n.mbu, n.layer = []string{"mbu.local"}, []string{"layer.local", "layer.autoawq"}
	case "eager":
		n.sequence, n.activations = []string{"sequence.eager"}, []string{"activations.eager"}
		if d.Hardware.Family == "ampere" {
			n.layer = append(n.layer, "layer.eager-on-ampere")
		}
	case "transformers":
		n.activations = []string{"activations.transformers"}
	case "ik":
		n.mbu, n.layer = []string{"mbu.cpu"}, []string{"layer.cpu"}
	}
	if k == "cpu" || k == "ik" {
		n.perCore = float64(max(1, d.Hardware.Cores))
	}
	return d.namedHardware(n)
}

// namedHardware adds the factors of the families of hardware that differ.
func (d Deployment) namedHardware(n names) names {
	h := d.Hardware
	stacked := h.MemoryType == catalog.HBM
	switch f := h.Family; {
	case d.tuned() && (f == "cdna" || f == "gaudi" || f == "blackwell" && stacked):
		n.mfu, n.mbu = append(n.mfu, "mfu.on-"+f), append(n.mbu, "mbu.on-"+f)
	case f == "apple" && strings.HasPrefix(h.Name, "Apple-M1"):
		n.mfu, n.mbu = append(n.mfu, "mfu.on-m1"), append(n.mbu, "mbu.on-m1")
	case !d.tuned() && stacked:
		n.mbu, n.layer = append(n.mbu, "mbu.portable-on-hbm"), append(n.layer, "layer.portable-on-hbm")
	}
	if d.kernels() == "llama.cpp" && h.Family == "pre-ampere" {
		n.mbu = append(n.mbu, "mbu.on-pre-ampere")
	}
	return n
}
