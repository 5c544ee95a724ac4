package ending

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"halfsecond/pipeline/dist"
)

// Policy decides whether a silence ends a turn. It is a value: any number of goroutines
// may use one, each with its own stream.
type Policy interface {
	// Decide returns when a silence that lasts ends the turn. It takes one number from r,
	// whatever the policy.
	Decide(p Pause, r *dist.Rand) Decision
	// Waits reports which of a pause's instants the decision depends on.
	Waits() (stop, final bool)
	// Settings returns the policy's numbers. The first is its main setting: more of it
	// makes the agent slower and lets the user pause longer.
	Settings() []Setting
	// With returns the policy with one setting changed, in the unit of Settings. It is an
	// error when there is none of that name, or when the policy is then invalid.
	With(name string, value float64) (Policy, error)
	// Validate reports everything that is wrong with the settings.
	Validate() error
}

// Setting is one number of a policy.
type Setting struct {
	Name  string
	Value float64
	Unit  string // "ms", or "" for a share
}

// String returns the setting as a report shows it, such as "min 300 ms".
func (s Setting) String() string {
	text := s.Name + " " + strconv.FormatFloat(s.Value, 'f', -1, 64)
	if s.Unit != "" {
		text += " " + s.Unit
	}
	return text
}

// knob is a setting where the policy keeps it: a wait or a share.
type knob struct {
	name  string
	wait  *time.Duration
	share *float64
}

func (k knob) setting() Setting {
	if k.wait != nil {
		return Setting{Name: k.name, Value: float64(*k.wait) / float64(time.Millisecond), Unit: "ms"}
	}
	return Setting{Name: k.name, Value: *k.share}
}

// check reports a wait or a share that is out of range. The negated comparison refuses NaN.
func (k knob) check() error {
	switch {
	case k.wait != nil && (*k.wait < 0 || *k.wait > dist.Longest):
		return fmt.Errorf("%s is %s: want 0 to %s", k.name, *k.wait, dist.Longest)
	case k.share != nil && !(*k.share >= 0 && *k.share <= 1):
		return fmt.Errorf("%s is %v: want 0 to 1", k.name, *k.share)
	}
	return nil
}

func (k knob) set(value float64) error {
	if k.share != nil {
		*k.share = value
		return k.check()
	}
	if !(value >= 0 && value <= float64(dist.Longest/time.Millisecond)) {
		return fmt.Errorf("%s is %v ms: want 0 to %d", k.name, value, dist.Longest/time.Millisecond)
	}
	*k.wait = time.Duration(value*float64(time.Millisecond) + .5)
	return nil
}

// knobs are the settings of one policy.
type knobs []knob

func (ks knobs) settings() []Setting {
	out := make([]Setting, len(ks))
	for i, k := range ks {
		out[i] = k.setting()
	}
	return out
}

func (ks knobs) set(name string, value float64) error {
	names := make([]string, len(ks))
	for i, k := range ks {
		if k.name == name {
			return k.set(value)
		}
		names[i] = k.name
	}
	return fmt.Errorf("no setting %q: want one of %s", name, strings.Join(names, ", "))
}

func (ks knobs) check() error {
	var errs []error
	for _, k := range ks {
		errs = append(errs, k.check())
	}
	return errors.Join(errs...)
}

// String returns the settings, without those of no effect at 0.
func (ks knobs) String() string {
	var parts []string
	for _, s := range ks.settings() {
		if s.Value != 0 || len(parts) == 0 {
			parts = append(parts, s.String())
		}
	}
	return strings.Join(parts, ", ")
}
