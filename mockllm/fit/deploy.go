package fit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/roofline"
)

// Deployment returns what a row measured, with the catalogue's figures and without
// constants; of a row with replicas, one of them. The error says which name is unknown,
// or what the row leaves open that its metric depends on.
func (r Row) Deployment(c *catalog.Catalog) (roofline.Deployment, error) {
	m, err1 := c.Model(r.Model)
	h, err2 := c.Hardware(r.GPU)
	e, err3 := engineOf(c, r.Engine, r.Note)
	w, err4 := formatOf(r.WeightFormat, r.Bits)
	if err := errors.Join(err1, err2, err3, err4, r.lacks()); err != nil {
		return roofline.Deployment{}, err
	}
	d := roofline.Deployment{Model: m, Hardware: h, Engine: e, GPUs: r.GPUs, Weights: w, KV: r.cacheFormat(e)}
	switch r.Parallelism {
	case parallelTensor:
		d.Split = catalog.SplitTensor
	case parallelLayer:
		d.Split = catalog.SplitLayer
	case parallelReplicas:
		d.GPUs = 1
	}
	return d, nil
}

// engineOf finds the family of an engine by the longest of the catalogue's names and
// aliases with which the name begins: "trtllm-1.0.0rc3" is trtllm, and "vLLM-2023",
// of which the catalogue knows more, vllm-v0. A note such as "kernel GEMV" chooses the
// family of that kernel where there is one. Software of another name is not assumed to
// be like any other: the error names the nearest families.
func engineOf(c *catalog.Catalog, name, note string) (catalog.Engine, error) {
	found, ok := longestName(c, spelling(name))
	if !ok {
		_, err := c.Engine(name)
		return catalog.Engine{}, err
	}
	if _, kernel, ok := strings.Cut(note, "kernel "); ok {
		kernel, _, _ = strings.Cut(kernel, ";")
		if e, err := c.Engine(found.Name + "-" + strings.TrimSpace(kernel)); err == nil {
			return e, nil
		}
	}
	return found, nil
}

// backEnds are words in names of engines that say on what they ran. The GPU of the row
// says it too.
var backEnds = []string{"cpu", "cuda", "hip", "metal", "rocm", "sycl", "vulkan"}

// spelling returns the words of an engine's name in small letters with dashes between
// them, without back ends and without the v of a version: "llama.cpp CUDA v0.3" is
// "llama.cpp-0.3".
func spelling(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune("-_ /", r) })
	words = slices.DeleteFunc(words, func(w string) bool { return slices.Contains(backEnds, w) })
	for i, w := range words {
		if i > 0 && strings.HasPrefix(w, "v") && strings.Contains(w, ".") {
			words[i] = w[1:]
		}
	}
	return strings.Join(words, "-")
}

// longestName returns the family with the longest name with which a spelling begins.
func longestName(c *catalog.Catalog, name string) (best catalog.Engine, ok bool) {
	length := 0
	for _, e := range c.Engines() {
		for _, n := range append([]string{e.Name}, e.Aliases...) {
			if n = spelling(n); len(n) > length && begins(name, n) {
				best, length = e, len(n)
			}
		}
	}
	return best, length > 0
}

// begins reports whether a name begins with another, which ends where neither a word
// nor a number goes on.
func begins(name, with string) bool {
	if !strings.HasPrefix(name, with) {
		return false
	}
	rest := name[len(with):]
	return rest == "" || rest[0] == '-' || rest[0] == '.'
}

// formatOf returns a weight format by its name, with the bits that were stated. What
// follows a space, and then word by word what follows a dash or an underscore, may be
// unknown: "Q4_K_S" is like q4. A name of which nothing is known stores weights only,
// in the bits that were stated.
func formatOf(name string, bits float64) (roofline.Format, error) {
	word, _, _ := strings.Cut(name, " ")
	f, err := roofline.ParseFormat(word)
	for w := word; err != nil; {
		end := strings.LastIndexAny(w, "-_")
		if end < 0 {
			break
		}
		w = w[:end]
		if known, wrong := roofline.ParseFormat(w); wrong == nil {
			f, err = known, nil
		}
	}
	switch {
	case err != nil && bits == 0:
		return f, fmt.Errorf("%w, or fill bits_per_weight", err)
	case err != nil && bits >= 16:
		return roofline.FP16.WithBits(bits), nil
	case err != nil:
		return roofline.PackedFormat(word, bits), nil
	case bits > 0 && f.Bits() < 16:
		return f.WithBits(bits), nil
	}
	return f, nil
}

// cacheFormat returns how keys and values were kept. Gaudi's pages do not say, but
// their batches only fit with one byte a value.
func (r Row) cacheFormat(e catalog.Engine) roofline.KVFormat {
	if strings.Contains(r.Note, "fp8 KV") || e.Name == "optimum-habana" && r.WeightFormat == "fp8" {
		return roofline.KVFP8
	}
	return roofline.KVFP16
}
