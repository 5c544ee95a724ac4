package engine

import (
	"errors"
	"testing"
	"time"

	"halfsecond/pipeline"
)

// TestQuota: two in any 100 ms, of which one leaves after exactly 100 ms; a refused one
// does not count.
func TestQuota(t *testing.T) {
	var loop pipeline.Virtual
	e := NewQuota(&loop, QuotaConfig{Requests: 2, Per: 100 * ms, RetryAfter: 3 * time.Second},
		NewSlots(&loop, SlotsConfig{Service: Fixed{TTFT: 5 * ms}, Slots: 9, MaxContext: 100}))
	var log []string
	ask(&loop, e, &log, "a", 0, 10, 1)
	ask(&loop, e, &log, "b", 40*ms, 10, 1)
	c := ask(&loop, e, &log, "c", 100*ms-1, 10, 1)
	ask(&loop, e, &log, "d", 100*ms, 10, 1)
	ask(&loop, e, &log, "e", 120*ms, 10, 1)
	ask(&loop, e, &log, "f", 140*ms, 10, 1)
	expect(t, &loop, &log, "a1@5 a:ok@5 b1@45 b:ok@45 c:refused@99 d1@105 d:ok@105 e:refused@120 f1@145 f:ok@145")
	var over *QuotaError
	if !errors.As(c.Reason, &over) || over.Error() != "rate limit of 2 requests in 100ms reached, try again in 3s" {
		t.Errorf("reason %v", c.Reason)
	}
	if s := e.Stats(); s.Submitted != 6 || s.Refused != 2 || s.Finished != 4 {
		t.Errorf("stats %+v, want 6 submitted, 2 refused, 4 finished", s)
	}
}
