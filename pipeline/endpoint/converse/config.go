package converse

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"halfsecond/pipeline/endpoint/talk"
)

// Config says which model is talked to, and how.
type Config struct {
	talk.Config
	Model        string
	Voice        string // "" leaves it to the server
	Instructions string // "" leaves them to the server
	Language     string // of the transcript; "" leaves it to the server
	// Beta speaks as the API did before it was generally available.
	Beta bool

	// Transcriber is the model that writes down what the user says; "" is none.
	Transcriber string
	// EndSilence is the silence after which the server ends the user's turn; 0 is its own
	// choice. Eagerness, "low", "medium", "high" or "auto", lets it end by what was said
	// instead.
	EndSilence time.Duration
	Eagerness  string
	// Manual leaves the turn to the client: it commits the audio and asks for the answer
	// CommitAfter the end of speech.
	Manual      bool
	CommitAfter time.Duration

	// Frame is how much audio goes out at once, 20 ms to 1 s; 0 is 100 ms.
	Frame time.Duration
	// Patient has the speaker wait for a server that is not ready when the turn should begin.
	// Otherwise what was spoken before goes out late, all at once.
	Patient bool
	// Trail is the longest silence after the user's speech in which no answer begins; 0 is
	// 10 s.
	Trail time.Duration
	// Query is what else is asked for in the URL.
	Query url.Values
}

// closing is how long the transcript of what the user said, and the word that an answer
// was cut off, are waited for once the answer is over.
const closing = 5 * time.Second

func (c Config) withDefaults() Config {
	c.Frame = cmp.Or(c.Frame, 100*time.Millisecond)
	c.Trail = cmp.Or(c.Trail, 10*time.Second)
	return c
}

// Check reports everything that is wrong, a missing Model aside.
func (c Config) Check() error {
	c = c.withDefaults()
	errs := []error{c.Config.Check()}
	bad := func(wrong bool, format string, args ...any) {
		if wrong {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	eager := []string{"", "low", "medium", "high", "auto"}
	bad(!slices.Contains(eager, c.Eagerness), "eagerness %q: want low, medium, high or auto", c.Eagerness)
	bad(c.Eagerness != "" && c.EndSilence != 0, "the turn ends by silence or by eagerness: want one of them")
	bad(c.Manual && (c.Eagerness != "" || c.EndSilence != 0), "a manual turn has no silence or eagerness that ends it")
	bad(c.EndSilence < 0, "silence of %s that ends a turn is negative", c.EndSilence)
	bad(c.CommitAfter < 0, "a commit %s before the end of speech: want a time after it", -c.CommitAfter)
	bad(c.Frame < 20*time.Millisecond || c.Frame > time.Second, "frames of %s: want 20ms to 1s", c.Frame)
	bad(c.Trail < 0, "silence of %s without an answer is negative", c.Trail)
	return errors.Join(errs...)
}
