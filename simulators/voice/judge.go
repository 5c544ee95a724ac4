package voice

import (
	"time"

	"halfsecond/simulators/voice/ending"
)

// Judge is an Ending that has each turn of a user be one whose pauses are known.
type Judge struct {
	Setup ending.Setup
	Turns []ending.Turn // at least one
}

// Waits returns what the policy waits for.
func (j *Judge) Waits() (stop, final bool) { return j.Setup.Policy.Waits() }

// Decide tries the policy on the turn that the user says, with the instants of its true
// end.
func (j *Judge) Decide(seed uint64, session, index int, stop, final time.Duration) Decision {
	said := ending.Pick(j.Turns, seed, session, index)
	x := j.Setup.TryAt(&said, seed, session, index, stop, final)
	return Decision{Decision: x.End, CutIn: x.CutIn, Words: said.Text, FromSpeech: j.fromSpeech()}
}

// fromSpeech reports whether the policy's waits count from the end of speech. A provider
// that listens for silence itself has no wait of the agent's that could.
func (j *Judge) fromSpeech() bool {
	waits, ok := j.Setup.Policy.(interface{ CountsFrom() ending.From })
	return ok && waits.CountsFrom() == ending.FromSpeech
}
