package cartesia

import (
	"bytes"
	"encoding/json"
	"errors"
)

// Source of the shapes in this file: cartesia-ai/docs fern/apis/version-2025-04-16
// definition/tts.yml (2025-10-27), types of npm @cartesia/cartesia-js 4.2.0,
// resources/tts, and docs.cartesia.ai/use-the-api, read 2026-11-29.

// Values of the type field of an answer of /tts/websocket and /tts/sse; the latter has
// no TypeFlushDone.
const (
	TypeChunk      = "chunk"
	TypeTimestamps = "timestamps"
	TypeDone       = "done"
	TypeError      = "error"
)

// StructuredErrors is the first version of the API with TTSError; before it there are
// PlainError and, over HTTP, plain text.
const StructuredErrors = "2026-03-01"

// Bounds of max_buffer_delay_ms, and its value when there is none
// (docs.cartesia.ai/use-the-api/tts-websocket/buffering, read 2026-11-29; documents of
// 2025 had 0).
const (
	MaxBufferDelay     = 5000
	DefaultBufferDelay = 3000
)

// MinSpeed and MaxSpeed are the bounds of a GenerationConfig's speed.
const (
	MinSpeed = .6
	MaxSpeed = 1.5
)

// SampleRates are the rates of audio that can be asked for.
var SampleRates = []int{8000, 16000, 22050, 24000, 44100, 48000}

// BitRates are the bits a second of MP3 that can be asked for.
var BitRates = []int{32000, 64000, 96000, 128000, 192000}

// Generation is a message of the client of /tts/websocket and the body of /tts/sse and
// /tts/bytes. Fields that change nothing but the sound are left out.
type Generation struct {
	ModelID      string        `json:"model_id"`
	Transcript   *string       `json:"transcript"` // nil when there was none
	Voice        *Voice        `json:"voice"`
	Language     string        `json:"language,omitempty"`
	OutputFormat *OutputFormat `json:"output_format"`
	Config       *SpeechConfig `json:"generation_config,omitempty"`
	Timestamps   bool          `json:"add_timestamps,omitempty"`
	ContextID    string        `json:"context_id,omitempty"`

	// Of the WebSocket.
	Continue    bool     `json:"continue,omitempty"`
	Flush       bool     `json:"flush,omitempty"`
	BufferDelay *float64 `json:"max_buffer_delay_ms,omitempty"` // nil is DefaultBufferDelay
	Cancel      bool     `json:"cancel,omitempty"`
}

// SpeechConfig is how a text shall be spoken.
type SpeechConfig struct {
	Speed *float64 `json:"speed,omitempty"`
}

// Voice is a voice by its id, or by numbers in versions of the API before 2025.
type Voice struct {
	Mode      string    `json:"mode,omitempty"`
	ID        string    `json:"id,omitempty"`
	Embedding []float64 `json:"embedding,omitempty"`
}

// UnmarshalJSON takes an object, an id alone, and null.
func (v *Voice) UnmarshalJSON(b []byte) error {
	type plain Voice
	if bytes.Equal(b, []byte("null")) || json.Unmarshal(b, &v.ID) == nil || json.Unmarshal(b, (*plain)(v)) == nil {
		return nil
	}
	return errors.New("voice: want the id of a voice or an object with it")
}

// OutputFormat is the form of the audio.
type OutputFormat struct {
	Container  string `json:"container"`          // "raw", "wav" or "mp3"
	Encoding   string `json:"encoding,omitempty"` // of raw and wav, such as "pcm_s16le"
	SampleRate int    `json:"sample_rate"`
	BitRate    int    `json:"bit_rate,omitempty"` // of mp3, bit/s
}

// Base is what all answers have.
type Base struct {
	Type       string `json:"type"`
	ContextID  string `json:"context_id,omitempty"`
	StatusCode int    `json:"status_code"`
	Done       bool   `json:"done"`
}

// Chunk is a stretch of audio.
type Chunk struct {
	Base
	Data     []byte  `json:"data"`
	StepTime float64 `json:"step_time"`          // ms that it took to make
	FlushID  int     `json:"flush_id,omitempty"` // from 1; of the WebSocket
}

// Timestamps are words and when they are said.
type Timestamps struct {
	Base
	Words   WordTimes `json:"word_timestamps"`
	FlushID int       `json:"flush_id,omitempty"`
}

// WordTimes are words and their times in seconds from the first sample of a context.
// The three lists are equally long.
type WordTimes struct {
	Words  []string  `json:"words"`
	Starts []float64 `json:"start"`
	Ends   []float64 `json:"end"`
}

// FlushDone tells that all audio before a flush has been sent.
type FlushDone struct {
	Base
	FlushID   int  `json:"flush_id"`
	FlushDone bool `json:"flush_done"`
}

// TTSError is an error, from StructuredErrors on; without Base it is the body of an
// HTTP response.
type TTSError struct {
	*Base
	ErrorCode *string `json:"error_code"` // null when no code fits
	Title     string  `json:"title"`
	Message   string  `json:"message"`
	RequestID string  `json:"request_id"`
}

// PlainError is an error before StructuredErrors.
type PlainError struct {
	Base
	Error string `json:"error"` // title and message with a colon between
}
