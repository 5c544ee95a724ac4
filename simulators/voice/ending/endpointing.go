package ending

import (
	"errors"
	"fmt"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// Endpointing is a provider that listens for silence itself and reports an endpoint. The
// agent's own detector has no part in it.
type Endpointing struct {
	Silence   time.Duration // that ends a turn of which the provider is sure
	Unsure    time.Duration // and of which it is not; Silence <= Unsure
	Threshold float64       // score from which it is sure; 0 makes Silence decide alone, and Unsure is then not used
	Eager     time.Duration // silence after which it reports a likely end of which it is sure; 0 is never
	Report    dist.Dist     // from the silence to the event at the agent
	Wait      time.Duration // that the agent then adds
}

// Decide waits for the provider, and then for Wait.
func (e Endpointing) Decide(p Pause, r *dist.Rand) Decision {
	report := e.Report.Draw(r)
	d := Decision{EndOfTurn: e.Silence + report, PolicyWait: e.Wait, Early: pipeline.Unknown, Why: Sure}
	if p.Score < e.Threshold {
		d.EndOfTurn, d.Why = e.Unsure+report, Fallback
		return d
	}
	if e.Eager > 0 && e.Eager < e.Silence {
		d.Early = e.Eager + report
	}
	return d
}

// Waits returns neither.
func (e Endpointing) Waits() (stop, final bool) { return false, false }

// Settings returns the silence, the main setting, and the others.
func (e Endpointing) Settings() []Setting { return e.knobs().settings() }

// With changes one of them. A silence that is set beyond Unsure takes Unsure along.
func (e Endpointing) With(name string, value float64) (Policy, error) {
	err := e.knobs().set(name, value)
	if name == "silence" && e.Threshold > 0 {
		e.Unsure = max(e.Unsure, e.Silence)
	}
	return e, errors.Join(err, e.order())
}

// Validate reports settings out of range and a Silence above Unsure.
func (e Endpointing) Validate() error { return errors.Join(e.knobs().check(), e.order()) }

func (e Endpointing) order() error {
	if e.Threshold > 0 && e.Silence > e.Unsure {
		return fmt.Errorf("silence %s is above unsure %s", e.Silence, e.Unsure)
	}
	return nil
}

func (e Endpointing) String() string {
	return fmt.Sprintf("provider's endpointing: %s, report %s", e.knobs(), e.Report)
}

func (e *Endpointing) knobs() knobs {
	return knobs{{name: "silence", wait: &e.Silence}, {name: "unsure", wait: &e.Unsure}, {name: "threshold", share: &e.Threshold}, {name: "eager", wait: &e.Eager}, {name: "wait", wait: &e.Wait}}
}
