package engine

import (
	"fmt"
	"time"

	"halfsecond/pipeline"
)

// QuotaConfig is how many requests a rented service takes.
type QuotaConfig struct {
	// Requests is the most that are accepted in any span of length Per; one leaves the
	// span exactly so long after it came. At least 1.
	Requests int
	Per      time.Duration
	// RetryAfter is what a refused client is told to wait.
	RetryAfter time.Duration
}

// Validate reports everything that makes a configuration impossible.
func (c QuotaConfig) Validate() error {
	if c.Requests < 1 || c.Per <= 0 || c.RetryAfter < 0 {
		return fmt.Errorf("a quota of %d requests in %s with %s to wait: want at least 1 request, a span above 0 and no negative wait", c.Requests, c.Per, c.RetryAfter)
	}
	return nil
}

// QuotaError says that a request was one too many.
type QuotaError struct {
	Config QuotaConfig
}

// Error implements error.
func (e *QuotaError) Error() string {
	return fmt.Sprintf("rate limit of %d requests in %s reached, try again in %s", e.Config.Requests, e.Config.Per, e.Config.RetryAfter)
}

// Quota refuses what goes over a limit of requests; refused ones do not count towards
// it.
type Quota struct {
	loop     pipeline.Scheduler
	engine   Engine
	config   QuotaConfig
	accepted []time.Duration // the latest, a ring once it is full
	next     int             // the oldest of a full ring
	refused  int
}

// NewQuota puts a limit before an engine on the same loop. It panics when the
// configuration is not valid.
func NewQuota(loop pipeline.Scheduler, c QuotaConfig, e Engine) *Quota {
	if err := c.Validate(); err != nil {
		panic(fmt.Sprintf("engine: %v", err))
	}
	return &Quota{loop: loop, engine: e, config: c}
}

// Submit implements Engine.
func (q *Quota) Submit(r *Request) {
	if !q.admits(q.loop.Now()) {
		r.arrive()
		q.refused++
		refuse(q.loop, r, &QuotaError{q.config})
		return
	}
	q.engine.Submit(r)
}

// admits counts a request that comes now, unless it is one too many.
func (q *Quota) admits(now time.Duration) bool {
	if len(q.accepted) < q.config.Requests {
		q.accepted = append(q.accepted, now)
		return true
	}
	if now-q.accepted[q.next] < q.config.Per {
		return false
	}
	q.accepted[q.next] = now
	q.next = (q.next + 1) % len(q.accepted)
	return true
}

// Cancel implements Engine.
func (q *Quota) Cancel(r *Request) { q.engine.Cancel(r) }

// Stats implements Engine.
func (q *Quota) Stats() Stats {
	s := q.engine.Stats()
	s.Submitted += q.refused
	s.Refused += q.refused
	return s
}
