package pipeline

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
)

func TestCountGaps(t *testing.T) {
	for _, c := range []struct {
		name    string
		gaps    []time.Duration
		want    Gaps
		longest time.Duration
	}{
		{"none", nil, nil, Unknown},
		{"one read", []time.Duration{0, 0}, Gaps{{0, 2}}, 0},
		{"nine digits are kept", []time.Duration{511, 1, 511, 510}, Gaps{{1, 1}, {510, 1}, {511, 2}}, 511},
		{"the tenth is rounded", []time.Duration{512, 513, 515, 1023, 1025}, Gaps{{512, 1}, {514, 1}, {516, 1}, {1024, 2}}, 1025},
		{"20 ms and a stall", []time.Duration{20_000_000, 20_050_000, 1_234_567_891}, Gaps{{19_988_480, 1}, {20_054_016, 1}, {1_233_125_376, 1}}, 1_234_567_891},
	} {
		if got, longest := CountGaps(c.gaps); !reflect.DeepEqual(got, c.want) || longest != c.longest {
			t.Errorf("%s: %v, longest %v, want %v, %v", c.name, got, longest, c.want, c.longest)
		}
	}
}

// A length is within 1/512 of what it stands for, and an answer without end takes no more
// room than a few thousand.
func TestGapsAreNearAndFew(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var all []time.Duration
	for range 100_000 {
		all = append(all, time.Duration(random.Int64N(int64(40*time.Millisecond))))
	}
	for _, gap := range all {
		if off := rounded(gap) - gap; 512*max(off, -off) > gap {
			t.Fatalf("%d is rounded to %d", gap, rounded(gap))
		}
	}
	counted, _ := CountGaps(all)
	n := 0
	for _, g := range counted {
		n += g.N
	}
	if n != 100_000 || len(counted) > 512+17*256 {
		t.Errorf("%d gaps of %d lengths, want 100,000 of %d at most", n, len(counted), 512+17*256)
	}
}
