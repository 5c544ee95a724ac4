package typing

import (
	"errors"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"halfsecond/pipeline/dist"
)

// Reader is how a person reads suggestions, and which ones that person takes. The
// zero Reader takes none. It never changes and may be used by many goroutines.
type Reader struct {
	Seed uint64
	// Right and Wrong are the chances, 0 to 1, that a suggestion is taken which is
	// what will be typed, and one which is not.
	Right, Wrong float64
	// Full is how many characters a suggestion must have to be taken with those
	// chances: one of fewer is taken with its share of them, since a short one is
	// typed as fast as it is read. 0 or 1 makes no difference between them.
	Full int
}

// Readers returns the usual person: .30 and .02 of the suggestions that are right and
// wrong, of which those of 8 characters count full. All three are assumed.
func Readers(seed uint64) Reader { return Reader{Seed: seed, Right: .30, Wrong: .02, Full: 8} }

// Validate reports everything that makes a reader impossible.
func (r Reader) Validate() error {
	var errs []error
	if r.Full < 0 {
		errs = append(errs, errors.New("a suggestion counts full from a negative number of characters on"))
	}
	return errors.Join(append(errs, share("chance to take a right suggestion", r.Right), share("chance to take a wrong suggestion", r.Wrong))...)
}

// reaction is how long a person takes to read a suggestion and to act: 450 ms at the
// median, with a deviation of .35 of the logarithm. It is assumed; two thirds are
// between 317 and 639 ms.
var reaction = dist.LogNormal(math.Log(450), .35)

// Decide returns what a user does about the suggestion that is shown after a key,
// when truth is what that user will go on to type: whether it is taken, and if so how
// long after it is seen, provided that it is still there and nothing is typed before.
//
// What is drawn depends on the seed, the user and the key alone. So a person who takes
// a suggestion takes each one that is likelier to be taken in its place, and nothing
// that a plugin or a server does shifts another decision, or any key.
func (r Reader) Decide(user, key int, shown, truth string) (after time.Duration, accept bool) {
	chance := r.Wrong
	if strings.HasPrefix(truth, shown) {
		chance = r.Right
	}
	if n := utf8.RuneCountInString(strings.TrimSpace(shown)); n < r.Full {
		chance *= float64(n) / float64(r.Full)
	}
	rand := dist.Stream(r.Seed, "ide/reader", user, key)
	after = reaction.Draw(&rand)
	return after, rand.Float64() < chance
}
