package openai

import (
	"errors"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"halfsecond/mockllm/server/voice/mouth"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/mockllm/token"
	"halfsecond/pipeline/wire"
)

// speak answers POST /v1/audio/speech: audio as it is made, or events with it.
// The header of a WAV, MP3 or FLAC goes out together with the first audio.
func (s *Service) speak(w http.ResponseWriter, r *http.Request) {
	id := s.NewID("req_")
	w.Header().Set("x-request-id", id)
	var q wire.SpeechRequest
	arrived, err := mouth.ReadRequest(s.Host, w, r, &q)
	if err != nil {
		unreadableSpeech(err).write(w)
		return
	}
	if fault := checkSpeech(&q); fault != nil {
		fault.write(w)
		return
	}
	c := mouth.Recital{Protocol: "openai speech", ID: id, Model: q.Model, Text: q.Input, Output: speechOutputs[q.Format], Content: speechTypes[q.Format]}
	if q.Speed != nil {
		c.Speed = *q.Speed
	}
	if q.StreamFormat == wire.SpeechAsEvents {
		c.Content, c.Form = "text/event-stream", speechEvents(q.Input, c.Output.Format.Rate)
	}
	s.Mouths.Recite(w, r, arrived, c)
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
			events = wire.AppendEvent(events, "", talk.JSON(wire.SpeechDelta{Type: wire.SpeechDeltaType, Audio: encoded}))
		}
		if c.Last {
			done := wire.SpeechDone{Type: wire.SpeechDoneType, Usage: speechUsage(text, audio.Duration(samples, rate))}
			events = wire.AppendEvent(events, "", talk.JSON(done))
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

func unreadableSpeech(err error) *refusal {
	var field *wire.FieldError
	var large talk.TooLarge
	switch {
	case errors.As(err, &field):
		return refuse(field.Field, "invalid_type", "Invalid type for '%s': %s.", field.Field, field.Problem)
	case errors.As(err, &large):
		f := refuse("", "request_too_large", "Request refused: %v.", large)
		f.status = http.StatusRequestEntityTooLarge
		return f
	}
	return refuse("", "", "We could not parse the JSON body of your request: %v.", err)
}

// checkSpeech returns what is wrong with a request, and fills in what it leaves out.
func checkSpeech(q *wire.SpeechRequest) *refusal {
	if q.Format == "" {
		q.Format = wire.SpeechMP3
	}
	if q.StreamFormat == "" {
		q.StreamFormat = wire.SpeechAsAudio
	}
	switch n := utf8.RuneCountInString(q.Input); {
	case q.Model == "":
		return refuse("model", "missing_required_parameter", "you must provide a model parameter")
	case n == 0:
		return refuse("input", "missing_required_parameter", "Missing required parameter: 'input'.")
	case n > wire.MaxSpeechInput:
		return refuse("input", "string_above_max_length", "Invalid 'input': string too long. Expected a string with maximum length %d, but got a string with length %d instead.", wire.MaxSpeechInput, n)
	case q.Voice == wire.SpeechVoice{}:
		return refuse("voice", "missing_required_parameter", "Missing required parameter: 'voice'.")
	case q.Speed != nil && !(*q.Speed >= wire.MinSpeechSpeed && *q.Speed <= wire.MaxSpeechSpeed):
		return refuse("speed", "invalid_value", "Invalid 'speed': expected a number from %g to %g, but got %g instead.", wire.MinSpeechSpeed, wire.MaxSpeechSpeed, *q.Speed)
	}
	return checkSpeechFormat(q)
}

func checkSpeechFormat(q *wire.SpeechRequest) *refusal {
	_, known := speechTypes[q.Format]
	switch {
	case q.Format == wire.SpeechOpus || q.Format == wire.SpeechAAC:
		return refuse("response_format", "unsupported_value", "This mock server cannot write '%s': use 'mp3', 'flac', 'wav' or 'pcm'.", q.Format)
	case !known:
		return refuse("response_format", "invalid_value", "Invalid value: '%s'. Supported values are: 'mp3', 'opus', 'aac', 'flac', 'wav', and 'pcm'.", q.Format)
	case q.StreamFormat != wire.SpeechAsAudio && q.StreamFormat != wire.SpeechAsEvents:
		return refuse("stream_format", "invalid_value", "Invalid value: '%s'. Supported values are: 'audio' and 'sse'.", q.StreamFormat)
	case q.StreamFormat == wire.SpeechAsEvents && strings.HasPrefix(q.Model, "tts-1"):
		return refuse("stream_format", "unsupported_value", "Unsupported value: 'sse' is not supported with the model '%s'; use 'audio'.", q.Model)
	}
	return nil
}
