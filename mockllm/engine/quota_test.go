package engine

import (
	"errors"
	"math"
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

func init() {
	subjects = append(subjects, subject{"a quota", func(l pipeline.Scheduler) Engine {
		return NewQuota(l, QuotaConfig{Requests: 5, Per: 200 * ms}, NewSlots(l, SlotsConfig{Service: Fixed{40 * ms, 7 * ms}, Slots: 3, MaxContext: 300}))
	}, 0})
}

// TestQuotaOfEver: a span as long as there are leaves room for nobody after the first.
func TestQuotaOfEver(t *testing.T) {
	var loop pipeline.Virtual
	e := NewQuota(&loop, QuotaConfig{Requests: 1, Per: math.MaxInt64}, one(&loop))
	var log []string
	ask(&loop, e, &log, "a", ms, 10, 1)
	ask(&loop, e, &log, "b", 2*ms, 10, 1)
	expect(t, &loop, &log, "b:refused@2 a1@51 a:ok@51")
}

// TestQuotaRefusesTwice: what was refused may not be submitted as it is.
func TestQuotaRefusesTwice(t *testing.T) {
	var loop pipeline.Virtual
	e := NewQuota(&loop, QuotaConfig{Requests: 1, Per: time.Hour}, one(&loop))
	r := &Request{Prompt: 1, Output: 1, Done: func(pipeline.Outcome) {}}
	e.Submit(&Request{Prompt: 1, Output: 1, Done: func(pipeline.Outcome) {}})
	e.Submit(r)
	defer func() {
		if recover() == nil {
			t.Error("submitted twice")
		}
	}()
	e.Submit(r)
}
