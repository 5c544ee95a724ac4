// Package plugin is the rules by which the ghost-text plugin of an editor asks a
// model and shows what it says.
package plugin

import (
	"errors"
	"fmt"
	"time"
)

// Rules is the set of rules by which an editor's plugin asks for completions.
type Rules struct {
	// Debounce is how long the plugin waits after a key; 0 or more. It asks only
	// when nothing else happened in the editor meanwhile.
	Debounce time.Duration
	Cancel   Cancel
	Reuse    Reuse
	// The prompt is the last PrefixTokens before the cursor, 1 or more, and the
	// first SuffixTokens after it, 0 or more. A document that gives none is not
	// asked about.
	PrefixTokens, SuffixTokens int
	MaxTokens                  int // longest answer asked for, 1 or more
}

// Cancel is what becomes of a request under way at the next step in the editor.
type Cancel uint8

const (
	CancelNone    Cancel = iota // nothing: its text may still be shown
	CancelDiscard               // the editor drops its text, the model never hears of it
	CancelWire                  // it is closed
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
)

var reuseNames = []string{"none", "typed_as_suggested"}

// String returns the name that scenario files use.
func (r Reuse) String() string { return reuseNames[r] }

// Validate reports everything that makes the settings impossible.
func (p Rules) Validate() error {
	var errs []error
	if p.Debounce < 0 {
		errs = append(errs, fmt.Errorf("debounce is %s, must not be negative", p.Debounce))
	}
	if int(p.Cancel) >= len(cancelNames) {
		errs = append(errs, fmt.Errorf("cancel is %d, which is no rule", p.Cancel))
	}
	if int(p.Reuse) >= len(reuseNames) {
		errs = append(errs, fmt.Errorf("reuse is %d, which is no rule", p.Reuse))
	}
	if p.PrefixTokens < 1 {
		errs = append(errs, fmt.Errorf("prefix tokens is %d, must be at least 1", p.PrefixTokens))
	}
	if p.SuffixTokens < 0 {
		errs = append(errs, fmt.Errorf("suffix tokens is %d, must not be negative", p.SuffixTokens))
	}
	if p.MaxTokens < 1 {
		errs = append(errs, fmt.Errorf("max tokens is %d, must be at least 1", p.MaxTokens))
	}
	return errors.Join(errs...)
}
