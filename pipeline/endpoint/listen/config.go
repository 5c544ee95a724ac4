package listen

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"time"

	"halfsecond/pipeline/endpoint/talk"
)

// Config says which service hears, and how.
type Config struct {
	talk.Config
	Protocol Protocol
	Model    string // what the service calls it
	Language string // "" leaves it to the service

	// Frame is how much audio goes out at once, 20 ms to 1 s; 0 is 100 ms. AssemblyAI takes
	// 50 ms and more.
	Frame time.Duration
	// Pace is how fast speech goes out: 0 and 1 are as it is spoken, 2 is twice as fast.
	Pace float64
	// EndSilence is the silence after which the service shall end the turn; 0 is its own
	// choice.
	EndSilence time.Duration
	// Force has the client itself ask for the final text, so long after the end of speech
	// and not before all of it is sent, as one with a turn detection of its own does; a
	// Hearing's own Stop takes the place of ForceAfter. Upload protocols send what was spoken
	// up to then.
	Force      bool
	ForceAfter time.Duration
	// Patient has the speaker wait for a service that is not ready when the recording should
	// begin. Otherwise what was spoken before goes out late, all at once.
	Patient bool
	// Linger is how long the session goes on once all text of the turn has come, to see what
	// follows; 0 is not at all.
	Linger time.Duration
	// Trail is the longest silence that is sent after a recording while the turn has not
	// ended; 0 is 3 s.
	Trail time.Duration
	// Format asks for texts as they are written, where that is a choice. AssemblyAI sends
	// each turn twice then, and the second one counts.
	Format bool
	// Whole has OpenAI's transcriptions answer at once and not in events.
	Whole bool
	// Beta speaks to OpenAI's realtime API in the manner of its beta.
	Beta bool
	// Query is what else the service is asked for, in its own words.
	Query url.Values
}

// UsualTrail is the Trail of who names none.
const UsualTrail = 3 * time.Second

// closing is how long a service may take from the end of the audio to the end of the
// session.
const closing = 5 * time.Second

func (c Config) withDefaults() Config {
	c.Frame = cmp.Or(c.Frame, 100*time.Millisecond)
	c.Pace = cmp.Or(c.Pace, 1)
	c.Trail = cmp.Or(c.Trail, UsualTrail)
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
	bad(c.Frame < 20*time.Millisecond || c.Frame > time.Second, "frames of %s: want 20ms to 1s", c.Frame)
	bad(c.Pace < 0 || c.Pace > 100, "pace of %g: want more than 0 and at most 100", c.Pace)
	bad(c.EndSilence < 0, "silence of %s that ends a turn is negative", c.EndSilence)
	bad(c.ForceAfter < 0, "final text %s before the end of speech: want a time after it", -c.ForceAfter)
	bad(c.Linger < 0, "a session that goes on for %s is negative", c.Linger)
	bad(c.Trail < 0, "silence of %s after a recording is negative", c.Trail)
	p, err := find(c.Protocol)
	if err != nil {
		return errors.Join(append(errs, err)...)
	}
	bad(c.Force && p.socket && p.force == nil, "%s cannot be asked for its final text; leave the end of a turn to it", c.Protocol)
	bad(p.shortest > c.Frame, "frames of %s: %s takes no less than %s", c.Frame, c.Protocol, p.shortest)
	return errors.Join(errs...)
}
