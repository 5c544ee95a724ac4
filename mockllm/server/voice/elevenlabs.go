package voice

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline/wire/elevenlabs"
)

// handleElevenLabs adds the routes of ElevenLabs' text to speech. Any voice may be
// asked for.
func (s *Service) handleElevenLabs(mux *http.ServeMux) {
	const voice = "/v1/text-to-speech/{voice_id}"
	for path, how := range map[string]elevenManner{
		"":                        {whole: true},
		"/stream":                 {},
		"/with-timestamps":        {whole: true, timed: true},
		"/stream/with-timestamps": {timed: true},
	} {
		mux.HandleFunc("POST "+voice+path, func(w http.ResponseWriter, r *http.Request) { s.elevenLabs(w, r, how) })
	}
	mux.HandleFunc("GET "+voice+"/stream-input", s.elevenSingle)
	mux.HandleFunc("GET "+voice+"/multi-stream-input", s.elevenMulti)
	mux.HandleFunc("GET /v1/voices", elevenVoices)
}

// elevenManner is how an answer over HTTP is sent.
type elevenManner struct {
	whole bool // all at once
	timed bool // as JSON with the times of characters
}

// elevenLabs answers a request over HTTP.
func (s *Service) elevenLabs(w http.ResponseWriter, r *http.Request, how elevenManner) {
	id := s.newID("")
	w.Header().Set("request-id", id)
	output, content, fault := elevenOutput(r, how.whole)
	if fault != nil {
		fault.tell(w)
		return
	}
	var q elevenlabs.Request
	arrived, err := s.readJSON(w, r, &q)
	if fault = elevenFaultOf(&q, err); fault != nil {
		fault.tell(w)
		return
	}
	w.Header().Set("x-character-count", strconv.Itoa(utf8.RuneCountInString(*q.Text)))
	c := recital{protocol: "elevenlabs", id: id, model: q.ModelID, text: *q.Text, speed: elevenSpeed(q.VoiceSettings), output: output, content: content, whole: how.whole}
	if how.timed {
		c.content, c.form = "application/json", elevenTimed
	}
	s.recite(w, r, arrived, c)
}

// elevenTimed is the form of a line of audio with the characters that begin in it, if
// any. Times count from the start of the whole answer.
func elevenTimed(c speech.Chunk, _ time.Duration, encoded []byte) []byte {
	if len(encoded) == 0 && len(c.Characters) == 0 {
		return nil
	}
	var times *elevenlabs.CharacterTimes
	if len(c.Characters) > 0 {
		times = &elevenlabs.CharacterTimes{}
		for _, x := range c.Characters {
			times.Characters = append(times.Characters, x.Text)
			times.Starts = append(times.Starts, inSeconds(x.Start))
			times.Ends = append(times.Ends, inSeconds(x.End))
		}
	}
	if encoded == nil {
		encoded = []byte{} // a string, not null
	}
	return append(jsonOf(elevenlabs.TimedAudio{Audio: encoded, Alignment: times, Normalized: times}), '\n')
}

// elevenOutput returns the audio that output_format asks for, with the type of an
// answer. The vendor documents none of the types but that of MP3.
func elevenOutput(r *http.Request, whole bool) (o audio.Output, content string, fault *elevenFault) {
	name := r.URL.Query().Get("output_format")
	if name == "" {
		name = elevenlabs.DefaultFormat
	}
	formats := elevenlabs.Formats
	if !whole {
		formats = slices.DeleteFunc(slices.Clone(formats), func(f string) bool { return strings.HasPrefix(f, "wav") })
	}
	if !slices.Contains(formats, name) {
		return o, "", elevenInvalid("enum", fmt.Sprintf("Input should be '%s'", strings.Join(formats, "', '")), "query", "output_format")
	}
	codec, numbers, _ := strings.Cut(name, "_")
	rate, kbps, _ := strings.Cut(numbers, "_")
	o.Format.Rate, _ = strconv.Atoi(rate) // the list has numbers
	o.Kbps, _ = strconv.Atoi(kbps)        // or nothing
	switch codec {
	case "mp3":
		o.Container, content = audio.MP3, "audio/mpeg"
	case "wav":
		o.Container, content = audio.WAV, "audio/wav"
	case "pcm":
		content = "audio/pcm"
	case "ulaw":
		o.Format.Encoding, content = audio.MuLaw, "audio/basic"
	case "alaw":
		o.Format.Encoding, content = audio.ALaw, "audio/x-alaw-basic"
	default:
		return o, "", elevenInvalid("value_error", fmt.Sprintf("this mock server cannot write %s: use a format of mp3, pcm, ulaw, alaw or wav", name), "query", "output_format")
	}
	return o, content, nil
}

// elevenSpeed returns the speed of voice settings; 0 is none.
func elevenSpeed(v *elevenlabs.VoiceSettings) float64 {
	if v == nil || v.Speed == nil {
		return 0
	}
	return *v.Speed
}

// elevenLimits are the most characters of a text by model; elevenLimit holds for others
// (elevenlabs/elevenlabs-docs fern/docs/pages/models.mdx, and pull request 1458 for v3,
// both 2025-08-25, read 2026-11-29).
var elevenLimits = map[string]int{
	"eleven_flash_v2": 30_000, "eleven_turbo_v2": 30_000, "eleven_v3": 3_000,
	"eleven_multilingual_v2": 10_000, "eleven_multilingual_v1": 10_000,
}

const elevenLimit = 40_000

// elevenFault is why a request is refused.
type elevenFault struct {
	status int
	body   any
}

func (f *elevenFault) tell(w http.ResponseWriter) { answerJSON(w, f.status, f.body) }

func elevenInvalid(kind, message string, location ...string) *elevenFault {
	return &elevenFault{http.StatusUnprocessableEntity, elevenlabs.ValidationBody{
		Detail: []elevenlabs.Invalid{{Location: location, Message: message, Type: kind}},
	}}
}

func elevenRefused(status int, name, format string, args ...any) *elevenFault {
	return &elevenFault{status, elevenlabs.RefusalBody{Detail: elevenlabs.Refusal{Status: name, Message: fmt.Sprintf(format, args...)}}}
}

// elevenFaultOf returns what is wrong with a request that was read with an error or
// without, and fills in what it leaves out.
func elevenFaultOf(q *elevenlabs.Request, err error) *elevenFault {
	var large tooLarge
	switch {
	case errors.As(err, &large):
		return elevenRefused(http.StatusRequestEntityTooLarge, "request_too_large", "Request refused: %v.", large)
	case err != nil:
		return elevenInvalid("json_invalid", fmt.Sprintf("JSON decode error: %v", err), "body")
	case q.Text == nil:
		return elevenInvalid("missing", "Field required", "body", "text")
	}
	if q.ModelID == "" {
		q.ModelID = elevenlabs.DefaultModel
	}
	if v := elevenSpeed(q.VoiceSettings); v != 0 && !elevenSpeedAllowed(v) {
		return elevenInvalid("value_error", fmt.Sprintf("Input should be a number from %g to %g", elevenlabs.MinSpeed, elevenlabs.MaxSpeed), "body", "voice_settings", "speed")
	}
	if *q.Text == "" {
		return elevenRefused(http.StatusBadRequest, "input_text_empty", "The text to be spoken is empty.")
	}
	if n, most := utf8.RuneCountInString(*q.Text), elevenMost(q.ModelID); n > most {
		return elevenRefused(http.StatusBadRequest, "max_character_limit_exceeded", "This request's text has %d characters and exceeds the character limit of %d characters.", n, most)
	}
	return nil
}

func elevenSpeedAllowed(v float64) bool { return v >= elevenlabs.MinSpeed && v <= elevenlabs.MaxSpeed }

// elevenMost returns the most characters of a text for a model.
func elevenMost(model string) int {
	if n, known := elevenLimits[model]; known {
		return n
	}
	return elevenLimit
}

// elevenVoices answers GET /v1/voices with one voice: all ids stand for it.
func elevenVoices(w http.ResponseWriter, _ *http.Request) {
	answerJSON(w, http.StatusOK, elevenlabs.VoiceList{Voices: []elevenlabs.Voice{{ID: "halfsecond", Name: "Halfsecond", Category: "premade"}}})
}

// elevenOptions are the parameters of a WebSocket.
type elevenOptions struct {
	model      string
	output     audio.Output
	auto       bool // speak every message at once
	sync       bool // times of characters with every stretch of audio
	inactivity time.Duration
}

// elevenOptionsOf reads the parameters of a WebSocket.
func elevenOptionsOf(r *http.Request) (o elevenOptions, fault *elevenFault) {
	o.output, _, fault = elevenOutput(r, false)
	if fault != nil {
		return o, fault
	}
	p := &params{values: r.URL.Query()}
	if o.model = p.values.Get("model_id"); o.model == "" {
		o.model = elevenlabs.DefaultModel
	}
	if strings.HasPrefix(o.model, "eleven_v3") {
		return o, elevenRefused(http.StatusBadRequest, "unsupported_model", "Model '%s' cannot be used over a WebSocket: use POST /v1/text-to-speech/{voice_id}/stream.", o.model)
	}
	o.auto, o.sync = p.flag("auto_mode"), p.flag("sync_alignment")
	o.inactivity = time.Duration(p.whole("inactivity_timeout", elevenlabs.DefaultInactivity, 1, elevenlabs.MaxInactivity)) * time.Second
	if p.fault != nil {
		return o, elevenInvalid("value_error", p.fault.Error(), "query")
	}
	return o, nil
}
