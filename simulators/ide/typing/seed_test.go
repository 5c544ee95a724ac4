package typing

import (
	"fmt"
	"hash/fnv"
	"testing"
)

// The first 20,000 steps of the presets: what a seed stands for does not change by
// itself, and settings that are 0 draw nothing.
func TestSeedsStay(t *testing.T) {
	for profile, want := range map[string]string{
		"slow": "9c909794b3db699d", "average": "6fc916357c6a43aa", "fast": "072a96e5cd3f1b37", "expert": "076d10208217ecb9",
	} {
		h := fnv.New64a()
		y := typist(t, "go-handler", profile).Type(1, 0)
		for range 20_000 {
			s, _ := y.Next()
			fmt.Fprintln(h, int64(s.Gap), s.Kind, s.Edit, s.Class, s.Cursor, s.Text, s.Truth)
		}
		if got := fmt.Sprintf("%016x", h.Sum64()); got != want {
			t.Errorf("%s: %s, want %s", profile, got, want)
		}
	}
}
