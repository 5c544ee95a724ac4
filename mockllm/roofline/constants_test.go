package roofline

import (
	"math"
	"testing"
	"time"

	"halfsecond/mockllm/catalog"
)

func TestDefaultsByHardware(t *testing.T) {
	for _, test := range []struct {
		hardware             string
		weights              Format
		mfu, mbu, halfTokens float64
		layer                time.Duration
	}{
		{"H100-SXM", FP16, .70, .85, 60, 32 * time.Microsecond},
		{"H100-SXM", FP8, .55, .85, 60, 32 * time.Microsecond},
		{"A100-80GB-SXM", FP16, .65, .80, 60, 32 * time.Microsecond},
		{"A100-80GB-SXM", FP8, .65, .80, 20.2, 32 * time.Microsecond},  // unpacked to 16 bits
		{"A100-80GB-SXM", INT4, .65, .80, 10.7, 32 * time.Microsecond}, // likewise
		{"A100-80GB-SXM", INT8, .45, .80, 43.0, 32 * time.Microsecond},
		{"L40S", FP16, .60, .80, 60, 32 * time.Microsecond},
		{"RTX-4090", FP16, .75, .80, 60, 32 * time.Microsecond},
		{"MI300X", FP8, .25, .75, 41.1, 50 * time.Microsecond},
		{"Apple-M4-Max-40c", FP16, .70, .75, 14.1, 15 * time.Microsecond},
		{"Apple-M4-Max-40c", INT4, .70, .75, 3.7, 120 * time.Microsecond},
	} {
		c := Defaults(hardware(t, test.hardware), 1, test.weights)
		if c.MFU != test.mfu || c.MBU != test.mbu || math.Round(c.HalfTokens*10)/10 != test.halfTokens || c.LayerFixed != test.layer {
			t.Errorf("%s, %s: MFU %v, MBU %v, half tokens %v, layer %v; want %v, %v, %v, %v",
				test.hardware, test.weights, c.MFU, c.MBU, c.HalfTokens, c.LayerFixed, test.mfu, test.mbu, test.halfTokens, test.layer)
		}
	}
}

func TestEveryFamilyHasConstants(t *testing.T) {
	for _, h := range catalog.AllHardware() {
		if _, ok := familyConstants[h.Family]; !ok && h.Family != "apple" {
			t.Errorf("%s: no constants for family %q", h.Name, h.Family)
		}
		for _, w := range Formats() {
			if err := Defaults(h, 2, w).validate(); err != nil {
				t.Errorf("%s, %s: %v", h.Name, w, err)
			}
		}
	}
}

// The rates of an all-reduce that were measured, in GB/s.
func TestAllReduce(t *testing.T) {
	for _, test := range []struct {
		hardware string
		gpus     int
		bus      float64
		latency  time.Duration
	}{
		{"A100-80GB-SXM", 2, 156, nvlinkLatency},
		{"A100-80GB-SXM", 4, 168, nvlinkLatency},
		{"A100-80GB-SXM", 8, 174, nvlinkLatency},
		{"H100-SXM", 2, 274.5, nvlinkLatency},
		{"H100-SXM", 8, 364.5, nvlinkLatency},
		{"A100-80GB-PCIe", 4, 24, pcieLatency},
		{"H100-PCIe", 4, 48, pcieLatency},
		{"A40", 4, 24, pcieLatency},
		{"H100-NVL", 4, 49, pcieLatency},
		{"H100-NVL", 2, 183, nvlinkLatency},
	} {
		h := hardware(t, test.hardware)
		latency, share := allReduce(h, test.gpus)
		if bus := share * h.Link / 1e9; math.Abs(bus-test.bus) > 1e-9 || latency != test.latency {
			t.Errorf("%d x %s: %v GB/s after %v, want %v after %v", test.gpus, test.hardware, bus, latency, test.bus, test.latency)
		}
	}
}

func TestParseFormat(t *testing.T) {
	for _, f := range Formats() {
		if got, err := ParseFormat(f.String()); err != nil || got != f {
			t.Errorf("ParseFormat(%q) = %v, %v", f, got, err)
		}
	}
	_, err := ParseFormat("fp4")
	if want := `unknown weight format "fp4": want one of fp16, fp8, int8, int4`; err == nil || err.Error() != want {
		t.Errorf("ParseFormat(fp4) gave %v, want %s", err, want)
	}
	if got := (Format{}).String(); got != "fp16" {
		t.Errorf("the zero format is %s, want fp16", got)
	}
}
