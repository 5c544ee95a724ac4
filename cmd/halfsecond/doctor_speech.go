package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"halfsecond/budgets/finding"
	"halfsecond/budgets/finding/spoken"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/audition"
	"halfsecond/pipeline/endpoint/audition/heard"
	"halfsecond/pipeline/endpoint/speak"
)

func init() {
	for _, name := range audition.Protocols() {
		speechDoctors[name] = runSpeechDoctor
	}
}

// speechOptions are the inputs of doctor that are for speech endpoints, as typed.
type speechOptions struct {
	wav      string
	text     string
	voice    string
	language string
	format   string
	rate     int
	idle     time.Duration
	out      string
	hash     bool
}

func (o *speechOptions) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.wav, "wav", "", "of speech endpoints: `file` with what is said to them, WAV, FLAC, MP3 or Ogg Opus (default: a sentence of ours)")
	f.StringVar(&o.text, "text", "", "`text` that they are to say (default: two sentences of ours)")
	f.StringVar(&o.voice, "voice", "", "`name` or id of the voice that says it")
	f.StringVar(&o.language, "language", "", "`language`, such as en (default: left to the service)")
	f.StringVar(&o.format, "samples", "", "`format` of the samples that they send: pcm, wav, mulaw or alaw (default pcm)")
	f.IntVar(&o.rate, "rate", 0, "`samples` a second that they send (default 24000, or 8000 of mulaw and alaw)")
	f.DurationVar(&o.idle, "idle", 0, "`time` that each session is left alone before anything is said")
	f.StringVar(&o.out, "out", "", "`folder` for the raw log of the sessions and the document; 'halfsecond doctor FOLDER' reads it")
	f.BoolVar(&o.hash, "hash-texts", false, "keep no text and no audio in that log: their sizes and SHA-256")
}

// speechFlags are those that say something that is for speech endpoints alone.
var speechFlags = []string{"wav", "text", "voice", "language", "samples", "rate", "idle", "out", "hash-texts"}

// unfit is the error of flags for speech endpoints where a language model is asked.
func (o *speechOptions) unfit(given func(flag string) bool) error {
	var errs []error
	for _, name := range speechFlags {
		if given(name) {
			errs = append(errs, fmt.Errorf("--%s: for speech endpoints; name their protocol with --protocol", name))
		}
	}
	return errors.Join(errs...)
}

// blank is the error of flags that were typed and say nothing.
func (o *speechOptions) blank(given func(flag string) bool) error {
	var errs []error
	for _, f := range []struct {
		name  string
		blank bool
	}{
		{"wav", o.wav == ""}, {"text", strings.TrimSpace(o.text) == ""}, {"voice", o.voice == ""}, {"language", o.language == ""}, {"samples", o.format == ""},
		{"rate", o.rate == 0}, {"out", o.out == ""},
	} {
		if f.blank && given(f.name) {
			errs = append(errs, fmt.Errorf("--%s says nothing: leave it out for the default, or give it a value", f.name))
		}
	}
	return errors.Join(errs...)
}

// usualText is what services say: two sentences, of which the first is short.
const usualText = "Your table is booked. We look forward to seeing both of you tomorrow evening at seven o'clock."

// runSpeechDoctor examines a speech endpoint and reports it.
func runSpeechDoctor(ctx context.Context, p *program, o *doctorOptions) error {
	config, err := o.audition()
	if err == nil {
		err = config.Check()
	}
	if err != nil {
		return usageError(err)
	}
	d := &speechDiagnosis{}
	if !p.Quiet {
		fmt.Fprintf(p.err, "%s\n", forecast(&config))
	}
	kept, err := keepSpeech(&o.speech, &config)
	if err != nil {
		return err
	}
	d.heard, err = audition.Run(ctx, config)
	if err != nil {
		return usageError(errors.Join(err, kept.close(nil)))
	}
	d.complete()
	lost := kept.close(d)
	return cmp.Or(d.show(p), lost, verdictExit(d.Verdict))
}

// forecast says what is about to be sent.
func forecast(c *audition.Config) string {
	asked := cmp.Or(endpoint.Config{URL: c.Reach.URL}.ShownURL(), "the endpoint")
	alone := ""
	if c.Idle > 0 {
		alone = fmt.Sprintf(", each left alone for %s first", c.Idle)
	}
	if audition.KindOf(c.Protocol) == heard.Speaks {
		return fmt.Sprintf("asking %s at most %s, %d characters each%s", asked, counted(c.Sessions, "time"), len([]rune(c.Text)), alone)
	}
	return fmt.Sprintf("asking %s at most %s, %.1f s of speech each and silence until it answers%s", asked, counted(c.Sessions, "time"), c.Recording.Length.Seconds(), alone)
}

// audition returns what to ask.
func (o *doctorOptions) audition() (audition.Config, error) {
	s := &o.speech
	key, err := keyFrom(o.keyEnv)
	if err != nil {
		err = fmt.Errorf("--key-env %s: the environment variable is not set", shownVariable(o.keyEnv))
	}
	errs := []error{err, o.limits.validate(), s.blank(o.given)}
	c := audition.Config{
		Protocol: o.protocol, Model: o.model, Language: s.language, Sessions: o.requests, Voice: s.voice, Format: s.format, Rate: s.rate, Idle: s.idle,
	}
	c.Reach.URL, c.Reach.Key = o.url, key
	c.Reach.Limits, c.Reach.MaxBytes = o.limits.Limits, int64(o.limits.bytes)
	c.Reach.Roots, err = readRoots(o.caFile)
	errs = append(errs, err)
	kind := audition.KindOf(o.protocol)
	for _, f := range []struct {
		name string
		fits bool
	}{
		{"wav", kind != heard.Speaks}, {"text", kind == heard.Speaks}, {"voice", kind != heard.Listens}, {"samples", kind == heard.Speaks},
		{"rate", kind == heard.Speaks}, {"prompt", false}, {"cold", false}, {"answer", false}, {"max-tokens", false},
	} {
		if o.given(f.name) && !f.fits {
			errs = append(errs, fmt.Errorf("--%s: not for %s, which %s", f.name, o.protocol, kind))
		}
	}
	if kind == heard.Speaks {
		c.Text = cmp.Or(s.text, usualText)
		if s.voice == "" && speak.Voiced(speak.Protocol(o.protocol)) {
			errs = append(errs, fmt.Errorf("--voice is missing: %s wants one by its name or id", o.protocol))
			c.Voice = "unknown"
		}
	} else {
		c.Recording, c.Samples, err = sentence(s.wav, o.protocol)
		errs = append(errs, err)
	}
	if o.model == "" {
		errs = append(errs, errors.New("--model is missing: speech endpoints list none"))
		c.Model = "unknown"
	}
	return c, errors.Join(errs...)
}

// speechDiagnosis is what doctor says of a speech endpoint.
type speechDiagnosis struct {
	speechDocument
	heard *heard.Endpoint
	found []finding.Finding
}

// complete fills the diagnosis from what was heard.
func (d *speechDiagnosis) complete() {
	d.found = spoken.Of(d.heard)
	d.fill()
	d.Verdict = verdictOf(spoken.Measured(d.heard) && d.heard.Stopped != heard.Interrupted, d.found)
}

// show prints the diagnosis in the format that was asked for.
func (d *speechDiagnosis) show(p *program) error {
	if p.Format == "json" {
		return writeJSON(p.out, &d.speechDocument)
	}
	return d.writeTable(p.out, p.width)
}
