package speech

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"halfsecond/mockllm/catalog"
	"halfsecond/pipeline/dist"
)

// STT is how a named service for speech to text behaves. All of it may be set by hand.
type STT struct {
	Name   string // of the model, as asked for
	Slug   string // of the catalogue's component that Final is taken from
	Reason string // why the name stands for that component
	// Final is the time from the last sample of speech to the final transcript. A
	// silence that has to be waited for runs at the same time.
	Final dist.Dist
	// Interim is how far interim results are behind the audio.
	Interim dist.Dist
	// Every is how much audio lies between interim results; 0 is one for every word.
	Every time.Duration
	// MaxSpan is how much audio one Final stands for at most; 0 is any.
	MaxSpan time.Duration
	Turn    Turn
}

// Latency draws how long an uploaded clip takes, from its last byte to the transcript:
// as long as a final takes after speech that was streamed. A figure for uploads of which
// more than a P99 is known was not found.
func (p STT) Latency(r *dist.Rand) time.Duration { return p.Final.Draw(r) }

// FindSTT returns the profile of a model by its name in an API, such as "nova-3", or
// by the slug of a component, such as "stt-deepgram-nova-3-general". A name may go on
// after one that is known: "nova-3-medical" is "nova-3". Known is false for a name that
// stands for nothing: the profile is then that of DefaultSTT.
//
// The component's clock is TTFS: from the end of speech, which is the instant at which
// a VAD saw the end less the 0.2 s that it had waited, to the final transcript. So
// Final counts from the last sample of speech, and the wait for an endpoint overlaps
// it: with an endpoint after 200 ms a TTFS of 247 ms is 47 ms after that, and with one
// after 500 ms the transcript is there at once. How far interims are behind is not
// published: they are taken to be as far behind the audio as a median final is.
func FindSTT(model string) (p STT, known bool) {
	c, reason, known := find("stt", model, DefaultSTT)
	p = STT{Name: model, Slug: c.Slug, Reason: reason, Final: spread(c), Interim: dist.Constant(c.P50)}
	habits(&p)
	return p, known
}

// What unknown names stand for: the parts of two of the reference stacks that the
// components were collected for.
const (
	DefaultSTT = "nova-3"
	DefaultTTS = "eleven_flash_v2_5"
)

// habits sets what the vendors' documents say beside the latency. Endpointing and
// cadences are those of the catalogue's rows for endpointing; spans of finals and the
// silence of services without such a row are assumed.
func habits(p *STT) {
	p.Turn.Silence = 500 * time.Millisecond
	switch {
	case strings.HasPrefix(strings.ToLower(p.Name), "flux"):
		// Its turn detection is its recognition: nothing comes on top of the wait.
		p.Turn, p.Every, p.Final = FluxTurn(.7, 0, 5*time.Second), 250*time.Millisecond, dist.Dist{}
	case strings.HasPrefix(p.Slug, "stt-deepgram"):
		p.Turn.Silence, p.Every, p.MaxSpan = 10*time.Millisecond, time.Second, 5*time.Second
	case strings.HasPrefix(p.Slug, "stt-assemblyai-u3"):
		p.Turn = Turn{Silence: 100 * time.Millisecond, Unfinished: time.Second}
	case strings.HasPrefix(p.Slug, "stt-assemblyai"):
		p.Turn = Turn{Silence: 400 * time.Millisecond, Unfinished: 1280 * time.Millisecond}
	}
}

// TTS is how a named service for text to speech behaves. All of it may be set by hand.
type TTS struct {
	Name   string // of the model, as asked for
	Slug   string // of the catalogue's component that FirstByte is taken from
	Reason string // why the name stands for that component
	// FirstByte is the time from the text to the first byte of audio.
	FirstByte dist.Dist
	// Speed is how many seconds of audio are made in a second after that; 0 is all at
	// once.
	Speed float64
	// Chunk is how much audio is sent at once; 0 is 100 ms.
	Chunk time.Duration
	// Lead and Tail are the silence before and after speech.
	Lead, Tail time.Duration
	// Pace is how many characters are spoken in a second between pauses; 0 is 18.
	Pace float64
}

// FindTTS returns the profile of a model by its name in an API, such as "sonic-3", or
// by the slug of a component, like FindSTT; DefaultTTS stands for what is unknown.
//
// The component's clock is TTFA, or TTFB where its condition says so: both end with the
// first byte of audio. Lead comes on top: 200 ms, the middle of the 150 to 250 ms that
// the catalogue's row for leading silence has for any vendor. Speed is 3, the inverse
// of the real-time factor .33 that Rime states for Coda (docs.rime.ai/docs/latency.md,
// read 2026-11-29): no other vendor of the catalogue publishes one. Chunks and the
// silence at the end are assumed.
func FindTTS(model string) (p TTS, known bool) {
	c, reason, known := find("tts", model, DefaultTTS)
	return TTS{
		Name: model, Slug: c.Slug, Reason: reason,
		FirstByte: spread(c),
		Speed:     3,
		Chunk:     usualChunk,
		Lead:      200 * time.Millisecond,
		Tail:      200 * time.Millisecond,
		Pace:      usualPace,
	}, known
}

// find returns the component of a kind that a model's name stands for.
func find(kind, model, otherwise string) (c catalog.Component, reason string, known bool) {
	a, known := alias(kind, model)
	if !known {
		if strings.HasPrefix(model, kind+"-") { // what begins otherwise is no slug, and the search for it takes long
			if c, err := catalog.FindComponent(model); err == nil && c.Kind == kind && c.Usable() {
				return c, "the component itself", true
			}
		}
		a, _ = alias(kind, otherwise)
		a.Reason = "unknown model: " + otherwise + " stands in"
	}
	c, err := catalog.FindComponent(a.Slug)
	if err != nil {
		panic("speech: " + err.Error())
	}
	return c, a.Reason, known
}

// spread returns the distribution of a component's latency: log-normal through P50 and
// P95, or P90, or with the interquartile range that its condition names; else P50.
//
// A log-normal of median m has quartiles m*exp(±.6745 s), so that s = asinh(IQR/2m)/.6745.
func spread(c catalog.Component) dist.Dist {
	median := float64(c.P50) / float64(time.Millisecond)
	sigma := 0.
	if c.SpreadKnown() {
		sigma = math.Log(float64(c.P95)/float64(c.P50)) / 1.6448536269514722
	} else if p90, ok := figure(c.Condition, "P90"); ok {
		sigma = math.Log(p90/median) / 1.2815515655446004
	} else if iqr, ok := figure(c.Condition, "IQR"); ok {
		sigma = math.Asinh(iqr/(2*median)) / .6744897501960817
	}
	return dist.LogNormal(math.Log(median), sigma)
}

var figures = regexp.MustCompile(`\b(P90|IQR) (?:= )?(\d+)`)

// figure returns the milliseconds that a condition has for a name.
func figure(condition, name string) (float64, bool) {
	for _, m := range figures.FindAllStringSubmatch(condition, -1) {
		if m[1] == name {
			x, err := strconv.ParseFloat(m[2], 64)
			return x, err == nil
		}
	}
	return 0, false
}
