package grid

import (
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// TestUnfit: nothing follows where the tester was as late as the shortest TTFT is long, by its
// p99 or, of few looks, by the largest.
func TestUnfit(t *testing.T) {
	cells := []Cell{{}, {samples: [5]Sample{TTFT: {30e6, 40e6, 50e6}}}, {samples: [5]Sample{TTFT: {10e6, 12e6}}}, {samples: [5]Sample{TTFT: {1e6}}}}
	for _, c := range []struct {
		name     string
		cells    []Cell
		n        int
		p99, max time.Duration
		want     string
	}{
		{"in time", cells, 200, 9_999_999, time.Second, ""},
		{"as late", cells, 200, 10 * time.Millisecond, time.Second, "the tester itself ran 10 ms late (p99), no less than the shortest TTFT took (10 ms)"},
		{"few looks", cells, 99, pipeline.Unknown, 95_800_000, "the tester itself ran 95.8 ms late (largest), no less than the shortest TTFT took (10 ms)"},
		{"short cells", cells, 200, pipeline.Unknown, 95_800_000, "the tester itself ran 11 ms late (p50 of a cell), no less than the shortest TTFT took (10 ms)"},
		{"never late", cells, 0, pipeline.Unknown, pipeline.Unknown, ""},
		{"no figures", cells[:1], 200, time.Second, time.Second, ""},
	} {
		g := Grid{Cells: c.cells}
		if got := g.unfit(trace.Lateness{N: c.n, P50: 11_000_000, P99: c.p99, Max: c.max}); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
