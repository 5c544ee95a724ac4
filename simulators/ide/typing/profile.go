package typing

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Profile is how a person types. The zero Profile types at the pace of the
// expert behind the table of gaps, without a mistake.
type Profile struct {
	// WPM is the speed inside bursts, 5 to 300 words of five keys a minute: the
	// mean gap of the text's keys, pauses aside, is 12 s / WPM. 0 takes the table
	// of gaps as it is.
	WPM float64
	// Slips is the chance that a letter or digit is mistyped and put right, 0 to 1.
	Slips float64
	// Rethinks is the chance that a line is taken back in part and typed again, 0
	// to 1. It is done by holding backspace down, which repeats after HoldFirst
	// and from then on every HoldNext.
	Rethinks            float64
	HoldFirst, HoldNext time.Duration
	// Jumps is the chance that the person, when a line is done, goes to the end of
	// another one that stands there, types its last characters anew and comes back, 0
	// to 1. With 0 it never happens.
	Jumps float64
	// Pastes is the chance that the lines ahead come as one paste of 2 to 8 lines where
	// a line begins, 0 to 1. With 0 it never happens.
	Pastes float64
	// Shape is the form of the gaps' distribution, log-normal by default.
	Shape Shape
	// Habits are how the keys follow each other; nil stands for those of Expert.
	Habits *Habits
	// Lines is how many lines are typed in the middle of the text, which is there
	// otherwise: a place is drawn, and another when that is done. With 0, or a text
	// of fewer than twice as many lines, all of it is typed in an empty document.
	Lines int
}

// profiles are the presets. The auto-repeat is what operating systems come with,
// from memory; the shares of slips and rethinks are assumed. Those of the expert
// give .1 backspaces a character (the recording behind habits has .125) and, on
// the text go-handler, the recording's gaps within 10 % from the 25th to the 90th
// percentile. 52 words a
// minute is about the mean of a study of 168,000 people (Dhakal et al.,
// "Observations on Source from 136 Million Keystrokes", CHI 2018), from memory.
var profiles = map[string]Profile{
	"slow":    {WPM: 30, Slips: .03, Rethinks: .05, HoldFirst: 500 * time.Millisecond, HoldNext: 33 * time.Millisecond},
	"average": {WPM: 52, Slips: .03, Rethinks: .05, HoldFirst: 500 * time.Millisecond, HoldNext: 33 * time.Millisecond},
	"fast":    {WPM: 80, Slips: .03, Rethinks: .05, HoldFirst: 500 * time.Millisecond, HoldNext: 33 * time.Millisecond},
	"rapid":   {WPM: 110, Slips: .03, Rethinks: .05, HoldFirst: 500 * time.Millisecond, HoldNext: 33 * time.Millisecond},
	"expert":  {Slips: .05, Rethinks: .2, HoldFirst: 500 * time.Millisecond, HoldNext: 33 * time.Millisecond},
}

// ProfileNames returns the names of the presets, the slowest first.
func ProfileNames() []string { return []string{"slow", "average", "fast", "rapid", "expert"} }

// ProfileNamed returns a preset.
func ProfileNamed(name string) (Profile, error) {
	if !slices.Contains(ProfileNames(), name) {
		return Profile{}, fmt.Errorf("there is no typist %q, only %s", name, strings.Join(ProfileNames(), ", "))
	}
	return profiles[name], nil
}

// Validate reports everything that makes a profile impossible.
func (p Profile) Validate() error {
	if p.Lines < 0 {
		return fmt.Errorf("lines is %d, must not be negative", p.Lines)
	}
	var errs []error
	if p.WPM != 0 && !(p.WPM >= 5 && p.WPM <= 300) {
		errs = append(errs, fmt.Errorf("words a minute is %v, must be 5 to 300, or 0 for the expert's own pace", p.WPM))
	}
	errs = append(errs, share("slips", p.Slips), share("rethinks", p.Rethinks), share("jumps", p.Jumps), share("pastes", p.Pastes))
	if int(p.Shape) >= len(shapeNames) {
		errs = append(errs, fmt.Errorf("shape of gaps is %d, must be 0 to %d", p.Shape, len(shapeNames)-1))
	}
	if p.HoldFirst < 0 || p.HoldNext < 0 {
		errs = append(errs, fmt.Errorf("a held key repeats after %s and every %s, must not be negative", p.HoldFirst, p.HoldNext))
	}
	return errors.Join(errs...)
}

// share reports a number that is not within 0 to 1.
func share(name string, x float64) error {
	if x >= 0 && x <= 1 {
		return nil
	}
	return fmt.Errorf("%s is %v, must be 0 to 1", name, x)
}
