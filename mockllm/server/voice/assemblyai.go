package voice

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline/wire/assemblyai"
)

// handleAssemblyAI adds the route of AssemblyAI's streaming API.
func (s *Service) handleAssemblyAI(mux *http.ServeMux) { mux.HandleFunc("GET /v3/ws", s.assemblyAI) }

// assemblyAI answers GET /v3/ws, which becomes a WebSocket: what is wrong with its
// parameters is told there, as the service does.
func (s *Service) assemblyAI(w http.ResponseWriter, r *http.Request) {
	id, expires := s.newUUID(), time.Now().Add(assemblyLongest)
	p := &params{values: r.URL.Query()}
	o := assemblyOptionsOf(p)
	s.converse(w, r, nil, func(k *socket) session {
		v := newAssemblySession(s.visit(k, r, "assemblyai", o.model, id), o)
		if p.fault != nil {
			v.fail(assemblyai.CodeInput, "Input Validation Error: "+p.fault.Error())
			return v
		}
		v.begin(expires)
		return v
	})
}

// assemblyOptions are the parameters of /v3/ws that change what comes back.
type assemblyOptions struct {
	model    string
	source   source
	limited  bool // each message has a length that is checked
	pro      bool // a model of the Universal-3 Pro family
	detector speech.DetectorConfig
	idle     time.Duration // 0 is without limit
	warning  string
	assemblySettings
	texts []string // to be heard
}

// assemblySettings are those that a client may change while it talks.
type assemblySettings struct {
	threshold float64       // of confidence that the turn has ended
	silence   time.Duration // that ends a turn with such confidence
	longest   time.Duration // that ends any turn
	format    bool          // send the turn again as it is written
}

// What the service takes and has when nothing is said (sources in package assemblyai).
const (
	assemblyModel                          = "universal-streaming-english"
	assemblyRate                           = 16_000
	assemblyThreshold                      = .4
	assemblySilence, assemblyLongestTurn   = 400, 1280 // ms
	assemblyProSilence, assemblyProLongest = 100, 1000
	assemblyMostSilence                    = 60_000  // ours
	assemblyLeastIdle, assemblyMostIdle    = 5, 3600 // s
	assemblyLongest                        = 3 * time.Hour
)

func assemblyOptionsOf(p *params) assemblyOptions {
	o := assemblyOptions{model: p.values.Get("speech_model"), texts: p.values[dictated]}
	if o.model == "" {
		o.model, o.warning = assemblyModel, "speech_model is missing, which the service refuses: "+assemblyModel+" is used"
	}
	o.pro = strings.HasPrefix(o.model, "u3-") || strings.HasPrefix(o.model, "universal-3")
	o.source, o.limited = assemblySource(p)
	o.assemblySettings = assemblySettingsOf(p, o.pro)
	if p.values.Get("vad_threshold") != "" {
		_, o.detector = speech.ServerVAD(p.number("vad_threshold", .5, 0, 1), 0)
	}
	o.idle = time.Duration(p.whole("inactivity_timeout", 0, assemblyLeastIdle, assemblyMostIdle)) * time.Second
	return o
}

func assemblySettingsOf(p *params, pro bool) assemblySettings {
	silence, longest := assemblySilence, assemblyLongestTurn
	if pro {
		silence, longest = assemblyProSilence, assemblyProLongest
	}
	silence = p.whole("min_end_of_turn_silence_when_confident", silence, 0, assemblyMostSilence) // an older name
	return assemblySettings{
		threshold: p.number("end_of_turn_confidence_threshold", assemblyThreshold, 0, 1),
		silence:   p.milliseconds("min_turn_silence", silence, 0, assemblyMostSilence),
		longest:   p.milliseconds("max_turn_silence", longest, 0, assemblyMostSilence),
		format:    p.flag("format_turns"),
	}
}

// assemblySource returns what the audio is, and whether the length of its messages can
// be told.
func assemblySource(p *params) (s source, limited bool) {
	s.format = audio.Format{Rate: p.whole("sample_rate", assemblyRate, audio.LowestRate, audio.HighestRate), Channels: 1}
	switch p.choice("encoding", "pcm_s16le", "pcm_s16le", "pcm_mulaw", "opus", "ogg_opus") {
	case "pcm_s16le":
		s.packaging = rawSamples
	case "pcm_mulaw":
		s.packaging, s.format.Encoding = rawSamples, audio.MuLaw
	case "opus":
		s.packaging, s.format.Rate = opusPackets, 48_000 // packets say their own rate
	}
	return s, s.packaging == rawSamples
}

// turn returns the turn detection of the settings. A threshold of 0 lets the shorter
// silence end any turn, and one of 1 the longer.
func (a assemblySettings) turn() speech.Turn {
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
func (a assemblySettings) with(c assemblyai.Command) (assemblySettings, error) {
	if c.MinSilence == nil {
		c.MinSilence = c.OldMinSilence
	}
	for _, silence := range []struct {
		name  string
		value *float64
		into  *time.Duration
	}{{"min_turn_silence", c.MinSilence, &a.silence}, {"max_turn_silence", c.MaxSilence, &a.longest}} {
		ms := float64(*silence.into / time.Millisecond)
		if err := changed(&ms, silence.name, silence.value, 0, assemblyMostSilence); err != nil {
			return a, err
		}
		*silence.into = time.Duration(ms) * time.Millisecond
	}
	if c.FormatTurns != nil {
		a.format = *c.FormatTurns
	}
	return a, changed(&a.threshold, "end_of_turn_confidence_threshold", c.ConfidenceThreshold, 0, 1)
}

// readAssemblyCommand reads a text frame of the client. What is wrong with it is in the
// service's words (common-session-errors-and-closures.md).
func readAssemblyCommand(b []byte) (c assemblyai.Command, problem string) {
	if !json.Valid(b) {
		return c, fmt.Sprintf("Invalid JSON: %s", b)
	}
	if err := json.Unmarshal(b, &c); err != nil || c.Type == "" {
		return c, fmt.Sprintf("Invalid Message: %s", b)
	}
	switch c.Type {
	case assemblyai.TypeUpdateConfiguration, assemblyai.TypeForceEndpoint, assemblyai.TypeKeepAlive, assemblyai.TypeTerminate:
		return c, ""
	}
	return c, fmt.Sprintf("Invalid Message Type: %s", b)
}
