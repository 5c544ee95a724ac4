package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/pipeline"
)

// Config sets up a Cluster.
type Config struct {
	// Replicas build the engines, one each; at least one. A replica that comes
	// back after a failure is built anew, so its caches are empty.
	Replicas []func(pipeline.Scheduler) engine.Engine
	Policy   Policy
	// Prefix sets up PolicyPrefix.
	Prefix PrefixConfig

	// Retries is how many further replicas a request is tried at when one refuses
	// the connection or dies before the first token; 0 means that it ends with an
	// error. The next attempt follows at once: what a router waits between two is
	// not modelled. vLLM's production stack does not retry unless it is told to
	// (source as in lose), SGLang's gateway does so DefaultRetries times.
	Retries int
	// HealthDelay is the time after which the router knows that a replica died or
	// is ready again. It still sends requests to a dead one meanwhile. SGLang's
	// gateway asks every 60 s, wants three failures in a row to take a replica
	// out and two successes to take it back: one to three minutes; source:
	// lightseekorg/smg docs/concepts/reliability/health-checks.md, commit
	// 8258cae4, read 2026-11-29.
	HealthDelay time.Duration
	// SlowStart is the time over which a replica that came back gets its full
	// share of requests; 0 means at once. See weight.
	SlowStart time.Duration

	// Load is the time from the start of a failed replica's process until it
	// serves: engine.LoadTime.
	Load     time.Duration
	Failures []Failure
}

// DefaultRetries is what SGLang's gateway takes when it is told nothing; source:
// lightseekorg/smg docs/concepts/reliability/retries.md (--retry-max-retries 5),
// commit 1116b966, read 2026-11-29.
const DefaultRetries = 5

// Failure is the death of a replica's process.
type Failure struct {
	Replica int           // its index in Config.Replicas
	At      time.Duration // instant of the death
	For     time.Duration // time after which the process is started again; it then loads
}

// Validate reports everything that makes a configuration impossible.
func (c Config) Validate() error {
	var errs []error
	if len(c.Replicas) == 0 {
		errs = append(errs, errors.New("no replicas, want at least 1"))
	}
	if c.Policy >= policies {
		errs = append(errs, fmt.Errorf("no policy %d", c.Policy))
	}
	if c.Retries < 0 {
		errs = append(errs, fmt.Errorf("retries is %d, must not be negative", c.Retries))
	}
	for _, f := range []struct {
		name  string
		value time.Duration
	}{{"health delay", c.HealthDelay}, {"slow start", c.SlowStart}, {"load", c.Load}} {
		if f.value < 0 {
			errs = append(errs, fmt.Errorf("%s is %s, must not be negative", f.name, f.value))
		}
	}
	return errors.Join(append(errs, c.Prefix.validate(), c.validateFailures())...)
}

// validateFailures checks each failure, and that no replica dies while it is
// down.
func (c Config) validateFailures() error {
	var errs []error
	back := map[int]time.Duration{} // the last return of each that failed
	for _, f := range slices.SortedStableFunc(slices.Values(c.Failures), func(a, b Failure) int { return cmp.Compare(a.At, b.At) }) {
		up, failed := back[f.Replica]
		switch {
		case f.Replica < 0 || f.Replica >= len(c.Replicas):
			errs = append(errs, fmt.Errorf("failure of replica %d: there are 0 to %d", f.Replica, len(c.Replicas)-1))
		case f.At < 0 || f.For < 0:
			errs = append(errs, fmt.Errorf("failure of replica %d at %s for %s: neither may be negative", f.Replica, f.At, f.For))
		case failed && f.At <= up:
			errs = append(errs, fmt.Errorf("failure of replica %d at %s: it is down until %s", f.Replica, f.At, up))
		default:
			back[f.Replica] = f.At + f.For + c.Load
		}
	}
	return errors.Join(errs...)
}

func (c Config) withDefaults() Config {
	c.Prefix = c.Prefix.withDefaults()
	return c
}
