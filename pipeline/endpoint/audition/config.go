package audition

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/audition/heard"
	"halfsecond/pipeline/endpoint/converse"
	"halfsecond/pipeline/endpoint/listen"
	"halfsecond/pipeline/endpoint/phone"
	"halfsecond/pipeline/endpoint/speak"
	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/pipeline/wire/realtime"
)

// MostSessions is the most that are held.
const MostSessions = 10

// MostIdle is the longest that a session is left alone before anything is said.
const MostIdle = 10 * time.Minute

// Config says whom to ask, what, and how often.
type Config struct {
	Protocol string // of packages listen, speak and converse
	// Reach is where the endpoint is; its Keep is told of each session as well.
	Reach    talk.Config
	Model    string
	Language string
	Sessions int // 1 to MostSessions

	// Recording is what is said to it, at a rate that Rate returns, and Samples what plays.
	Recording heard.Recording
	Samples   pipeline.Voice

	// Text is what it is to say, in a voice, as samples of a format and rate of package
	// speak; "" and 0 are the usual.
	Text   string
	Voice  string
	Format string
	Rate   int

	// Idle is how long each session is left alone before anything is said, and until it is ready.
	Idle time.Duration
	// Loop is what the sessions run on, which runs already; nil is one of their own.
	Loop *pipeline.Wall
}

// linger is how long a session goes on once it has its final text: who repeats one does so by
// then.
const linger = heard.Sooner

// Frame is how much audio goes out at once, unless a protocol wants more.
const Frame = 20 * time.Millisecond

// Protocols returns the names of all protocols.
func Protocols() []string {
	return slices.Concat(listen.Protocols(), speak.Protocols(), []string{converse.Name})
}

// KindOf returns what an endpoint of a protocol does; "" for one that is not known.
func KindOf(protocol string) heard.Kind {
	switch {
	case slices.Contains(listen.Protocols(), protocol):
		return heard.Listens
	case slices.Contains(speak.Protocols(), protocol):
		return heard.Speaks
	case protocol == converse.Name:
		return heard.Converses
	}
	return ""
}

// Rate returns the samples a second that a protocol takes of a recording that has so many.
func Rate(protocol string, have int) int {
	switch protocol {
	case converse.Name:
		return realtime.PCMRate
	case phone.Name:
		return phone.Rate
	}
	if w, err := listen.WantsOf(listen.Protocol(protocol)); err == nil && w.Rates != nil && !slices.Contains(w.Rates, have) {
		return w.Rates[0]
	}
	return have
}

// Check reports everything that is wrong.
func (c Config) Check() error {
	var errs []error
	bad := func(wrong bool, format string, args ...any) {
		if wrong {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	bad(c.Sessions < 1 || c.Sessions > MostSessions, "%d sessions: want 1 to %d", c.Sessions, MostSessions)
	bad(c.Model == "", "the model has no name; speech endpoints list none, so it must be told")
	bad(c.Idle < 0 || c.Idle > MostIdle, "%s of silence before a session: want 0 to %s", c.Idle, MostIdle)
	switch KindOf(c.Protocol) {
	case heard.Listens:
		errs = append(errs, c.listens(false).Check())
	case heard.Speaks:
		bad(strings.TrimSpace(c.Text) == "", "there is no text to be spoken")
		errs = append(errs, c.speaks().Check())
	case heard.Converses:
		errs = append(errs, c.converses().Check())
	default:
		bad(true, "unknown protocol %q of speech; want %s", c.Protocol, strings.Join(Protocols(), ", "))
	}
	return errors.Join(errs...)
}

// listens returns the client's config of a service that hears. Forced has the client ask for
// the final text when the speech ends.
func (c Config) listens(forced bool) listen.Config {
	l := listen.Config{Config: c.Reach, Protocol: listen.Protocol(c.Protocol), Model: c.Model, Language: c.Language, Frame: Frame, Force: forced, Linger: linger, Patient: c.Idle > 0}
	if w, err := listen.WantsOf(l.Protocol); err == nil {
		for l.Frame < w.Frame {
			l.Frame += Frame
		}
	}
	return l
}

func (c Config) speaks() speak.Config {
	return speak.Config{
		Config: c.Reach, Protocol: speak.Protocol(c.Protocol), Model: c.Model, Voice: c.Voice, Language: c.Language,
		Format: c.Format, Rate: c.Rate,
	}
}

func (c Config) converses() converse.Config {
	return converse.Config{Config: c.Reach, Model: c.Model, Voice: c.Voice, Language: c.Language, Frame: Frame, Patient: c.Idle > 0}
}

// forced reports whether the client asks for the final text in a session: in every second
// one where that is possible, so that what a service waits for before it is told from what
// it takes. Where nobody else can, the client says where the speech ends in any case.
func (c Config) forced(number int) bool {
	w, err := listen.WantsOf(listen.Protocol(c.Protocol))
	return err == nil && (w.Manual || w.Forces && number%2 == 0)
}

// shown returns a URL without what may be secret.
func shown(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
