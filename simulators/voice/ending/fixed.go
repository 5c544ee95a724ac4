package ending

import (
	"fmt"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// Fixed waits for so much silence. The zero Fixed ends the turn at the detector's stop.
type Fixed struct {
	Wait time.Duration
	From From
}

// Decide waits. A wait that counts from the end of speech is over at the detector's stop
// at the earliest:
//
//	from speech    max(stop, wait)
//	from VAD stop  stop + wait
//	from final     max(stop, final) + wait
func (f Fixed) Decide(p Pause, r *dist.Rand) Decision {
	r.Uint64()
	d := Decision{EndOfTurn: f.Wait, Early: pipeline.Unknown, Why: Waited}
	d.VADWait, d.FinalWait = p.start(f.From)
	if f.From == FromSpeech {
		d.EndOfTurn = max(0, f.Wait-d.VADWait)
	}
	return d
}

// Waits returns the stop, and the final transcript where the wait counts from it.
func (f Fixed) Waits() (stop, final bool) { return true, f.From == FromFinal }

// CountsFrom returns what the wait counts from.
func (f Fixed) CountsFrom() From { return f.From }

// Settings returns the wait.
func (f Fixed) Settings() []Setting { return f.knobs().settings() }

// With changes the wait.
func (f Fixed) With(name string, value float64) (Policy, error) {
	err := f.knobs().set(name, value)
	return f, err
}

// Validate refuses a wait below 0.
func (f Fixed) Validate() error { return f.knobs().check() }

func (f Fixed) String() string { return fmt.Sprintf("fixed: %s from %s", f.knobs(), f.From) }

func (f *Fixed) knobs() knobs { return knobs{{name: "wait", wait: &f.Wait}} }
