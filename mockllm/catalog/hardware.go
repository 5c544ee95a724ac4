package catalog

import _ "embed"

// Hardware is one accelerator or processor. Figures are per device; one that
// nobody published is 0.
type Hardware struct {
	Name   string
	Vendor string
	// Family groups devices that behave alike, "" for none of these: "hopper", "ampere", "ada",
	// "blackwell", "pre-ampere", "geforce" (every NVIDIA consumer board), "cdna",
	// "rdna", "gaudi", "tpu", "groq", "apple" or "cpu".
	Family string

	// Memory in bytes. What vendors call a GB of device memory is 2^30 bytes: a
	// 24 GB RTX 4090 reports 24,564 MiB.
	Memory    int64
	Bandwidth float64 // of the memory, bytes a second, as on the datasheet
	// MemoryType is how the memory is built: HBM, "GDDR", "LPDDR", "DDR" or "SRAM"; ""
	// when it is not known.
	MemoryType string

	// Peak dense rates, without sparsity, in operations a second. For GeForce
	// boards FP16 and FP8 are the rates with 32-bit accumulation.
	FP16 float64 // 16-bit floats
	FP32 float64 // only where it is the usable rate because FP16 is slower
	// Portable is the rate of code that keeps to the instructions of every generation
	// and sums in 16 bits, for weights that are unpacked or of 16 bits: twice FP16 on
	// GeForce boards with 16-bit products, what the instructions of A100 reach on
	// Hopper (2,048 operations a cycle and multiprocessor), and the rate of 8-bit
	// products where FP32 is the usable rate. 0 means FP16.
	Portable float64
	INT8     float64
	FP8      float64
	FP4      float64 // of 4-bit floats with a scale a block

	Interconnect string  // how devices of one machine are joined; "" or "none" when they are not
	Link         float64 // bytes a second and direction of that interconnect
	Cores        int     // of a processor that threads run on; 0 when not known
	TDP          float64 // watts

	Source     string // where the figures were read, with caveats
	Unverified bool   // the figures were written from memory and await a source
	Own        bool   // it is a row of a user's file
}

var hardwareColumns = []string{
	"name", "vendor", "family", "memory_GB", "mem_bandwidth_GB_s", "memory_type", "dense_fp16_bf16_TFLOPS", "portable_TFLOPS",
	"fp32_TFLOPS", "int8_TOPS", "fp8_TFLOPS", "fp4_TFLOPS", "interconnect", "interconnect_GB_s_per_direction", "cores", "TDP_W", "source",
}

var families = []string{
	"hopper", "ampere", "ada", "blackwell", "pre-ampere", "geforce", "cdna", "rdna", "gaudi", "tpu", "groq", "apple", "cpu",
}

// HBM is memory stacked beside the chip.
const HBM = "HBM"

var memoryTypes = []string{HBM, "GDDR", "LPDDR", "DDR", "SRAM"}

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
		Vendor:       r.stated("vendor", ""),
		Family:       r.oneOfOr("family", "", families...),
		Memory:       int64(r.number("memory_GB") * gib),
		Bandwidth:    r.requiredNumber("mem_bandwidth_GB_s") * giga,
		MemoryType:   r.oneOfOr("memory_type", "", memoryTypes...),
		FP16:         r.number("dense_fp16_bf16_TFLOPS") * tera,
		FP32:         r.number("fp32_TFLOPS") * tera,
		Portable:     r.number("portable_TFLOPS") * tera,
		INT8:         r.number("int8_TOPS") * tera,
		FP8:          r.number("fp8_TFLOPS") * tera,
		FP4:          r.number("fp4_TFLOPS") * tera,
		Interconnect: r.text("interconnect"),
		Link:         r.number("interconnect_GB_s_per_direction") * giga,
		Cores:        r.count("cores"),
		TDP:          r.number("TDP_W"),
		Source:       r.stated("source", r.file),
		Unverified:   unverified(r.text("source")),
		Own:          r.user,
	}
}

var hardwareTable = table[Hardware]{"hardware", hardwareColumns, parseHardware}

func hardwareNames(h Hardware) []string { return []string{h.Name} }

// AllHardware returns every built-in device in the order of the table.
func AllHardware() []Hardware { return Builtin().Devices() }

// FindHardware returns the built-in device with that name, as Catalog.Hardware
// does.
func FindHardware(name string) (Hardware, error) { return Builtin().Hardware(name) }
