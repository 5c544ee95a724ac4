package voice

import (
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
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

// CutsIn reports whether the turn is committed in a pause of it when the final text is there
// so long after the end of speech at the agent, at each pause as at the end.
func (j *Judge) CutsIn(seed uint64, session, index int, final time.Duration) bool {
	said := ending.Pick(j.Turns, seed, session, index)
	s := j.Setup
	s.Final, s.FromStop, s.Timer = dist.Constant(final), false, 0
	return s.Try(&said, seed, session, index).CutIn
}

// InVain returns how long the early request lasts that the model gets at each pause inside the
// turn, until the user goes on: of those pauses at which what it waits for comes before both,
// and before the turn would be committed; 0 of the others. interim is when the words are known
// that are not final yet.
func (j *Judge) InVain(seed uint64, session, index int, from GuessFrom, interim time.Duration) []time.Duration {
	said := ending.Pick(j.Turns, seed, session, index)
	rest := make([]time.Duration, len(said.Pauses))
	for i, p := range j.Setup.Inners(&said, seed, session, index) {
		at := p.Final
		switch {
		case from == OnStop:
			at = max(p.Stop, interim)
		case from == OnEarly && p.Decision.Early == pipeline.Unknown:
			continue
		case from == OnEarly:
			at = max(p.Decision.Early, interim)
		}
		if at < min(p.Length, p.Commit) {
			rest[i] = p.Length - at
		}
	}
	return rest
}

// fromSpeech reports whether the policy's waits count from the end of speech. A provider
// that listens for silence itself has no wait of the agent's that could.
func (j *Judge) fromSpeech() bool {
	waits, ok := j.Setup.Policy.(interface{ CountsFrom() ending.From })
	return ok && waits.CountsFrom() == ending.FromSpeech
}
