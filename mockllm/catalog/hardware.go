package catalog

import (
	_ "embed"
	"slices"
	"sync"
)

// Hardware is one accelerator or processor. Figures are per device; one that
// nobody published is 0.
type Hardware struct {
	Name   string
	Vendor string
	// Family groups devices that behave alike: "hopper", "ampere", "ada",
	// "blackwell", "pre-ampere", "geforce" (every NVIDIA consumer board), "cdna",
	// "rdna", "gaudi", "tpu", "groq", "apple" or "cpu".
	Family string

	// Memory in bytes. What vendors call a GB of device memory is 2^30 bytes: a
	// 24 GB RTX 4090 reports 24,564 MiB.
	Memory    int64
	Bandwidth float64 // of the memory, bytes a second, as on the datasheet

	// Peak dense rates, without sparsity, in operations a second. For GeForce
	// boards FP16 and FP8 are the rates with 32-bit accumulation.
	FP16 float64 // 16-bit floats
	FP32 float64 // only where it is the usable rate because FP16 is slower
	INT8 float64
	FP8  float64

	Interconnect string  // how devices of one machine are joined; "" or "none" when they are not
	Link         float64 // bytes a second and direction of that interconnect
	TDP          float64 // watts

	Source     string // where the figures were read, with caveats
	Unverified bool   // the figures were written from memory and await a source
}

var hardwareColumns = []string{
	"name", "vendor", "family", "memory_GB", "mem_bandwidth_GB_s", "dense_fp16_bf16_TFLOPS", "fp32_TFLOPS", "int8_TOPS",
	"fp8_TFLOPS", "interconnect", "interconnect_GB_s_per_direction", "TDP_W", "source",
}

var families = []string{
	"hopper", "ampere", "ada", "blackwell", "pre-ampere", "geforce", "cdna", "rdna", "gaudi", "tpu", "groq", "apple", "cpu",
}

//go:embed hardware.csv
var hardwareCSV string

const (
	giga = 1e9
	tera = 1e12
	gib  = 1 << 30
)

func parseHardware(r *record) Hardware {
	return Hardware{
		Name:         r.required("name"),
		Vendor:       r.required("vendor"),
		Family:       r.oneOf("family", families...),
		Memory:       int64(r.number("memory_GB") * gib),
		Bandwidth:    r.requiredNumber("mem_bandwidth_GB_s") * giga,
		FP16:         r.number("dense_fp16_bf16_TFLOPS") * tera,
		FP32:         r.number("fp32_TFLOPS") * tera,
		INT8:         r.number("int8_TOPS") * tera,
		FP8:          r.number("fp8_TFLOPS") * tera,
		Interconnect: r.text("interconnect"),
		Link:         r.number("interconnect_GB_s_per_direction") * giga,
		TDP:          r.number("TDP_W"),
		Source:       r.required("source"),
		Unverified:   unverified(r.text("source")),
	}
}

var hardware = sync.OnceValue(func() *index[Hardware] {
	rows := mustRead("hardware.csv", hardwareCSV, hardwareColumns, parseHardware)
	return newIndex("hardware", rows, func(h Hardware) []string { return []string{h.Name} })
})

// AllHardware returns every device in the order of the table.
func AllHardware() []Hardware { return slices.Clone(hardware().rows) }

// FindHardware returns the device with that name. Case and punctuation do not
// matter as long as only one device matches. The error is a *NotFoundError.
func FindHardware(name string) (Hardware, error) { return hardware().find(name) }
