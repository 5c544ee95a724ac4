package elevenlabs

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"halfsecond/mockllm/server/voice/mouth"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline/wire/elevenlabs"
)

// manner is how an answer over HTTP is sent.
type manner struct {
	whole bool // all at once
	timed bool // as JSON with the times of characters
}

// speak answers a request over HTTP.
func (s *Service) speak(w http.ResponseWriter, r *http.Request, how manner) {
	id := s.NewID("")
	w.Header().Set("request-id", id)
	output, content, fault := outputOf(r, how.whole)
	if fault != nil {
		fault.tell(w)
		return
	}
	var q elevenlabs.Request
	arrived, err := mouth.ReadRequest(s.Host, w, r, &q)
	if fault = faultOf(&q, err); fault != nil {
		fault.tell(w)
		return
	}
	w.Header().Set("x-character-count", strconv.Itoa(utf8.RuneCountInString(*q.Text)))
	c := mouth.Recital{Protocol: "elevenlabs", ID: id, Model: q.ModelID, Text: *q.Text, Speed: speedOf(q.VoiceSettings), Output: output, Content: content, Whole: how.whole}
	if how.timed {
		c.Content, c.Form = "application/json", timed
	}
	s.Mouths.Recite(w, r, arrived, c)
}

// timed is the form of a line of audio with the characters that begin in it, if
// any. Times count from the start of the whole answer.
func timed(c speech.Chunk, _ time.Duration, encoded []byte) []byte {
	if len(encoded) == 0 && len(c.Characters) == 0 {
		return nil
	}
	var times *elevenlabs.CharacterTimes
	if len(c.Characters) > 0 {
		times = &elevenlabs.CharacterTimes{}
		for _, x := range c.Characters {
			times.Characters = append(times.Characters, x.Text)
			times.Starts = append(times.Starts, talk.Seconds(x.Start))
			times.Ends = append(times.Ends, talk.Seconds(x.End))
		}
	}
	if encoded == nil {
		encoded = []byte{} // a string, not null
	}
	return append(talk.JSON(elevenlabs.TimedAudio{Audio: encoded, Alignment: times, Normalized: times}), '\n')
}

// outputOf returns the audio that output_format asks for, with the type of an
// answer. The vendor documents none of the types but that of MP3.
func outputOf(r *http.Request, whole bool) (o audio.Output, content string, fault *refusal) {
	name := r.URL.Query().Get("output_format")
	if name == "" {
		name = elevenlabs.DefaultFormat
	}
	formats := elevenlabs.Formats
	if !whole {
		formats = slices.DeleteFunc(slices.Clone(formats), func(f string) bool { return strings.HasPrefix(f, "wav") })
	}
	if !slices.Contains(formats, name) {
		return o, "", invalid("enum", fmt.Sprintf("Input should be '%s'", strings.Join(formats, "', '")), "query", "output_format")
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
		return o, "", invalid("value_error", fmt.Sprintf("this mock server cannot write %s: use a format of mp3, pcm, ulaw, alaw or wav", name), "query", "output_format")
	}
	return o, content, nil
}

// speedOf returns the speed of voice settings; 0 is none.
func speedOf(v *elevenlabs.VoiceSettings) float64 {
	if v == nil || v.Speed == nil {
		return 0
	}
	return *v.Speed
}

// limits are the most characters of a text by model; usualLimit holds for others
// (elevenlabs/elevenlabs-docs fern/docs/pages/models.mdx, and pull request 1458 for v3,
// both 2025-08-25, read 2026-11-29).
var limits = map[string]int{
	"eleven_flash_v2": 30_000, "eleven_turbo_v2": 30_000, "eleven_v3": 3_000,
	"eleven_multilingual_v2": 10_000, "eleven_multilingual_v1": 10_000,
}

const usualLimit = 40_000

// refusal is why a request is refused.
type refusal struct {
	status int
	body   any
}

func (f *refusal) tell(w http.ResponseWriter) { talk.WriteJSON(w, f.status, f.body) }

func invalid(kind, message string, location ...string) *refusal {
	return &refusal{http.StatusUnprocessableEntity, elevenlabs.ValidationBody{
		Detail: []elevenlabs.Invalid{{Location: location, Message: message, Type: kind}},
	}}
}

func refused(status int, name, format string, args ...any) *refusal {
	return &refusal{status, elevenlabs.RefusalBody{Detail: elevenlabs.Refusal{Status: name, Message: fmt.Sprintf(format, args...)}}}
}

// faultOf returns what is wrong with a request that was read with an error or
// without, and fills in what it leaves out.
func faultOf(q *elevenlabs.Request, err error) *refusal {
	var large talk.TooLarge
	switch {
	case errors.As(err, &large):
		return refused(http.StatusRequestEntityTooLarge, "request_too_large", "Request refused: %v.", large)
	case err != nil:
		return invalid("json_invalid", fmt.Sprintf("JSON decode error: %v", err), "body")
	case q.Text == nil:
		return invalid("missing", "Field required", "body", "text")
	}
	if q.ModelID == "" {
		q.ModelID = elevenlabs.DefaultModel
	}
	if v := speedOf(q.VoiceSettings); v != 0 && !speedAllowed(v) {
		return invalid("value_error", fmt.Sprintf("Input should be a number from %g to %g", elevenlabs.MinSpeed, elevenlabs.MaxSpeed), "body", "voice_settings", "speed")
	}
	if *q.Text == "" {
		return refused(http.StatusBadRequest, "input_text_empty", "The text to be spoken is empty.")
	}
	if n, most := utf8.RuneCountInString(*q.Text), mostCharacters(q.ModelID); n > most {
		return refused(http.StatusBadRequest, "max_character_limit_exceeded", "This request's text has %d characters and exceeds the character limit of %d characters.", n, most)
	}
	return nil
}

func speedAllowed(v float64) bool { return v >= elevenlabs.MinSpeed && v <= elevenlabs.MaxSpeed }

// mostCharacters returns the most characters of a text for a model.
func mostCharacters(model string) int {
	if n, known := limits[model]; known {
		return n
	}
	return usualLimit
}

// voices answers GET /v1/voices with one voice: all ids stand for it.
func voices(w http.ResponseWriter, _ *http.Request) {
	talk.WriteJSON(w, http.StatusOK, elevenlabs.VoiceList{Voices: []elevenlabs.Voice{{ID: "halfsecond", Name: "Halfsecond", Category: "premade"}}})
}

// options are the parameters of a WebSocket.
type options struct {
	model      string
	output     audio.Output
	auto       bool // speak every message at once
	sync       bool // times of characters with every stretch of audio
	inactivity time.Duration
}

// optionsOf reads the parameters of a WebSocket.
func optionsOf(r *http.Request) (o options, fault *refusal) {
	o.output, _, fault = outputOf(r, false)
	if fault != nil {
		return o, fault
	}
	p := &talk.Params{Values: r.URL.Query()}
	if o.model = p.Values.Get("model_id"); o.model == "" {
		o.model = elevenlabs.DefaultModel
	}
	if strings.HasPrefix(o.model, "eleven_v3") {
		return o, refused(http.StatusBadRequest, "unsupported_model", "Model '%s' cannot be used over a WebSocket: use POST /v1/text-to-speech/{voice_id}/stream.", o.model)
	}
	o.auto, o.sync = p.Flag("auto_mode"), p.Flag("sync_alignment")
	o.inactivity = time.Duration(p.Whole("inactivity_timeout", elevenlabs.DefaultInactivity, 1, elevenlabs.MaxInactivity)) * time.Second
	if p.Fault != nil {
		return o, invalid("value_error", p.Fault.Error(), "query")
	}
	return o, nil
}
