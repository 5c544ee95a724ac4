package voice

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/mockllm/token"
	"halfsecond/pipeline/wire"
)

// handleOpenAISpeech adds the route of OpenAI's text to speech.
func (s *Service) handleOpenAISpeech(mux *http.ServeMux) {
	mux.HandleFunc("POST /v1/audio/speech", s.openAISpeech)
}

// openAISpeech answers POST /v1/audio/speech: audio as it is made, or events with it.
// The header of a WAV, MP3 or FLAC goes out together with the first audio.
func (s *Service) openAISpeech(w http.ResponseWriter, r *http.Request) {
	id := s.newID("req_")
	w.Header().Set("x-request-id", id)
	var q wire.SpeechRequest
	arrived, err := s.readJSON(w, r, &q)
	if err != nil {
		refuseSpeech(w, unreadableSpeech(err))
		return
	}
	if fault := checkSpeech(&q); fault != nil {
		refuseSpeech(w, fault)
		return
	}
	c := recital{protocol: "openai speech", id: id, model: q.Model, text: q.Input, output: speechOutputs[q.Format], content: speechTypes[q.Format]}
	if q.Speed != nil {
		c.speed = *q.Speed
	}
	if q.StreamFormat == wire.SpeechAsEvents {
		c.content, c.form = "text/event-stream", speechEvents(q.Input, c.output.Format.Rate)
	}
	s.recite(w, r, arrived, c)
}

// What the formats are. PCM is at 24 kHz, as the SDKs play it; that the others have the
// same rate is assumed, as is the bitrate of MP3: the schema states none.
var (
	speechOutputs = map[string]audio.Output{
		wire.SpeechMP3:  {Container: audio.MP3, Format: audio.Format{Rate: 24_000}},
		wire.SpeechFLAC: {Container: audio.FLAC, Format: audio.Format{Rate: 24_000}},
		wire.SpeechWAV:  {Container: audio.WAV, Format: audio.Format{Rate: 24_000}},
		wire.SpeechPCM:  {Container: audio.Raw, Format: audio.Format{Rate: 24_000}},
	}
	speechTypes = map[string]string{
		wire.SpeechMP3: "audio/mpeg", wire.SpeechFLAC: "audio/flac", wire.SpeechWAV: "audio/wav", wire.SpeechPCM: "audio/pcm",
	}
)

// speechEvents returns the form of events. They carry the same bytes as the audio
// alone.
func speechEvents(text string, rate int) func(speech.Chunk, time.Duration, []byte) []byte {
	samples := 0
	return func(c speech.Chunk, _ time.Duration, encoded []byte) (events []byte) {
		samples += c.Length
		if len(encoded) > 0 {
			events = wire.AppendEvent(events, "", jsonOf(wire.SpeechDelta{Type: wire.SpeechDeltaType, Audio: encoded}))
		}
		if c.Last {
			done := wire.SpeechDone{Type: wire.SpeechDoneType, Usage: speechUsage(text, audio.Duration(samples, rate))}
			events = wire.AppendEvent(events, "", jsonOf(done))
		}
		return events
	}
}

// audioTokens is how many tokens a minute of speech is: gpt-4o-mini-tts costs 12 USD per
// million of them and .015 USD a minute (developers.openai.com, gpt-4o-mini-tts, as
// hail-hq/hail costs/tts.json has it on 2026-05-19, read 2026-11-29).
const audioTokens = 1250

func speechUsage(text string, spoken time.Duration) wire.SpeechUsage {
	in := token.Count(text)
	out := int((spoken*audioTokens + time.Minute - 1) / time.Minute)
	return wire.SpeechUsage{InputTokens: in, OutputTokens: out, TotalTokens: in + out}
}

// speechFault is why a request is refused.
type speechFault struct {
	status  int
	message string
	param   string
	code    string
}

func badSpeech(param, code, format string, args ...any) *speechFault {
	return &speechFault{http.StatusBadRequest, fmt.Sprintf(format, args...), param, code}
}

func unreadableSpeech(err error) *speechFault {
	var field *wire.FieldError
	var large tooLarge
	switch {
	case errors.As(err, &field):
		return badSpeech(field.Field, "invalid_type", "Invalid type for '%s': %s.", field.Field, field.Problem)
	case errors.As(err, &large):
		return &speechFault{http.StatusRequestEntityTooLarge, fmt.Sprintf("Request refused: %v.", large), "", "request_too_large"}
	}
	return badSpeech("", "", "We could not parse the JSON body of your request: %v.", err)
}

// checkSpeech returns what is wrong with a request, and fills in what it leaves out.
func checkSpeech(q *wire.SpeechRequest) *speechFault {
	if q.Format == "" {
		q.Format = wire.SpeechMP3
	}
	if q.StreamFormat == "" {
		q.StreamFormat = wire.SpeechAsAudio
	}
	switch n := utf8.RuneCountInString(q.Input); {
	case q.Model == "":
		return badSpeech("model", "missing_required_parameter", "you must provide a model parameter")
	case n == 0:
		return badSpeech("input", "missing_required_parameter", "Missing required parameter: 'input'.")
	case n > wire.MaxSpeechInput:
		return badSpeech("input", "string_above_max_length", "Invalid 'input': string too long. Expected a string with maximum length %d, but got a string with length %d instead.", wire.MaxSpeechInput, n)
	case q.Voice == wire.SpeechVoice{}:
		return badSpeech("voice", "missing_required_parameter", "Missing required parameter: 'voice'.")
	case q.Speed != nil && !(*q.Speed >= wire.MinSpeechSpeed && *q.Speed <= wire.MaxSpeechSpeed):
		return badSpeech("speed", "invalid_value", "Invalid 'speed': expected a number from %g to %g, but got %g instead.", wire.MinSpeechSpeed, wire.MaxSpeechSpeed, *q.Speed)
	}
	return checkSpeechFormat(q)
}

func checkSpeechFormat(q *wire.SpeechRequest) *speechFault {
	_, known := speechTypes[q.Format]
	switch {
	case q.Format == wire.SpeechOpus || q.Format == wire.SpeechAAC:
		return badSpeech("response_format", "unsupported_value", "This mock server cannot write '%s': use 'mp3', 'flac', 'wav' or 'pcm'.", q.Format)
	case !known:
		return badSpeech("response_format", "invalid_value", "Invalid value: '%s'. Supported values are: 'mp3', 'opus', 'aac', 'flac', 'wav', and 'pcm'.", q.Format)
	case q.StreamFormat != wire.SpeechAsAudio && q.StreamFormat != wire.SpeechAsEvents:
		return badSpeech("stream_format", "invalid_value", "Invalid value: '%s'. Supported values are: 'audio' and 'sse'.", q.StreamFormat)
	case q.StreamFormat == wire.SpeechAsEvents && strings.HasPrefix(q.Model, "tts-1"):
		return badSpeech("stream_format", "unsupported_value", "Unsupported value: 'sse' is not supported with the model '%s'; use 'audio'.", q.Model)
	}
	return nil
}

func refuseSpeech(w http.ResponseWriter, f *speechFault) {
	body := wire.ErrorBody{Error: wire.APIError{Message: f.message, Type: "invalid_request_error"}}
	if f.param != "" {
		body.Error.Param = &f.param
	}
	if f.code != "" {
		body.Error.Code = &f.code
	}
	answerJSON(w, f.status, body)
}

// answerJSON answers a request with JSON.
func answerJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(jsonOf(v), '\n')) // the client may be gone; there is nobody left to tell
}
