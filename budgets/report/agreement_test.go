package report

import (
	"testing"
	"time"
)

func TestAgreement(t *testing.T) {
	ms := func(v float64) *float64 { return &v }
	late := func(p50, p99 float64) *Lateness { return &Lateness{N: 100, P50: &p50, P99: &p99, Max: &p99} }
	for name, tt := range map[string]struct {
		apart *float64
		mock  *Lateness
		words string
		agree string
	}{
		"near":             {ms(7), late(0.2, 3), "AGREE: the medians of reply are 7 ms apart, 15 ms allowed and 0.2 ms that the tester was late.", "true"},
		"below":            {ms(-15.1), late(0.2, 3), "AGREE: the medians of reply are 15.1 ms apart, 15 ms allowed and 0.2 ms that the tester was late.", "true"},
		"far":              {ms(15.3), late(0.2, 15), "APART: the medians of reply are 15.3 ms apart, 15 ms allowed and 0.2 ms that the tester was late.", "false"},
		"far below":        {ms(-16), late(0.2, 3), "APART: the medians of reply are 16 ms apart, 15 ms allowed and 0.2 ms that the tester was late.", "false"},
		"far, late":        {ms(30), late(1.8, 216), "CANNOT TELL: the medians of reply are 30 ms apart, 15 ms allowed and 1.8 ms that the tester was late, and that was 216 ms at p99: free the machine of other work and run again.", "unknown"},
		"near, late":       {ms(3), late(1.8, 216), "AGREE: the medians of reply are 3 ms apart, 15 ms allowed and 1.8 ms that the tester was late.", "true"},
		"nobody was timed": {ms(3), nil, "AGREE: the medians of reply are 3 ms apart, 15 ms allowed and 0 ms that the tester was late.", "true"},
		"too few":          {nil, late(0.2, 3), "CANNOT TELL: too few values of reply for a median.", "unknown"},
	} {
		c := Comparison{B: Side{Lateness: tt.mock}, Differences: []Difference{{Metric: "reply", Difference: tt.apart}}}
		a := c.Within(15 * time.Millisecond)
		agree := "unknown"
		switch {
		case a.Agree != nil && *a.Agree:
			agree = "true"
		case a.Agree != nil:
			agree = "false"
		}
		if a.words() != tt.words || agree != tt.agree || c.Agreement != a {
			t.Errorf("%s: %s, %q; want %s, %q", name, agree, a.words(), tt.agree, tt.words)
		}
	}
}
