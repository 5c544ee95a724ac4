package phone

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/talk"
)

// Config says which bot is called, and how the caller behaves.
type Config struct {
	// Config.URL is the whole address of the bot's WebSocket. A key is sent as a bearer
	// token, which Twilio does not do.
	talk.Config
	// Parameters are the custom parameters of the stream, as <Parameter> in TwiML sets them.
	Parameters map[string]string

	// Uplink is how long sound takes from the mouth to the server of Media Streams, and
	// Downlink from there to the ear; 0 is no telephone network in between.
	Uplink, Downlink time.Duration

	// Greeting is how long the caller waits for the bot to speak first; 0 is 3 s. With
	// NoGreeting the caller speaks at once.
	Greeting   time.Duration
	NoGreeting bool
	// Pause is the silence after something that the bot said until it is through and the
	// caller would speak; 0 is 1 s, well above the gaps between sentences (assumed).
	Pause time.Duration
	// Hush is the silence that parts what the bot said from what it says next where the
	// caller cut in, or the bot did; 0 is 500 ms (assumed). Nothing else tells them apart when
	// no clear came: a bot that answers an interruption sooner than that after it has sent the
	// last of its answer before, without a clear, seems to go on.
	Hush time.Duration
	// Patience is the longest silence after the caller's speech in which no answer begins; 0
	// is 10 s.
	Patience time.Duration
	// Longest is how long a greeting, or an answer and the wait for it, may take in all; 0 is
	// 2 min.
	Longest time.Duration
	// Whole is how long the greeting, and each turn, may take on top of Limits.Whole; 0 is 10
	// min. Between turns no limit counts.
	Whole time.Duration
}

func (c Config) withDefaults() Config {
	c.Greeting = cmp.Or(c.Greeting, 3*time.Second)
	c.Pause = cmp.Or(c.Pause, time.Second)
	c.Hush = cmp.Or(c.Hush, 500*time.Millisecond)
	c.Patience = cmp.Or(c.Patience, 10*time.Second)
	c.Longest = cmp.Or(c.Longest, 2*time.Minute)
	c.Whole = cmp.Or(c.Whole, 10*time.Minute)
	return c
}

// Check reports everything that is wrong.
func (c Config) Check() error {
	errs := []error{c.Config.Check()}
	bad := func(wrong bool, format string, args ...any) {
		if wrong {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	if c.NoGreeting {
		bad(c.Greeting != 0, "a greeting is waited for and is not: want one of them")
	}
	for _, l := range []struct {
		name string
		d    time.Duration
	}{
		{"uplink", c.Uplink}, {"downlink", c.Downlink}, {"wait for a greeting", c.Greeting}, {"pause", c.Pause}, {"hush", c.Hush},
		{"patience", c.Patience}, {"longest answer", c.Longest}, {"whole call", c.Whole},
	} {
		bad(l.d < 0, "%s of %s is negative", l.name, l.d)
	}
	full := c.withDefaults()
	bad(full.Hush > full.Pause, "hush of %s is longer than the pause of %s after which the bot is through", full.Hush, full.Pause)
	bad(full.Patience > full.Longest, "patience of %s is longer than the longest answer of %s", full.Patience, full.Longest)
	return errors.Join(errs...)
}

// address returns the bot's address as that of a WebSocket. A path that ends in a slash
// keeps it.
func (c *Config) address() (string, error) {
	u, err := url.Parse(c.URL)
	if err != nil {
		return "", err
	}
	switch u.Scheme {
	case "http":
		u.Scheme = "ws"
	case "https":
		u.Scheme = "wss"
	}
	return u.String(), nil
}

// userAgent is that of Media Streams, as servers of users logged it.
const userAgent = "Twilio.TmeWs/1.0"

func (c *Config) header() http.Header {
	h := http.Header{"User-Agent": {userAgent}}
	c.Key.Sign(h, "Authorization", "Bearer ")
	return h
}

// sid returns an id of Twilio's form.
func sid(prefix string) string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	return fmt.Sprintf("%s%x", prefix, b)
}

// setting is what a raw log keeps of what was asked for.
type setting struct {
	Stream   string        `json:"stream"`
	Downlink time.Duration `json:"downlink_ns,omitempty"`
	Greeting time.Duration `json:"greeting_ns,omitempty"` // 0 is none
	Pause    time.Duration `json:"pause_ns"`
	Hush     time.Duration `json:"hush_ns"`
	Patience time.Duration `json:"patience_ns"`
	Longest  time.Duration `json:"longest_ns"`
}

func (c *Config) setting(stream string) setting {
	s := setting{Stream: stream, Downlink: c.Downlink, Greeting: c.Greeting, Pause: c.Pause, Hush: c.Hush, Patience: c.Patience, Longest: c.Longest}
	if c.NoGreeting {
		s.Greeting = 0
	}
	return s
}

// check says why something cannot be said.
func check(v *pipeline.Voice) error {
	switch {
	case v.Rate != rate:
		return fmt.Errorf("the recording has %d samples a second: a telephone takes %d", v.Rate, rate)
	case len(v.Samples) == 0:
		return errors.New("the recording is empty")
	case v.SpeechEnd == pipeline.Unknown || v.SpeechEnd < 0 || v.SpeechEnd > v.Length():
		return fmt.Errorf("where speech ends in a recording of %s is not known: nothing is answered without it", v.Length())
	}
	return nil
}

// onset returns when in a recording its first sample that can be heard is spoken; 0 when
// there is none.
func onset(v *pipeline.Voice) time.Duration {
	for i, s := range v.Samples {
		if s >= pipeline.Audible || s <= -pipeline.Audible {
			return pipeline.SamplesLast(int64(i), v.Rate)
		}
	}
	return 0
}
