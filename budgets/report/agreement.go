package report

import (
	"fmt"
	"time"

	"halfsecond/budgets"
)

// Agreement says whether two runs agree: whether the medians of what their interactions land
// with are no further apart than is allowed, beyond how late the tester itself ran at the
// median. Agree is nil where that cannot be told: of too few values, or apart on a tester that
// was later than what is allowed in one of a hundred events.
type Agreement struct {
	Metric  string   `json:"metric"`
	Allowed float64  `json:"allowed_ms"`
	Late    float64  `json:"late_ms"` // p50
	Apart   *float64 `json:"apart_ms"`
	Agree   *bool    `json:"agree"`

	worst float64 // p99 of the lateness, ms
}

// Within has a comparison say whether the runs agree, and returns that.
func (c *Comparison) Within(allowed time.Duration) *Agreement {
	d := c.Differences[0]
	a := &Agreement{Metric: d.Metric, Allowed: *inMS(allowed)}
	for _, s := range []Side{c.A, c.B} {
		if l := s.Lateness; l != nil && l.P50 != nil && l.P99 != nil {
			a.Late, a.worst = max(a.Late, *l.P50), max(a.worst, *l.P99)
		}
	}
	if d.Difference != nil {
		apart := *d.Difference
		a.Apart = &apart
		agree := max(apart, -apart) <= a.Allowed+a.Late
		if agree || a.worst <= a.Allowed {
			a.Agree = &agree
		}
	}
	c.Agreement = a
	return a
}

// words says it in a sentence.
func (a *Agreement) words() string {
	ms := func(v float64) string { return budgets.Duration.Format(v * float64(time.Millisecond)) }
	if a.Apart == nil {
		return fmt.Sprintf("CANNOT TELL: too few values of %s for a median.", a.Metric)
	}
	allowed := fmt.Sprintf("the medians of %s are %s apart, %s allowed and %s that the tester was late", a.Metric, ms(max(*a.Apart, -*a.Apart)), ms(a.Allowed), ms(a.Late))
	switch {
	case a.Agree == nil:
		return fmt.Sprintf("CANNOT TELL: %s, and that was %s at p99: free the machine of other work and run again.", allowed, ms(a.worst))
	case *a.Agree:
		return "AGREE: " + allowed + "."
	}
	return "APART: " + allowed + "."
}
