package ending

import (
	"errors"
	"fmt"
	"time"

	"halfsecond/mockllm/speech"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// Confidence is a provider whose confidence that the turn is over grows with the silence,
// and that reports the end where it reaches a threshold:
//
//	confidence = (1 + score)/2 * (1 - exp(-silence/T))
//
// with the T of speech.EndConfidence. At a score of 1 that is what the mock's recognizer
// gives for text that sounds finished, and at 0 half of it, which it gives for text that
// does not. Both forms are assumed. The agent's own detector has no part in it.
type Confidence struct {
	Threshold float64
	Eager     float64       // at which a likely end is reported; 0 is never
	Timeout   time.Duration // silence that ends the turn at any confidence
	Report    dist.Dist     // from the silence to the event at the agent
	Wait      time.Duration // that the agent then adds
}

// Decide waits until the confidence reaches the threshold, or for the timeout.
func (c Confidence) Decide(p Pause, r *dist.Rand) Decision {
	report := c.Report.Draw(r)
	most := (1 + p.Score) / 2
	t := speech.FluxTurn(c.Threshold/most, c.Eager/most, c.Timeout)
	d := Decision{EndOfTurn: t.Silence + report, PolicyWait: c.Wait, Early: pipeline.Unknown, Why: Sure}
	if t.Silence >= c.Timeout {
		d.Why = Timeout
	}
	if t.Eager > 0 && t.Eager < t.Silence {
		d.Early = t.Eager + report
	}
	return d
}

// Waits returns neither.
func (c Confidence) Waits() (stop, final bool) { return false, false }

// Settings returns the threshold, the main setting, and the others.
func (c Confidence) Settings() []Setting { return c.knobs().settings() }

// With changes one of them. A threshold below Eager takes Eager along.
func (c Confidence) With(name string, value float64) (Policy, error) {
	err := c.knobs().set(name, value)
	if name == "threshold" {
		c.Eager = min(c.Eager, c.Threshold)
	}
	return c, errors.Join(err, c.order())
}

// Validate reports settings out of range and an Eager above Threshold.
func (c Confidence) Validate() error { return errors.Join(c.knobs().check(), c.order()) }

func (c Confidence) order() error {
	if c.Eager > c.Threshold {
		return fmt.Errorf("eager %v is above threshold %v", c.Eager, c.Threshold)
	}
	return nil
}

func (c Confidence) String() string {
	return fmt.Sprintf("provider's confidence: %s, report %s", c.knobs(), c.Report)
}

func (c *Confidence) knobs() knobs {
	return knobs{{name: "threshold", share: &c.Threshold}, {name: "eager", share: &c.Eager}, {name: "timeout", wait: &c.Timeout}, {name: "wait", wait: &c.Wait}}
}
