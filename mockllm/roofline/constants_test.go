package roofline

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/catalog"
)

// everyDeployment calls f with each engine on each hardware that it runs on, in each
// format, alone and on two devices.
func everyDeployment(f func(Deployment)) {
	for _, h := range catalog.AllHardware() {
		for _, e := range catalog.AllEngines() {
			if e.Support(h) == catalog.Unsupported {
				continue
			}
			for _, w := range Formats() {
				for devices := 1; devices <= 2; devices++ {
					f(Deployment{Hardware: h, Engine: e, Weights: w, GPUs: devices})
				}
			}
		}
	}
}

func TestEveryDeploymentHasConstants(t *testing.T) {
	everyDeployment(func(d Deployment) {
		if err := errors.Join(Defaults(d).validate(), Values{}.Constants(d).validate()); err != nil {
			t.Errorf("%s on %d x %s in %s: %v", d.Engine.Name, d.GPUs, d.Hardware.Name, d.Weights, err)
		}
	})
}

// The rates of an all-reduce that were measured, in GB/s, and its latency.
func TestAllReduce(t *testing.T) {
	for _, test := range []struct {
		engine, hardware string
		gpus             int
		bus              float64
		latency          time.Duration
	}{
		{"vllm", "A100-80GB-SXM", 2, 156, 9 * time.Microsecond},
		{"vllm", "A100-80GB-SXM", 4, 168, 9 * time.Microsecond},
		{"vllm", "A100-80GB-SXM", 8, 174, 9 * time.Microsecond},
		{"vllm", "H100-SXM", 2, 274.5, 9 * time.Microsecond},
		{"vllm", "H100-SXM", 4, 315, 9 * time.Microsecond},
		{"vllm", "H100-SXM", 8, 364.5, 9 * time.Microsecond},
		{"vllm", "B200", 8, 729, 9 * time.Microsecond},
		{"vllm", "A100-80GB-PCIe", 4, 24, 27 * time.Microsecond},
		{"vllm", "H100-PCIe", 4, 48, 27 * time.Microsecond},
		{"vllm", "A40", 4, 24, 27 * time.Microsecond}, // bridges join pairs
		{"vllm", "H100-NVL", 4, 49, 27 * time.Microsecond},
		{"vllm", "H100-NVL", 2, 183, 9 * time.Microsecond},
		{"vllm", "MI300X", 8, 252, 18 * time.Microsecond},
		{"vllm", "Gaudi3", 8, 393.75, 27 * time.Microsecond},
		// Launches that are not captured are 25 us apart.
		{"vllm-v0", "A100-80GB-SXM", 8, 174, 34 * time.Microsecond},
		{"transformers", "A100-80GB-PCIe", 2, 24, 27*time.Microsecond + 25*time.Microsecond},
		{"lmdeploy", "A100-80GB-SXM", 8, 174, 34 * time.Microsecond},
	} {
		d := Deployment{Hardware: hardware(t, test.hardware), GPUs: test.gpus}
		engineOf(t, test.engine)(&d)
		c := Defaults(d)
		if bus := c.BusShare * d.Hardware.Link / 1e9; math.Abs(bus-test.bus) > 1e-9 || c.AllReduceLatency != test.latency {
			t.Errorf("%s on %d x %s: %v GB/s after %v, want %v after %v", test.engine, test.gpus, test.hardware, bus, c.AllReduceLatency, test.bus, test.latency)
		}
	}
}

// What an engine works in follows the tokens of a step, and what the driver takes the
// number of devices.
func TestMemoryConstants(t *testing.T) {
	const gib = 1 << 30
	for _, test := range []struct {
		hardware          string
		gpus              int
		use               float64
		working, nonTorch float64 // GiB
	}{
		{"RTX-4090", 1, .9, 1.43, .15},
		{"A100-80GB-SXM", 1, .9, 1.43, .15},
		{"H100-SXM", 1, .9, 5.5, .15},
		{"H100-SXM", 4, .9, 5.5, .6},
		{"Apple-M4-Max-40c", 1, .75, .5, 0},
	} {
		c := Defaults(Deployment{Hardware: hardware(t, test.hardware), GPUs: test.gpus})
		working, nonTorch := float64(c.WorkingMemory)/gib, float64(c.NonTorch)/gib
		if c.MemoryUse != test.use || math.Abs(working-test.working) > .001 || math.Abs(nonTorch-test.nonTorch) > .001 {
			t.Errorf("%d x %s: use %v, %.3f GiB to work in, %.3f GiB beside; want %v, %v, %v",
				test.gpus, test.hardware, c.MemoryUse, working, nonTorch, test.use, test.working, test.nonTorch)
		}
	}
}

// Every constant that is out of range is named, once.
func TestConstantsOutOfRange(t *testing.T) {
	for name, change := range map[string]func(*Constants){
		"MFU 0: want more than 0":                func(c *Constants) { c.MFU = 0 },
		"attention MFU 2: want more than 0":      func(c *Constants) { c.AttentionMFU = 2 },
		"MBU NaN: want more than 0":              func(c *Constants) { c.MBU = math.NaN() },
		"attention MBU -1: want more than 0":     func(c *Constants) { c.AttentionMBU = -1 },
		"KV dequant factor 0: want more than 0":  func(c *Constants) { c.KVDequant = 0 },
		"expert MBU factor 0: want more than 0":  func(c *Constants) { c.ExpertMBU = 0 },
		"bus share 0: want more than 0":          func(c *Constants) { c.BusShare = 0 },
		"memory use 1.5: want more than 0":       func(c *Constants) { c.MemoryUse = 1.5 },
		"exposed share NaN: want 0 to 1":         func(c *Constants) { c.Exposed = math.NaN() },
		"activations NaN: must not":              func(c *Constants) { c.Activations = math.NaN() },
		"fixed cost a step -1: must not":         func(c *Constants) { c.StepFixed = -time.Second },
		"fixed cost a layer -1: must not":        func(c *Constants) { c.LayerFixed = -time.Second },
		"fixed cost a layer of experts -1: must": func(c *Constants) { c.ExpertFixed = -time.Second },
		"fixed cost a sequence -1: must not":     func(c *Constants) { c.SequenceFixed = -time.Second },
		"all-reduce latency -1: must not":        func(c *Constants) { c.AllReduceLatency = -time.Second },
		"working memory -1: must not":            func(c *Constants) { c.WorkingMemory = -1 },
		"non-torch memory -1: must not":          func(c *Constants) { c.NonTorch = -1 },
	} {
		c := Ideal()
		change(&c)
		if err := c.validate(); err == nil || !strings.HasPrefix(err.Error(), name) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want %s", err, name)
		}
	}
	if err := Ideal().validate(); err != nil {
		t.Errorf("Ideal: %v", err)
	}
}
