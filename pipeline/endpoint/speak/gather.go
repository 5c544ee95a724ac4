package speak

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/endpoint/sound"
	"halfsecond/pipeline/endpoint/talk"
)

// Flags of a pipeline.Speech, beside those of package reply.
const (
	FlagHeader  = "header_in_raw"    // a WAV header came before samples that should have had none
	FlagSilence = "no_audible_audio" // no sample can be heard
)

// gatherer makes the record of a text out of what came.
type gatherer struct {
	config  *Config
	decoder decoder // nil for plain audio
	posted  bool    // it is the answer to a post
	meter   *sound.Meter
	notify  func(pipeline.Sound) // nil when nobody wants to know

	firstByte time.Duration
	chunks    int
	one       bool // all chunks came at one instant
	last      bool
	flushed   atomic.Int64 // requests to speak that are done
	failure   *reply.Failure
	kind      string // content type of the answer to a post
	prose     *prose // nil while what comes is what was asked for
	tail      tail   // of plain audio
}

func newGatherer(c *Config, p *protocol) *gatherer {
	return &gatherer{config: c, decoder: p.decoder(c), posted: !p.socket, meter: sound.NewMeter(c.samples()), firstByte: pipeline.Unknown, one: true}
}

// squeezed are types of audio whose samples cannot be told.
var squeezed = []string{"audio/mpeg", "audio/mp3", "audio/aac", "audio/ogg", "audio/opus", "audio/flac", "audio/webm", "audio/mp4"}

// open takes the headers of a post's response.
func (g *gatherer) open(h http.Header) {
	kind, parameters := typed(h.Get("Content-Type"))
	fits := strings.HasPrefix(kind, "audio/") || kind == "application/octet-stream" || kind == ""
	for _, s := range squeezed {
		fits = fits && kind != s
	}
	if g.decoder != nil {
		fits = kind == "text/event-stream"
	}
	g.kind = kind
	if g.decoder == nil {
		g.believe(parameters)
	}
	coding := h.Get("Content-Encoding")
	if !fits && prosaic(kind) && (coding == "" || coding == "identity") {
		g.prose = &prose{kind: kind}
	} else if !fits {
		g.failure = &reply.Failure{Kind: reply.BadType, Message: kind}
	} else if coding != "" && coding != "identity" {
		g.failure = &reply.Failure{Kind: reply.BadLink, Cause: fmt.Errorf("content coding %q is not supported; identity was asked for", coding)}
	}
}

// typed returns a content type in lower case, and its parameters as far as they can be read.
func typed(header string) (kind string, parameters map[string]string) {
	kind, parameters, err := mime.ParseMediaType(header)
	if err != nil {
		kind, _, _ = strings.Cut(header, ";")
	}
	return strings.ToLower(strings.TrimSpace(kind)), parameters
}

// believe takes the rate and the channels that a content type states for those of the samples,
// unless a header before them says otherwise.
func (g *gatherer) believe(parameters map[string]string) {
	f := g.meter.Format
	for name, into := range map[string]*int{"rate": &f.Rate, "channels": &f.Channels} {
		if n, err := strconv.Atoi(parameters[name]); err == nil {
			*into = n
		}
	}
	if f.Check() == nil {
		g.meter.Format = f
	}
}

// take takes a message. It reports whether more can follow.
func (g *gatherer) take(m talk.Message) bool {
	if g.prose != nil {
		first(&g.firstByte, m.At)
		return g.prose.take(m.Data)
	}
	s := step{}
	if g.decoder == nil {
		s.audio = [][]byte{m.Data}
		g.tail.take(m.Data)
	} else {
		g.decoder.read(m, &s)
	}
	if g.posted || len(s.audio) > 0 {
		first(&g.firstByte, m.At)
	}
	for _, p := range s.audio {
		g.sound(m.At, func() (int, error) { return g.meter.Take(p, m.At) })
	}
	g.last = g.last || s.last
	g.flushed.Add(int64(s.flushed))
	if g.failure == nil {
		g.failure = s.failure
	}
	return !g.last && g.failure == nil && (g.prose == nil || len(g.prose.words) < maxProse)
}

func first(into *time.Duration, at time.Duration) {
	if *into == pipeline.Unknown {
		*into = at
	}
}

// sound has audio measured, and tells of it.
func (g *gatherer) sound(at time.Duration, measure func() (int, error)) {
	if g.failure != nil {
		return
	}
	before := g.meter.LastAudio
	n, err := measure()
	var other *sound.OtherError
	switch {
	case g.decoder == nil && errors.As(err, &other) && other.Text != nil:
		g.prose = &prose{kind: g.kind}
		g.prose.take(other.Text)
		return
	case err != nil:
		g.failure = &reply.Failure{Kind: reply.BadLink, Cause: err}
		return
	}
	if n == 0 {
		return
	}
	g.chunks++
	g.one = g.one && (g.chunks == 1 || before == at)
	if g.notify != nil {
		g.notify(pipeline.Sound{At: at, Samples: n, Rate: g.meter.Format.Rate, Audible: g.meter.Audible(), Voiced: g.meter.Voiced})
	}
}

// finish completes a record when it has ended like that.
func (g *gatherer) finish(r *pipeline.Speech, e *talk.End) {
	if g.prose != nil && g.failure == nil {
		g.failure = g.prose.failure()
	}
	if g.decoder == nil && g.failure == nil {
		g.failure = g.tail.failure()
	}
	if e.Whole || g.last {
		g.sound(e.At, func() (int, error) { return g.meter.End(e.At) })
	}
	m := g.meter
	r.FirstByte, r.FirstAudio, r.FirstAudible, r.LastAudio, r.End = g.firstByte, m.FirstAudio, m.FirstAudible, m.LastAudio, e.At
	r.Lead, r.Voiced = m.Lead, m.Voiced
	r.Channels, r.Bits, r.Samples, r.Bytes = m.Format.Channels, m.Format.Bits(), m.Samples, m.Bytes
	r.Rate, r.Underruns, r.Stalled = m.Format.Rate, m.Underruns, m.Stalled
	r.Sent, r.LastSent, r.Close, r.Transport = e.Sent.First, e.Sent.Last, e.Code, e.Transport
	r.Transport.Burst = g.burst()
	r.Outcome, r.Reason = g.outcome(e)
	r.Flags = g.flags(r.Outcome)
}

// burst reports whether messages came that should have come one after the other. Reads of
// plain audio are cut by size alone.
func (g *gatherer) burst() bool { return g.decoder != nil && g.chunks >= 3 && g.one }

// outcome says how it ended, and why.
func (g *gatherer) outcome(e *talk.End) (pipeline.Outcome, string) {
	wrong, reason := e.Wrong()
	plain := g.decoder == nil && e.Whole
	switch {
	case g.failure != nil && g.failure.Kind == reply.BadType:
		return pipeline.Error, fmt.Sprintf("content type %q, want audio that can be measured", g.failure.Message)
	case g.failure != nil:
		return pipeline.Error, g.failure.String()
	case !g.last && !plain && wrong != pipeline.OK:
		return wrong, reason
	case !g.last && !plain:
		return pipeline.Truncated, "the speech ended without an end event"
	case g.meter.Missing() > 0:
		return pipeline.Truncated, fmt.Sprintf("the speech ended %d bytes before the length that its header states", g.meter.Missing())
	case g.meter.Samples == 0:
		return pipeline.Error, "no audio came"
	}
	return pipeline.OK, ""
}

func (g *gatherer) flags(o pipeline.Outcome) []string {
	flags := []string{}
	add := func(name string, set bool) {
		if set {
			flags = append(flags, name)
		}
	}
	complete := o == pipeline.OK || o == pipeline.Truncated
	add(reply.FlagNoDone, complete && g.decoder != nil && !g.last)
	add(reply.FlagBurst, g.burst())
	add(FlagHeader, g.meter.Headered && g.config.Format != WAV)
	add(FlagSilence, complete && g.meter.Samples > 0 && !g.meter.Audible())
	return flags
}
