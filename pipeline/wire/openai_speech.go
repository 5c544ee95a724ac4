package wire

import (
	"bytes"
	"encoding/json"
)

// Formats of the audio that POST /v1/audio/speech answers with.
const (
	SpeechMP3  = "mp3"
	SpeechOpus = "opus"
	SpeechAAC  = "aac"
	SpeechFLAC = "flac"
	SpeechWAV  = "wav"
	SpeechPCM  = "pcm" // no header, signed 16 bits, 24 kHz
)

// How that audio is sent: as the body itself, or in events.
const (
	SpeechAsAudio  = "audio"
	SpeechAsEvents = "sse"
)

// Types of the events of speech.
const (
	SpeechDeltaType = "speech.audio.delta"
	SpeechDoneType  = "speech.audio.done"
)

// MaxSpeechInput is the most characters of text that are spoken.
const MaxSpeechInput = 4096

// MinSpeechSpeed and MaxSpeechSpeed are the bounds of a request's speed.
const (
	MinSpeechSpeed = .25
	MaxSpeechSpeed = 4.
)

// SpeechRequest is the body of POST /v1/audio/speech.
//
// Source of the shapes and bounds in this file: openai/openai-openapi openapi.yaml,
// /audio/speech, CreateSpeechRequest and the SpeechAudio schemas (2026-08-21), and the
// types of npm openai 7.55.0, read 2026-11-29.
type SpeechRequest struct {
	Model        string      `json:"model"`
	Input        string      `json:"input"`
	Voice        SpeechVoice `json:"voice"`
	Instructions string      `json:"instructions,omitempty"`
	Format       string      `json:"response_format,omitempty"` // "" is SpeechMP3
	Speed        *float64    `json:"speed,omitempty"`           // nil is 1
	StreamFormat string      `json:"stream_format,omitempty"`   // "" is SpeechAsAudio
}

// SpeechVoice is a voice by its name, such as "alloy", or one of the user's own by its
// id.
type SpeechVoice struct {
	Name string
	ID   string
}

// UnmarshalJSON takes a name, an object with an id, and null.
func (v *SpeechVoice) UnmarshalJSON(b []byte) error {
	var own struct {
		ID string `json:"id"`
	}
	switch {
	case bytes.Equal(b, []byte("null")):
		return nil
	case json.Unmarshal(b, &v.Name) == nil:
		return nil
	case json.Unmarshal(b, &own) == nil:
		v.ID = own.ID
		return nil
	}
	return &FieldError{"voice", "expected the name of a voice or an object with its id"}
}

// MarshalJSON writes the name, or an object when there is an id.
func (v SpeechVoice) MarshalJSON() ([]byte, error) {
	if v.ID == "" {
		return json.Marshal(v.Name)
	}
	return json.Marshal(struct {
		ID string `json:"id"`
	}{v.ID})
}

// SpeechDelta is an event with a stretch of the audio.
type SpeechDelta struct {
	Type  string `json:"type"` // SpeechDeltaType
	Audio []byte `json:"audio"`
}

// SpeechDone is the last event.
type SpeechDone struct {
	Type  string      `json:"type"` // SpeechDoneType
	Usage SpeechUsage `json:"usage"`
}

// SpeechUsage counts the tokens of the text and of the audio.
type SpeechUsage struct {
	InputTokens  int `json:"input_tokens"`
	OutputTokens int `json:"output_tokens"`
	TotalTokens  int `json:"total_tokens"`
}
