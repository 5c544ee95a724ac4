package wyoming

// Types of events.
const (
	Describe          = "describe"
	InfoType          = "info"
	Ping              = "ping"
	Pong              = "pong"
	ErrorType         = "error"
	AudioStart        = "audio-start"
	AudioChunk        = "audio-chunk"
	AudioStop         = "audio-stop"
	Transcribe        = "transcribe"
	Transcript        = "transcript"
	TranscriptStart   = "transcript-start"
	TranscriptChunk   = "transcript-chunk"
	TranscriptStop    = "transcript-stop"
	Synthesize        = "synthesize"
	SynthesizeStart   = "synthesize-start"
	SynthesizeChunk   = "synthesize-chunk"
	SynthesizeStop    = "synthesize-stop"
	SynthesizeStopped = "synthesize-stopped"
	Detect            = "detect"
	NotDetected       = "not-detected"
	VoiceStarted      = "voice-started"
	VoiceStopped      = "voice-stopped"
)

// Text is what Ping, Pong, TranscriptChunk and SynthesizeChunk say.
type Text struct {
	Text string `json:"text"`
}

// Error is what ErrorType says.
type Error struct {
	Text string `json:"text"`
	Code string `json:"code,omitempty"`
}

// Audio is what AudioStart and AudioChunk say of audio, and AudioStop of its end.
type Audio struct {
	Rate      int  `json:"rate"`
	Width     int  `json:"width"` // bytes of a sample: 1, unsigned, or 2 to 4, signed
	Channels  int  `json:"channels"`
	Timestamp *int `json:"timestamp"` // ms
}

// Moment is what AudioStop, VoiceStarted and VoiceStopped say.
type Moment struct {
	Timestamp *int `json:"timestamp"` // ms
}

// Request is what Transcribe says.
type Request struct {
	Name     string `json:"name,omitempty"` // of a model
	Language string `json:"language,omitempty"`
}

// Heard is what Transcript says.
type Heard struct {
	Text     string `json:"text"`
	Language string `json:"language,omitempty"`
}

// Language is what TranscriptStart says.
type Language struct {
	Language string `json:"language,omitempty"`
}

// Voice is who shall speak.
type Voice struct {
	Name     string `json:"name,omitempty"`
	Language string `json:"language,omitempty"`
	Speaker  string `json:"speaker,omitempty"`
}

// Speak is what Synthesize and, without its text, SynthesizeStart say.
type Speak struct {
	Text  string `json:"text,omitempty"`
	Voice *Voice `json:"voice,omitempty"`
}

// Info is what InfoType says: what there is.
type Info struct {
	ASR    []Program `json:"asr"`
	TTS    []Program `json:"tts"`
	Handle []Program `json:"handle"`
	Intent []Program `json:"intent"`
	Wake   []Program `json:"wake"`
	Mic    []Program `json:"mic"`
	Snd    []Program `json:"snd"`
}

// Artifact is something that is there.
type Artifact struct {
	Name        string      `json:"name"`
	Attribution Attribution `json:"attribution"`
	Installed   bool        `json:"installed"`
	Description *string     `json:"description"`
	Version     *string     `json:"version"`
}

// Attribution is who made something.
type Attribution struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

// Program is a service.
type Program struct {
	Artifact
	Models              []Model `json:"models,omitempty"` // of speech recognition
	Voices              []Model `json:"voices,omitempty"` // of synthesis
	TranscriptStreaming *bool   `json:"supports_transcript_streaming,omitempty"`
	SynthesizeStreaming *bool   `json:"supports_synthesize_streaming,omitempty"`
}

// Model is a model of a Program, or a voice.
type Model struct {
	Artifact
	Languages []string `json:"languages"`
}
