package catalog

import (
	"math"
	"testing"
)

func TestHardwareInBaseUnits(t *testing.T) {
	h, err := FindHardware("H100-SXM")
	if err != nil {
		t.Fatal(err)
	}
	want := Hardware{
		Name: "H100-SXM", Vendor: "NVIDIA", Family: "hopper",
		Memory: 80 << 30, Bandwidth: 3350e9, MemoryType: HBM, FP16: 989e12, Portable: 495e12, INT8: 1978e12, FP8: 1978e12,
		Interconnect: "NVLink4", Link: 450e9, TDP: 700,
		Source: "aiconfigurator system yaml (read); portable rate is 132 SM x 2048 x 1.83 GHz",
	}
	if h != want {
		t.Errorf("got  %+v\nwant %+v", h, want)
	}
}

func TestUnpublishedFiguresAreZero(t *testing.T) {
	h, err := FindHardware("CPU-EPYC-12ch-DDR5-4800")
	if err != nil {
		t.Fatal(err)
	}
	if h.Memory != 0 || h.FP16 != 0 || h.FP32 != 0 || h.Cores != 0 || h.Link != 0 {
		t.Errorf("memory %d, FP16 %g, FP32 %g, %d cores, link %g; want all unknown", h.Memory, h.FP16, h.FP32, h.Cores, h.Link)
	}
}

// A portable rate is twice the 16-bit one on GeForce boards, 2,048 operations a cycle
// and multiprocessor on Hopper, and four 8-bit products for one in 32 bits on boards
// without 16-bit ones; nothing else has one.
func TestPortableRates(t *testing.T) {
	hopper := map[string]float64{ // multiprocessors times GHz, as in each row's source
		"H100-PCIe": 114 * 1.755, "H100-SXM": 132 * 1.83, "H100-NVL": 132 * 1.785, "H200-SXM": 132 * 1.83, "H200-NVL": 132 * 1.785,
		"GH200-96GB": 132 * 1.83,
	}
	for _, h := range AllHardware() {
		want := 0.
		switch {
		case h.FP32 > h.FP16 && h.Family != "cpu":
			want = 4 * h.FP32
		case h.Family == "geforce":
			want = 2 * h.FP16
		case h.Family == "hopper":
			want = hopper[h.Name] * 2048e9
		}
		if math.Abs(h.Portable-want) > .005*want {
			t.Errorf("%s: portable rate %g, want %g within .5 %%", h.Name, h.Portable, want)
		}
	}
}

// Cores are known of every processor whose compute rate is, and of nothing else.
func TestCoresOfProcessors(t *testing.T) {
	for _, h := range AllHardware() {
		if want := h.Family == "cpu" && h.FP32 > 0; (h.Cores > 0) != want {
			t.Errorf("%s: %d cores, want some: %v", h.Name, h.Cores, want)
		}
	}
}

func TestMemoryTypes(t *testing.T) {
	for name, want := range map[string]string{
		"A100-40GB-PCIe": HBM, "Gaudi3": HBM, "MI300X": HBM, "B200": HBM, "TPU-v6e": HBM, "L40S": "GDDR", "RTX-PRO-6000-Blackwell": "GDDR",
		"GB10": "LPDDR", "Apple-M4-Max-40c": "LPDDR", "Groq-LPU (GroqChip1)": "SRAM", "CPU-Intel-N150": "DDR",
	} {
		h, err := FindHardware(name)
		if err != nil || h.MemoryType != want {
			t.Errorf("%s: memory of type %q, %v; want %s", name, h.MemoryType, err, want)
		}
	}
}

func TestHardwareKeepsTheVerifyMark(t *testing.T) {
	marked := 0
	for _, h := range AllHardware() {
		if h.Unverified {
			marked++
		}
	}
	if marked != 67 {
		t.Errorf("%d rows are unverified, want 67", marked)
	}
	for name, want := range map[string]bool{"H100-SXM": false, "RTX-4090": true, "Apple-M4-Max-40c": true, "CPU-M2-Pro": true, "CPU-EPYC-12ch-DDR5-4800": false} {
		h, err := FindHardware(name)
		if err != nil {
			t.Fatal(err)
		}
		if h.Unverified != want {
			t.Errorf("%s unverified = %v, want %v", name, h.Unverified, want)
		}
	}
}
