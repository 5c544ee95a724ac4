package ending

import "time"

// From says what a wait counts from.
type From uint8

const (
	// FromSpeech is the end of speech: the wait overlaps the detector's silence.
	FromSpeech From = iota
	// FromVADStop is the detector's stop event: the wait adds to its silence.
	FromVADStop
	// FromFinal is the final transcript, or the stop event where that comes later: the wait
	// adds to both.
	FromFinal
)

// String returns "speech", "VAD stop" or "final".
func (f From) String() string {
	switch f {
	case FromVADStop:
		return "VAD stop"
	case FromFinal:
		return "final"
	}
	return "speech"
}

// Pause is what a policy knows of a silence. Its instants count from the end of speech at
// the agent.
type Pause struct {
	Score float64 // what a turn model makes of it: the probability that the turn is over, 0 to 1
	Ends  Ends    // how the transcript ends
	Again bool    // there was a pause before in this turn
	Stop  time.Duration
	Final time.Duration
}

// start returns how long a wait that counts from there waits for the detector, and then
// for the transcript.
func (p Pause) start(from From) (vad, final time.Duration) {
	if from == FromFinal {
		final = max(0, p.Final-p.Stop)
	}
	return p.Stop, final
}

// Commit returns when a turn that ends in such a silence is committed: the policy has decided,
// the agent has waited for as long after that as it does, and the final transcript is there.
// The model is asked with that text, so that every policy's commit waits for it: those that
// do not look at it, a provider's own endpointing among them, only decide without it.
//
//	max(decision + wait, final)
func (p Pause) Commit(d Decision, wait time.Duration) time.Duration {
	return max(d.At()+wait, p.Final)
}

// Reason is why a policy ended the turn when it did.
type Reason string

// Reasons.
const (
	Waited      Reason = "wait"        // a fixed wait
	Sure        Reason = "sure"        // the score is at the threshold or above it
	Fallback    Reason = "fallback"    // it is not, and the silence alone decided
	Timeout     Reason = "timeout"     // the confidence never got there
	Punctuation Reason = "punctuation" // the rule for text that ends with a mark
	Number      Reason = "number"      // or with a number
	Unfinished  Reason = "neither"     // or with neither
)

// Decision is when a policy takes a silence for the end of the turn, in the parts of a
// waterfall: each follows the one before, and the first begins at the end of speech at the
// agent. A part that the policy does not have is 0.
type Decision struct {
	VADWait    time.Duration // until the detector's stop; 0 for a policy that does not wait for one
	FinalWait  time.Duration // then until the final transcript, where the policy waits for it
	EndOfTurn  time.Duration // then until it is decided: the fixed wait, the model's answer and its fallback, the provider's endpoint
	PolicyWait time.Duration // then until the turn may be committed
	// Early is when the end is likely enough to begin the reply on trial, at the latest at
	// At; pipeline.Unknown where there is no such instant.
	Early time.Duration
	Why   Reason
}

// At returns how long after the end of speech, at the agent, the policy lets go of the turn:
// the sum of the parts. When it is committed Pause.Commit says.
func (d Decision) At() time.Duration { return d.VADWait + d.FinalWait + d.EndOfTurn + d.PolicyWait }
