package ending

import (
	"fmt"
	"time"

	"halfsecond/pipeline/dist"
)

// Rules waits for as long as the end of the transcript suggests. A number is looked for
// first: a transcriber may put a full stop after half of one.
type Rules struct {
	Neither     time.Duration
	Punctuation time.Duration
	Number      time.Duration
	From        From
}

// Decide applies the first rule that fits. The waits count as those of Fixed.
func (u Rules) Decide(p Pause, r *dist.Rand) Decision {
	wait, why := u.Neither, Unfinished
	switch p.Ends {
	case WithNumber:
		wait, why = u.Number, Number
	case WithPunctuation:
		wait, why = u.Punctuation, Punctuation
	}
	d := Fixed{Wait: wait, From: u.From}.Decide(p, r)
	d.Why = why
	return d
}

// Waits returns the stop, and the final transcript where the waits count from it.
func (u Rules) Waits() (stop, final bool) { return true, u.From == FromFinal }

// CountsFrom returns what the waits count from.
func (u Rules) CountsFrom() From { return u.From }

// Settings returns the waits; the main one is that without a mark.
func (u Rules) Settings() []Setting { return u.knobs().settings() }

// With changes one of them.
func (u Rules) With(name string, value float64) (Policy, error) {
	err := u.knobs().set(name, value)
	return u, err
}

// Validate refuses waits below 0.
func (u Rules) Validate() error { return u.knobs().check() }

func (u Rules) String() string { return fmt.Sprintf("rules: %s from %s", u.knobs(), u.From) }

func (u *Rules) knobs() knobs {
	return knobs{{name: "neither", wait: &u.Neither}, {name: "punctuation", wait: &u.Punctuation}, {name: "number", wait: &u.Number}}
}
