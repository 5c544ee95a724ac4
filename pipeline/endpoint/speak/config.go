package speak

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"halfsecond/pipeline/endpoint/sound"
	"halfsecond/pipeline/endpoint/talk"
)

// Config says which service speaks, and how.
type Config struct {
	talk.Config
	Protocol Protocol
	Model    string // what the service calls it
	Voice    string // by its name or id; Deepgram's is the model
	Language string // "" leaves it to the service

	// Format is what the samples are: "pcm" (signed 16 bits; also when empty), "wav", "mulaw"
	// or "alaw".
	Format string
	// Rate is samples a second; 0 is 24000, and 8000 of mulaw and alaw.
	Rate int
	// Events has OpenAI's speech answer in events and not in plain audio.
	Events bool
	// Eager asks for each piece of text to be spoken at once: who hands it over has cut it
	// into sentences. Otherwise the service gathers as much as it likes.
	Eager bool
	// Query is what else the service is asked for in the URL, in its own words.
	Query url.Values
}

// Names of formats.
const (
	PCM   = "pcm"
	WAV   = "wav"
	MuLaw = "mulaw"
	ALaw  = "alaw"
)

// WithDefaults returns the config with the usual format and rate where it says none.
func (c Config) WithDefaults() Config {
	c.Format = cmp.Or(c.Format, PCM)
	if c.Rate == 0 && (c.Format == MuLaw || c.Format == ALaw) {
		c.Rate = 8000
	}
	c.Rate = cmp.Or(c.Rate, 24_000)
	return c
}

// samples returns what is asked for.
func (c *Config) samples() sound.Format {
	f := sound.Format{Encoding: sound.S16, Rate: c.Rate, Channels: 1}
	switch c.Format {
	case MuLaw:
		f.Encoding = sound.MuLaw
	case ALaw:
		f.Encoding = sound.ALaw
	}
	return f
}

// Check reports everything that is wrong, a missing Model aside.
func (c Config) Check() error {
	c = c.WithDefaults()
	errs := []error{c.Config.Check(), c.samples().Check()}
	p, err := find(c.Protocol)
	if err != nil {
		return errors.Join(append(errs, err)...)
	}
	if !slices.Contains(p.formats, c.Format) {
		errs = append(errs, fmt.Errorf("format %q: want %s from %s", c.Format, strings.Join(p.formats, ", "), p.name))
	}
	if p.name == OpenAISpeech && c.Rate != openAIRate {
		errs = append(errs, fmt.Errorf("%d samples a second: %s has %d", c.Rate, p.name, openAIRate))
	}
	if p.voiced && c.Voice == "" {
		errs = append(errs, fmt.Errorf("%s wants a voice by its name or id", p.name))
	}
	return errors.Join(errs...)
}
