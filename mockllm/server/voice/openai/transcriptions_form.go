package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"mime"
	"mime/multipart"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"halfsecond/mockllm/server/voice/ear"
	"halfsecond/mockllm/speech"
	"halfsecond/pipeline/wire"
)

// transcriptionForm is what an upload asks for.
type transcriptionForm struct {
	task          string // "transcribe" or "translate"
	model         string
	file          []byte
	format        string
	language      string // ISO 639-1
	prompt        string
	temperature   float64
	stream        bool
	logprobs      bool
	granularities []string
	turn          speech.Turn // chunks are utterances; the zero Turn makes one of all
	detector      speech.DetectorConfig
	texts         []string // to be heard
}

// fileExtensions are those that the service takes: it goes by the name of the file.
var fileExtensions = []string{"flac", "m4a", "mp3", "mp4", "mpeg", "mpga", "oga", "ogg", "wav", "webm"}

// readTranscriptionForm reads the body of an upload.
func readTranscriptionForm(body []byte, contentType, task string) (q transcriptionForm, fault *refusal) {
	kind, parameters, err := mime.ParseMediaType(contentType)
	if err != nil || kind != "multipart/form-data" || parameters["boundary"] == "" {
		return q, refuse("", "", "The Content-Type of your request is %q: want multipart/form-data with a boundary.", contentType)
	}
	q = transcriptionForm{task: task, format: wire.TranscriptJSON}
	parts := multipart.NewReader(bytes.NewReader(body), parameters["boundary"])
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return q, refuse("", "", "Could not parse multipart form: %v", err)
		}
		value, err := io.ReadAll(part)
		if err != nil {
			return q, refuse("", "", "Could not parse multipart form: %v", err)
		}
		if fault = q.part(part, value); fault != nil {
			return q, fault
		}
	}
	return q, q.check()
}

// part takes one part of the form. A list has brackets in its name, or not.
func (q *transcriptionForm) part(part *multipart.Part, value []byte) *refusal {
	text := string(value)
	switch name := strings.TrimSuffix(part.FormName(), "[]"); name {
	case "file":
		q.file = value
		return checkFileName(part.FileName())
	case "model":
		q.model = text
	case "response_format":
		q.format = text
	case "language":
		q.language = text
	case "prompt":
		q.prompt = text
	case "include":
		q.logprobs = q.logprobs || text == "logprobs"
	case "timestamp_granularities":
		q.granularities = append(q.granularities, text)
	case "temperature":
		return q.heat(text)
	case "stream":
		return q.streaming(text)
	case "chunking_strategy":
		return q.chunking(text)
	case ear.Dictated:
		q.texts = append(q.texts, text)
	}
	return nil
}

// checkFileName refuses a name without an extension that is known. The words are the
// service's (answers that users quote, read 2026-11-29).
func checkFileName(name string) *refusal {
	extension := strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
	if extension == "" {
		return refuse("file", "unsupported_value", "Unrecognized file format. The file needs a name with an extension. Supported formats: ['%s']", strings.Join(fileExtensions, "', '"))
	}
	if !slices.Contains(fileExtensions, extension) {
		return refuse("file", "unsupported_value", "Unsupported file format %s. Supported formats: ['%s']", extension, strings.Join(fileExtensions, "', '"))
	}
	return nil
}

func (q *transcriptionForm) heat(text string) *refusal {
	t, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(t) || t < 0 || t > 1 {
		return refuse("temperature", "invalid_value", "Invalid 'temperature': %q: want a number from 0 to 1.", text)
	}
	q.temperature = t
	return nil
}

func (q *transcriptionForm) streaming(text string) *refusal {
	stream, err := strconv.ParseBool(text)
	if err != nil {
		return refuse("stream", "invalid_value", "Invalid 'stream': %q: want true or false.", text)
	}
	q.stream = stream
	return nil
}

// chunking takes "auto", or the VAD that cuts the audio into chunks.
func (q *transcriptionForm) chunking(text string) *refusal {
	// The defaults are those of the schema (openai-openapi VadConfig).
	vad := struct {
		Type      string  `json:"type"`
		Silence   int     `json:"silence_duration_ms"`
		Threshold float64 `json:"threshold"`
	}{"server_vad", 200, .5}
	if text != "auto" {
		if err := json.Unmarshal([]byte(text), &vad); err != nil {
			return refuse("chunking_strategy", "invalid_value", "Invalid 'chunking_strategy': want \"auto\" or a server_vad object: %v", err)
		}
	}
	if vad.Type != "server_vad" || vad.Silence < 1 || vad.Threshold < 0 || vad.Threshold > 1 {
		return refuse("chunking_strategy", "invalid_value", "Invalid 'chunking_strategy': want the type server_vad, a silence_duration_ms of at least 1 and a threshold from 0 to 1.")
	}
	q.turn, q.detector = speech.ServerVAD(vad.Threshold, time.Duration(vad.Silence)*time.Millisecond)
	return nil
}

var languageCode = regexp.MustCompile(`^[a-z]{2,3}$`)

// check says what is wrong with the form as a whole.
func (q *transcriptionForm) check() *refusal {
	switch {
	case q.model == "":
		return refuse("model", "", "you must provide a model parameter")
	case q.file == nil:
		return refuse("file", "", "you must provide a file parameter: a part with the audio and a file name")
	case len(q.file) == 0:
		return refuse("file", "invalid_value", "Audio file is empty.")
	case q.language != "" && !languageCode.MatchString(q.language):
		return refuse("language", "invalid_language_format", "Invalid language '%s'. Language parameter must be specified in ISO-639-1 format.", q.language)
	}
	if formats := q.formats(); !slices.Contains(formats, q.format) {
		return refuse("response_format", "unsupported_value", "response_format '%s' is not compatible with model '%s'. Use '%s' instead.", q.format, q.model, strings.Join(formats, "' or '"))
	}
	return nil
}

// formats returns the formats in which a model answers: those of GPT models are few
// (answers that users quote, read 2026-11-29).
func (q *transcriptionForm) formats() []string {
	switch {
	case strings.Contains(q.model, "diarize"):
		return []string{wire.TranscriptJSON, wire.TranscriptText, wire.TranscriptDiarized}
	case q.gpt():
		return []string{wire.TranscriptJSON, wire.TranscriptText}
	}
	return []string{wire.TranscriptJSON, wire.TranscriptText, wire.TranscriptSRT, wire.TranscriptVerbose, wire.TranscriptVTT}
}

// gpt reports whether the model is one that streams and counts tokens, or stands beside
// them; others are like Whisper.
func (q *transcriptionForm) gpt() bool { return strings.HasPrefix(q.model, "gpt-") }

// streams reports whether the answer comes as events: Whisper ignores the wish.
func (q *transcriptionForm) streams() bool { return q.stream && q.gpt() && q.task == "transcribe" }
