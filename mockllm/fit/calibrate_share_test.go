package fit

import (
	"math"
	"testing"

	"halfsecond/mockllm/roofline"
)

// The share that is used is the MFU itself, but for products at half of a GeForce board's
// rate, which alone is halved there: up to .95 it is twice the MFU.
func TestUsedShare(t *testing.T) {
	for _, test := range []struct {
		hardware, engine string
		weights          roofline.Format
		mfu, share       float64
	}{
		{"L40S", "vllm", roofline.FP16, .833, .833},
		{"RTX-4090", "vllm", roofline.FP16, .3, .6},
		{"RTX-4090", "vllm", roofline.FP16, .475, .95},
		{"RTX-4090", "vllm", roofline.FP16, .833, .95},
		{"RTX-4090", "vllm", roofline.FP16, .97, .97},
		{"RTX-4090", "vllm", roofline.FP8, .3, .3},
		{"RTX-4090", "llama.cpp", roofline.FP16, .3, .3},
	} {
		d := on(t, "Llama-3.1-8B", test.hardware, test.engine, test.weights)
		got := usedShare(d, test.mfu)
		if got != test.share {
			t.Errorf("%s by %s in %s, an MFU of %g: %v is used, want %v", test.hardware, test.engine, test.weights, test.mfu, got, test.share)
		}
		if back := usedShare(d, mfuFor(d, got)); math.Abs(back-got) > 1e-8 {
			t.Errorf("%s by %s in %s: a share of %v is reached as %v", test.hardware, test.engine, test.weights, got, back)
		}
	}
}
