package realtime

import (
	"encoding/json"
	"fmt"
	"slices"

	"halfsecond/pipeline/wire"
)

// Types of a Session.
const (
	Conversation  = "realtime"
	Transcription = "transcription"
)

// Objects that a session is.
const (
	SessionObject       = "realtime.session"
	TranscriptionObject = "realtime.transcription_session"
)

// Session is what both sides have agreed on. Of one that transcribes only Type, ID,
// ExpiresAt, Audio.Input and Include mean something, and nothing else is written.
//
// Decoding into a Session changes what the JSON has and leaves the rest, as an update
// does; turn detection, transcription and formats are replaced as a whole.
type Session struct {
	Type             string          `json:"type"`
	Object           string          `json:"object,omitempty"`
	ID               string          `json:"id,omitempty"`
	Model            string          `json:"model,omitempty"`
	OutputModalities []string        `json:"output_modalities"` // Audio or Text
	Instructions     string          `json:"instructions"`
	Tools            []Tool          `json:"tools"`
	ToolChoice       json.RawMessage `json:"tool_choice"`
	MaxOutputTokens  Limit           `json:"max_output_tokens"`
	Tracing          json.RawMessage `json:"tracing"`
	Truncation       json.RawMessage `json:"truncation"`
	Prompt           json.RawMessage `json:"prompt"`
	ExpiresAt        int64           `json:"expires_at,omitempty"` // Unix time in seconds
	Audio            AudioConfig     `json:"audio"`
	Include          []string        `json:"include"`
	Parallel         json.RawMessage `json:"parallel_tool_calls,omitempty"`
	Reasoning        json.RawMessage `json:"reasoning,omitempty"`

	Temperature float64 `json:"-"` // of the beta; sessions of today have none
}

// Modalities of an answer.
const (
	Audio = "audio"
	Text  = "text"
)

// AudioConfig is what is heard and said.
type AudioConfig struct {
	Input  AudioInput  `json:"input"`
	Output AudioOutput `json:"output"`
}

// AudioInput is how the client is heard.
type AudioInput struct {
	Format         Format          `json:"format"`
	Transcription  *Transcriber    `json:"transcription"`
	NoiseReduction json.RawMessage `json:"noise_reduction"`
	TurnDetection  *TurnDetection  `json:"turn_detection"`
}

// AudioOutput is how the server speaks.
type AudioOutput struct {
	Format Format  `json:"format"`
	Voice  string  `json:"voice"`
	Speed  float64 `json:"speed"`
}

// Types of a Format.
const (
	PCM  = "audio/pcm"  // 16 bits, little end first, one channel
	PCMU = "audio/pcmu" // G.711 mu-law, 8 kHz
	PCMA = "audio/pcma" // G.711 A-law, 8 kHz
)

// PCMRate is the only rate of PCM, in samples a second.
const PCMRate = 24_000

// Format is an encoding of audio.
type Format struct {
	Type string `json:"type"`
	Rate int    `json:"rate,omitempty"` // of PCM
}

// UnmarshalJSON replaces the format; PCM has its rate when none is given.
func (f *Format) UnmarshalJSON(b []byte) error {
	type plain Format
	var p plain
	if err := json.Unmarshal(b, &p); err != nil {
		return err
	}
	if p.Type == PCM && p.Rate == 0 {
		p.Rate = PCMRate
	}
	*f = Format(p)
	return nil
}

// Transcriber is the model that writes down what the user says.
type Transcriber struct {
	Model    string  `json:"model"`
	Language *string `json:"language"`
	Prompt   *string `json:"prompt"`
}

// UnmarshalJSON replaces the transcriber.
func (t *Transcriber) UnmarshalJSON(b []byte) error {
	type plain Transcriber
	var p plain
	if err := json.Unmarshal(b, &p); err != nil {
		return err
	}
	*t = Transcriber(p)
	return nil
}

// Types of a TurnDetection.
const (
	ServerVAD   = "server_vad"
	SemanticVAD = "semantic_vad"
)

// TurnDetection is how the server finds out that the user has begun and has finished.
type TurnDetection struct {
	Type              string
	Threshold         float64 // 0 to 1, of ServerVAD
	PrefixPadding     int     // ms, of ServerVAD
	Silence           int     // ms, of ServerVAD
	IdleTimeout       *int    // ms, of ServerVAD; nil is never
	Eagerness         string  // of SemanticVAD
	CreateResponse    bool
	InterruptResponse bool

	bare bool // of a session that only transcribes, where nothing answers
}

// Defaults of a TurnDetection. The silence is the one that sessions of the service have
// when they begin; its schema says 500.
const (
	DefaultThreshold     = .5
	DefaultPrefixPadding = 300
	DefaultSilence       = 200
	DefaultEagerness     = "auto"
)

// NewTurnDetection returns the turn detection of a type as it is when nothing else is
// said.
func NewTurnDetection(kind string) TurnDetection {
	return TurnDetection{
		Type: kind, Threshold: DefaultThreshold, PrefixPadding: DefaultPrefixPadding, Silence: DefaultSilence,
		Eagerness: DefaultEagerness, CreateResponse: true, InterruptResponse: true,
	}
}

// turnDetection is the JSON form of a TurnDetection.
type turnDetection struct {
	Type              string   `json:"type"`
	Threshold         *float64 `json:"threshold,omitempty"`
	PrefixPadding     *int     `json:"prefix_padding_ms,omitempty"`
	Silence           *int     `json:"silence_duration_ms,omitempty"`
	Eagerness         *string  `json:"eagerness,omitempty"`
	IdleTimeout       idle     `json:"idle_timeout_ms,omitzero"`
	CreateResponse    *bool    `json:"create_response,omitempty"`
	InterruptResponse *bool    `json:"interrupt_response,omitempty"`
}

// idle is a number or null when it is shown.
type idle struct {
	shown bool
	ms    *int
}

func (i idle) MarshalJSON() ([]byte, error) { return json.Marshal(i.ms) }

func (i *idle) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &i.ms) }

// MarshalJSON writes what the type has.
func (t TurnDetection) MarshalJSON() ([]byte, error) {
	f := turnDetection{Type: t.Type}
	if t.Type == SemanticVAD {
		f.Eagerness = &t.Eagerness
	} else {
		f.Threshold, f.PrefixPadding, f.Silence = &t.Threshold, &t.PrefixPadding, &t.Silence
		f.IdleTimeout = idle{!t.bare, t.IdleTimeout}
	}
	if !t.bare {
		f.CreateResponse, f.InterruptResponse = &t.CreateResponse, &t.InterruptResponse
	}
	return json.Marshal(f)
}

// UnmarshalJSON replaces the turn detection: what is not said is as by default.
func (t *TurnDetection) UnmarshalJSON(b []byte) error {
	var f turnDetection
	if err := json.Unmarshal(b, &f); err != nil {
		return err
	}
	*t = NewTurnDetection(f.Type)
	t.IdleTimeout = f.IdleTimeout.ms
	set(&t.Threshold, f.Threshold)
	set(&t.PrefixPadding, f.PrefixPadding)
	set(&t.Silence, f.Silence)
	set(&t.Eagerness, f.Eagerness)
	set(&t.CreateResponse, f.CreateResponse)
	set(&t.InterruptResponse, f.InterruptResponse)
	return nil
}

// set changes a value when there is another.
func set[T any](value, to *T) {
	if to != nil {
		*value = *to
	}
}

// Tool is something that the model may call.
type Tool struct {
	Type        string // "function", or "mcp", which is passed on as it came
	Name        string
	Description string
	Parameters  json.RawMessage // JSON schema

	raw json.RawMessage // as it came
}

// tool is the JSON form of a Tool.
type tool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

// MarshalJSON writes the tool as it came.
func (t Tool) MarshalJSON() ([]byte, error) {
	if t.raw != nil {
		return t.raw, nil
	}
	return json.Marshal(tool{t.Type, t.Name, t.Description, t.Parameters})
}

// UnmarshalJSON keeps fields that are not known.
func (t *Tool) UnmarshalJSON(b []byte) error {
	var f tool
	if err := json.Unmarshal(b, &f); err != nil {
		return err
	}
	*t = Tool{f.Type, f.Name, f.Description, f.Parameters, append(json.RawMessage{}, b...)}
	return nil
}

// Limit is a number of tokens; 0 is none, "inf" in JSON.
type Limit int

// MarshalJSON writes the number, or "inf".
func (l Limit) MarshalJSON() ([]byte, error) {
	if l == 0 {
		return []byte(`"inf"`), nil
	}
	return json.Marshal(int(l))
}

// UnmarshalJSON takes a whole number of at least 1, or "inf".
func (l *Limit) UnmarshalJSON(b []byte) error {
	var n int
	switch {
	case string(b) == `"inf"`:
		*l = 0
	case json.Unmarshal(b, &n) == nil && n > 0:
		*l = Limit(n)
	default:
		return &wire.FieldError{Field: "max_output_tokens", Problem: fmt.Sprintf(`want a whole number of at least 1, or "inf", and not %s`, b)}
	}
	return nil
}

// TranscriptionSession is the JSON form of a Session that only transcribes.
type TranscriptionSession struct {
	Type      string             `json:"type"`
	Object    string             `json:"object"`
	ID        string             `json:"id"`
	ExpiresAt int64              `json:"expires_at,omitempty"`
	Audio     TranscriptionAudio `json:"audio"`
	Include   []string           `json:"include"`
}

// TranscriptionAudio is the audio of a TranscriptionSession.
type TranscriptionAudio struct {
	Input AudioInput `json:"input"`
}

// Shown returns what stands for the session in JSON.
func (s *Session) Shown() any {
	if s.Type != Transcription {
		return s
	}
	input := s.Audio.Input
	if input.TurnDetection != nil {
		t := *input.TurnDetection
		t.bare = true
		input.TurnDetection = &t
	}
	return TranscriptionSession{s.Type, s.Object, s.ID, s.ExpiresAt, TranscriptionAudio{input}, s.Include}
}

// Clone returns a session that shares nothing with s.
func (s *Session) Clone() (*Session, error) {
	b, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("copy session: %w", err)
	}
	c := new(Session)
	if err := json.Unmarshal(b, c); err != nil {
		return nil, fmt.Errorf("copy session: %w", err)
	}
	c.Temperature = s.Temperature
	return c, nil
}

// Speaks reports whether answers are spoken.
func Speaks(modalities []string) bool { return slices.Contains(modalities, Audio) }
