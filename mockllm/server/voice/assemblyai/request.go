package assemblyai

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"halfsecond/mockllm/server/voice/ear"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline/wire/assemblyai"
)

// options are the parameters of /v3/ws that change what comes back.
type options struct {
	model    string
	source   ear.Source
	limited  bool // each message has a length that is checked
	pro      bool // a model of the Universal-3 Pro family
	detector speech.DetectorConfig
	idle     time.Duration // 0 is without limit
	warning  string
	settings
	texts []string // to be heard
}

// settings are those that a client may change while it talks.
type settings struct {
	threshold float64       // of confidence that the turn has ended
	silence   time.Duration // that ends a turn with such confidence
	longest   time.Duration // that ends any turn
	format    bool          // send the turn again as it is written
}

// What the service takes and has when nothing is said (sources in package assemblyai).
const (
	usualModel                 = "universal-streaming-english"
	usualRate                  = 16_000
	usualThreshold             = .4
	usualSilence, usualLongest = 400, 1280 // ms
	proSilence, proLongest     = 100, 1000
	mostSilence                = 60_000  // ours
	leastIdle, mostIdle        = 5, 3600 // s
	longestSession             = 3 * time.Hour
)

func optionsOf(p *talk.Params) options {
	o := options{model: p.Values.Get("speech_model"), texts: p.Values[ear.Dictated]}
	if o.model == "" {
		o.model, o.warning = usualModel, "speech_model is missing, which the service refuses: "+usualModel+" is used"
	}
	o.pro = strings.HasPrefix(o.model, "u3-") || strings.HasPrefix(o.model, "universal-3")
	o.source, o.limited = sourceOf(p)
	o.settings = settingsOf(p, o.pro)
	if p.Values.Get("vad_threshold") != "" {
		_, o.detector = speech.ServerVAD(p.Number("vad_threshold", .5, 0, 1), 0)
	}
	o.idle = time.Duration(p.Whole("inactivity_timeout", 0, leastIdle, mostIdle)) * time.Second
	return o
}

func settingsOf(p *talk.Params, pro bool) settings {
	silence, longest := usualSilence, usualLongest
	if pro {
		silence, longest = proSilence, proLongest
	}
	silence = p.Whole("min_end_of_turn_silence_when_confident", silence, 0, mostSilence) // an older name
	return settings{
		threshold: p.Number("end_of_turn_confidence_threshold", usualThreshold, 0, 1),
		silence:   p.Milliseconds("min_turn_silence", silence, 0, mostSilence),
		longest:   p.Milliseconds("max_turn_silence", longest, 0, mostSilence),
		format:    p.Flag("format_turns"),
	}
}

// sourceOf returns what the audio is, and whether the length of its messages can
// be told.
func sourceOf(p *talk.Params) (s ear.Source, limited bool) {
	s.Format = audio.Format{Rate: p.Whole("sample_rate", usualRate, audio.LowestRate, audio.HighestRate), Channels: 1}
	switch p.Choice("encoding", "pcm_s16le", "pcm_s16le", "pcm_mulaw", "opus", "ogg_opus") {
	case "pcm_s16le":
		s.Packaging = ear.RawSamples
	case "pcm_mulaw":
		s.Packaging, s.Format.Encoding = ear.RawSamples, audio.MuLaw
	case "opus":
		s.Packaging, s.Format.Rate = ear.OpusPackets, 48_000 // packets say their own rate
	}
	return s, s.Packaging == ear.RawSamples
}

// turn returns the turn detection of the settings. A threshold of 0 lets the shorter
// silence end any turn, and one of 1 the longer.
func (a settings) turn() speech.Turn {
	longest := max(a.longest, time.Millisecond)
	silence := min(max(a.silence, time.Millisecond), longest)
	switch {
	case a.threshold <= 0:
		longest = silence
	case a.threshold >= 1:
		silence = longest
	}
	return speech.Turn{Silence: silence, Unfinished: longest, Eager: silence / 2}
}

// with returns the settings as an UpdateConfiguration changes them.
func (a settings) with(c assemblyai.Command) (settings, error) {
	if c.MinSilence == nil {
		c.MinSilence = c.OldMinSilence
	}
	for _, silence := range []struct {
		name  string
		value *float64
		into  *time.Duration
	}{{"min_turn_silence", c.MinSilence, &a.silence}, {"max_turn_silence", c.MaxSilence, &a.longest}} {
		ms := float64(*silence.into / time.Millisecond)
		if err := talk.Change(&ms, silence.name, silence.value, 0, mostSilence); err != nil {
			return a, err
		}
		*silence.into = time.Duration(ms) * time.Millisecond
	}
	if c.FormatTurns != nil {
		a.format = *c.FormatTurns
	}
	return a, talk.Change(&a.threshold, "end_of_turn_confidence_threshold", c.ConfidenceThreshold, 0, 1)
}

// readCommand reads a text frame of the client. What is wrong with it is in the
// service's words (common-session-errors-and-closures.md).
func readCommand(b []byte) (c assemblyai.Command, problem string) {
	if !json.Valid(b) {
		return c, fmt.Sprintf("Invalid JSON: %s", talk.Quoted(b))
	}
	if err := json.Unmarshal(b, &c); err != nil || c.Type == "" {
		return c, fmt.Sprintf("Invalid Message: %s", talk.Quoted(b))
	}
	switch c.Type {
	case assemblyai.TypeUpdateConfiguration, assemblyai.TypeForceEndpoint, assemblyai.TypeKeepAlive, assemblyai.TypeTerminate:
		return c, ""
	}
	return c, fmt.Sprintf("Invalid Message Type: %s", talk.Quoted(b))
}
