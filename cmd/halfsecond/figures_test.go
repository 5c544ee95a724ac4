package main

import (
	"context"
	"errors"
	"testing"
)

func TestPercent(t *testing.T) {
	for _, test := range []struct {
		format string
		share  float64
		want   string
	}{
		{"%+.1f", .0123, "+1.2 %"}, {"%+.1f", -.0004, "0.0 %"}, {"%+.1f", .0004, "0.0 %"}, {"%+.1f", -.0006, "-0.1 %"},
		{"%.1f", 0, "0.0 %"}, {"%+.0f", -.004, "0 %"}, {"%.0f", 1, "100 %"},
	} {
		if got := percent(test.format, test.share); got != test.want {
			t.Errorf("percent(%q, %g) = %q, want %q", test.format, test.share, got, test.want)
		}
	}
}

func TestInTime(t *testing.T) {
	for ms, want := range map[float64]string{0: "0.00 ms", 1.5: "1.50 ms", 9999: "9999 ms", 10_000: "10.0 s", 119_999: "120 s", 120_000: "2.00 min", 3_600_000: "60.0 min", 7_199_999: "120 min", 7_200_000: "2.00 h", 79_620_000: "22.1 h", 172_800_000: "2.00 days"} {
		if got := inTime(ms, significant); got != want {
			t.Errorf("%g ms: %q, want %q", ms, got, want)
		}
	}
}

func TestCounted(t *testing.T) {
	for n, want := range map[int]string{0: "0 rows", 1: "1 row", 2: "2 rows"} {
		if got := counted(n, "row"); got != want {
			t.Errorf("counted(%d) = %q, want %q", n, got, want)
		}
	}
}

// What is interrupted is not the user's mistake; anything else is.
func TestUnfinished(t *testing.T) {
	wrong := errors.New("a.csv:3: no")
	var exit *exitError
	if err := unfinished(t.Context(), wrong); !errors.As(err, &exit) || exit.code != exitUsage || !errors.Is(err, wrong) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := unfinished(ctx, ctx.Err()); !errors.As(err, &exit) || exit.code != exitUnmeasured || err.Error() != "interrupted before the work was done" {
		t.Errorf("interrupted: %v", err)
	}
}
