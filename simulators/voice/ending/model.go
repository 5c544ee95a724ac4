package ending

import (
	"errors"
	"fmt"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// TurnModel asks a model at the detector's stop whether the turn is over. Where its score
// reaches the threshold the turn ends after Min, and else after Max, which is the silence
// that decides without the model.
type TurnModel struct {
	Threshold  float64
	Compute    dist.Dist     // how long the model takes
	AfterFinal bool          // it reads the final transcript and is asked when that is there
	From       From          // what Min and Max count from
	Min, Max   time.Duration // Min <= Max
	Eager      float64       // score at which the reply may begin on trial; 0 is never
	// Once is set when the model is asked at the first pause of a turn only: at later ones
	// Max decides. Otherwise it is asked anew at each stop, as LiveKit Agents and Pipecat do.
	Once bool
}

// Decide asks the model. Its answer comes at a = start + compute, with the start at the
// stop or, after the final, at the later of the two; a wait w that counts from b ends at
// max(a, b + w).
func (m TurnModel) Decide(p Pause, r *dist.Rand) Decision {
	compute := m.Compute.Draw(r)
	d := Decision{Early: pipeline.Unknown, Why: Fallback}
	d.VADWait, d.FinalWait = p.start(m.asked())
	start := d.VADWait + d.FinalWait
	if m.Once && p.Again {
		d.EndOfTurn = max(0, m.base(p)+m.Max-start)
		return d
	}
	answer := start + compute
	if m.Eager > 0 && p.Score >= m.Eager {
		d.Early = answer
	}
	if p.Score < m.Threshold {
		d.EndOfTurn = max(answer, m.base(p)+m.Max) - start
		return d
	}
	d.Why, d.EndOfTurn = Sure, compute
	d.PolicyWait = max(0, m.base(p)+m.Min-answer)
	return d
}

func (m TurnModel) asked() From {
	if m.AfterFinal {
		return FromFinal
	}
	return FromVADStop
}

// base returns what the waits count from.
func (m TurnModel) base(p Pause) time.Duration {
	if m.From == FromSpeech {
		return 0
	}
	vad, final := p.start(m.From)
	return vad + final
}

// Waits returns the stop, and the final transcript where the model reads it or a wait counts from it.
func (m TurnModel) Waits() (stop, final bool) { return true, m.AfterFinal || m.From == FromFinal }

// CountsFrom returns what Min and Max count from.
func (m TurnModel) CountsFrom() From { return m.From }

// Settings returns the threshold, the main setting, and the waits.
func (m TurnModel) Settings() []Setting { return m.knobs().settings() }

// With changes one of them. A threshold below Eager takes Eager along, and a Min above Max
// takes Max.
func (m TurnModel) With(name string, value float64) (Policy, error) {
	err := m.knobs().set(name, value)
	switch name {
	case "threshold":
		m.Eager = min(m.Eager, m.Threshold)
	case "min":
		m.Max = max(m.Max, m.Min)
	}
	return m, errors.Join(err, m.order())
}

// Validate reports settings out of range, a Min above Max and an Eager above Threshold.
func (m TurnModel) Validate() error { return errors.Join(m.knobs().check(), m.order()) }

func (m TurnModel) order() error {
	if m.Min > m.Max {
		return fmt.Errorf("min %s is above max %s", m.Min, m.Max)
	}
	if m.Eager > m.Threshold {
		return fmt.Errorf("eager %v is above threshold %v", m.Eager, m.Threshold)
	}
	return nil
}

func (m TurnModel) String() string {
	return fmt.Sprintf("turn model: %s from %s, compute %s", m.knobs(), m.From, m.Compute)
}

func (m *TurnModel) knobs() knobs {
	return knobs{{name: "threshold", share: &m.Threshold}, {name: "min", wait: &m.Min}, {name: "max", wait: &m.Max}, {name: "eager", share: &m.Eager}}
}
