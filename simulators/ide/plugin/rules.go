// Package plugin is the rules by which the ghost-text plugin of an editor asks a
// model and shows what it says.
//
// Read rules.go first: all that can be set. wait.go is how long a plugin waits after
// a key, trigger.go where it does not ask at all, nearby.go after which moves of the cursor
// it does, and display.go what it may show. preset.go has the rules of plugins that are in
// use, with what each rests on.
package plugin

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"halfsecond/simulators/ide/cache"
	"halfsecond/simulators/ide/prompt"
)

// Rules is how a plugin behaves. The zero Rules, with a prompt and an answer of some
// length, ask at once after every key, give up nothing and keep nothing.
type Rules struct {
	// Prepare is work on the editor's own thread at each key, before the wait begins:
	// keys that come meanwhile are handled in their order afterwards. 0 or more.
	Prepare time.Duration
	Wait    Wait
	// Throttle is how long after a request no other is sent, and a step meanwhile asks
	// for nothing; with Trailing it asks at the end of that time. 0 or more.
	Throttle time.Duration
	Trailing bool
	// MostLive is how many requests may be under way; the newest step waits until one
	// has ended. 0 sets no limit, 1 is a single flight.
	MostLive int
	Join     bool    // a request under way whose answer may go on at the cursor is waited for
	OnLimit  OnLimit // what a refusal for too many requests leads to

	Cancel Cancel
	// KeepMatching, with CancelWire, leaves a request alone as long as what is typed may
	// still be the beginning of its answer.
	KeepMatching bool
	Rest         Rest
	// EditorToken says that the editor closes every request under way at each step
	// itself, beside the plugin's own rule.
	EditorToken bool

	Reuse Reuse
	// Speculate asks for what follows a suggestion as soon as all of it is shown, as if it
	// were accepted. SpeculationLives says that typing does not close that request.
	Speculate, SpeculationLives bool

	Triggers Triggers
	WarmUp   bool // a request of one token when the editor gets the focus

	Display Display

	// Cache keeps earlier answers; without a capacity there is none. It is looked at when a
	// request is due.
	Cache cache.Config
	// KeepSuperseded has answers to documents that have changed since kept in it as well.
	KeepSuperseded bool

	// Prompt is how the prompt is made of the document. One that gives none is not asked
	// about.
	Prompt    prompt.Shape
	MaxTokens int // longest answer asked for, 1 or more
}

// Cancel is what becomes of the requests under way at the next step in the editor.
type Cancel uint8

const (
	CancelNone    Cancel = iota // nothing: their text may still be shown
	CancelDiscard               // the editor drops their text, the model never hears of it
	CancelWire                  // they are closed
)

var cancelNames = []string{"none", "discard", "wire"}

// String returns the name that scenario files use.
func (c Cancel) String() string { return cancelNames[c] }

// Reuse is what becomes of a visible suggestion at the next key.
type Reuse uint8

const (
	ReuseNone Reuse = iota // it is hidden
	// TypedAsSuggested shrinks it in the same instant when the typed text
	// continues it and leaves something to see; nothing is asked then.
	TypedAsSuggested
	// ShrinkAndAsk shrinks it likewise, and asks all the same: what is said then takes its
	// place where it is something else. So VS Code's core has it, see docs/plugins.md.
	ShrinkAndAsk
)

var reuseNames = []string{"none", "typed_as_suggested", "shrink_and_ask"}

// String returns the name that scenario files use.
func (r Reuse) String() string { return reuseNames[r] }

// Rest is what becomes of the other requests under way when a suggestion is shown.
type Rest uint8

const (
	RestFinish Rest = iota // they go on
	RestClose              // they are closed
)

var restNames = []string{"finish", "close"}

// String returns the name that scenario files use.
func (r Rest) String() string { return restNames[r] }

// OnLimit is what a plugin does after a server has refused a request because there were
// too many.
type OnLimit uint8

const (
	LimitSend OnLimit = iota // it sends as if nothing had happened
	// LimitWait keeps quiet for as long as the server asks, and then tries with the
	// newest text.
	LimitWait
)

var onLimitNames = []string{"send", "wait"}

// String returns the name that scenario files use.
func (l OnLimit) String() string { return onLimitNames[l] }

// Outlives reports whether a request may still be under way when a later step asks.
func (p *Rules) Outlives() bool {
	closed := p.EditorToken || p.Cancel == CancelWire && !p.KeepMatching
	return !closed || p.Speculate && p.SpeculationLives || p.WarmUp
}

// Overlaps reports whether two requests of one editor may be under way at once.
func (p *Rules) Overlaps() bool { return p.Outlives() && (p.MostLive != 1 || p.Speculate) }

// Validate reports everything that makes the rules impossible.
func (p *Rules) Validate() error {
	errs := []error{p.Wait.validate(), p.Triggers.Nearby.validate(), p.Display.validate(), p.Prompt.Validate()}
	if p.Cache.Capacity != 0 {
		errs = append(errs, p.Cache.Validate())
	}
	for _, f := range []struct {
		name  string
		value time.Duration
	}{{"prepare", p.Prepare}, {"throttle", p.Throttle}} {
		if f.value < 0 {
			errs = append(errs, fmt.Errorf("%s is %s, must not be negative", f.name, f.value))
		}
	}
	for _, f := range []struct {
		name         string
		value, least int
	}{
		{"requests under way", p.MostLive, 0}, {"max tokens", p.MaxTokens, 1},
	} {
		if f.value < f.least {
			errs = append(errs, fmt.Errorf("%s is %d, must be at least %d", f.name, f.value, f.least))
		}
	}
	for _, f := range []struct {
		name  string
		value int
		names []string
	}{
		{"cancel", int(p.Cancel), cancelNames}, {"reuse", int(p.Reuse), reuseNames},
		{"rest", int(p.Rest), restNames}, {"on limit", int(p.OnLimit), onLimitNames},
	} {
		if f.value >= len(f.names) {
			errs = append(errs, fmt.Errorf("%s is %d, which is no rule", f.name, f.value))
		}
	}
	return errors.Join(slices.DeleteFunc(errs, func(err error) bool { return err == nil })...)
}
