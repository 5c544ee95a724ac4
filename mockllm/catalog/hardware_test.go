package catalog

import "testing"

func TestHardwareInBaseUnits(t *testing.T) {
	h, err := FindHardware("H100-SXM")
	if err != nil {
		t.Fatal(err)
	}
	want := Hardware{
		Name: "H100-SXM", Vendor: "NVIDIA", Family: "hopper",
		Memory: 80 << 30, Bandwidth: 3350e9, FP16: 989e12, INT8: 1978e12, FP8: 1978e12,
		Interconnect: "NVLink4", Link: 450e9, TDP: 700, Source: "aiconfigurator system yaml (read)",
	}
	if h != want {
		t.Errorf("got  %+v\nwant %+v", h, want)
	}
}

func TestUnpublishedFiguresAreZero(t *testing.T) {
	h, err := FindHardware("CPU-i9-13900K-DDR5-6400")
	if err != nil {
		t.Fatal(err)
	}
	if h.Memory != 0 || h.FP16 != 0 || h.Link != 0 {
		t.Errorf("memory %d, FP16 %g, link %g; want all unknown", h.Memory, h.FP16, h.Link)
	}
}

func TestHardwareKeepsTheVerifyMark(t *testing.T) {
	marked := 0
	for _, h := range AllHardware() {
		if h.Unverified {
			marked++
		}
	}
	if marked != 59 {
		t.Errorf("%d rows are unverified, want 59", marked)
	}
	for name, want := range map[string]bool{"H100-SXM": false, "RTX-4090": true, "Apple-M4-Max-40c": true, "CPU-M2-Pro": false} {
		h, err := FindHardware(name)
		if err != nil {
			t.Fatal(err)
		}
		if h.Unverified != want {
			t.Errorf("%s unverified = %v, want %v", name, h.Unverified, want)
		}
	}
}
