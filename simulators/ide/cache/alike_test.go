package cache

import (
	"slices"
	"strings"
	"testing"

	"halfsecond/pipeline/dist"
)

func TestSpaced(t *testing.T) {
	alike := 0
	for seed := range uint64(5000) {
		r := dist.Stream(seed, "spaced")
		a, b := random(&r, 5), random(&r, 5)
		want := slices.Equal(strings.Fields(a), strings.Fields(b))
		if got := spaced(a, b); got != want {
			t.Errorf("spaced(%q, %q) = %t, want %t", a, b, got, want)
		}
		if want {
			alike++
		}
	}
	if alike < 100 {
		t.Errorf("%d pairs are alike: too few to tell", alike)
	}
}
