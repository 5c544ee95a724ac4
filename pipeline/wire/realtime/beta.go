package realtime

import "encoding/json"

// BetaSession is a Session in the shape of the beta: without levels, and with words for
// formats.
type BetaSession struct {
	ID                string          `json:"id,omitempty"`
	Object            string          `json:"object,omitempty"`
	Model             string          `json:"model,omitempty"`
	ExpiresAt         int64           `json:"expires_at,omitempty"`
	Modalities        []string        `json:"modalities"`
	Instructions      string          `json:"instructions"`
	Voice             string          `json:"voice"`
	InputFormat       string          `json:"input_audio_format"` // "pcm16", "g711_ulaw" or "g711_alaw"
	OutputFormat      string          `json:"output_audio_format"`
	Transcription     *Transcriber    `json:"input_audio_transcription"`
	NoiseReduction    json.RawMessage `json:"input_audio_noise_reduction"`
	TurnDetection     *TurnDetection  `json:"turn_detection"`
	Tools             []Tool          `json:"tools"`
	ToolChoice        json.RawMessage `json:"tool_choice"`
	Temperature       float64         `json:"temperature"`
	MaxResponseTokens Limit           `json:"max_response_output_tokens"`
	Speed             float64         `json:"speed"`
	Tracing           json.RawMessage `json:"tracing"`
	Truncation        json.RawMessage `json:"truncation"`
	Prompt            json.RawMessage `json:"prompt"`
	Include           []string        `json:"include"`
	ClientSecret      *Secret         `json:"client_secret"`
}

// DefaultTemperature is that of a session of the beta.
const DefaultTemperature = .8

// BetaTranscriptionSession is the JSON form of a BetaSession that only transcribes.
type BetaTranscriptionSession struct {
	ID             string          `json:"id"`
	Object         string          `json:"object"`
	ExpiresAt      int64           `json:"expires_at,omitempty"`
	InputFormat    string          `json:"input_audio_format"`
	Transcription  *Transcriber    `json:"input_audio_transcription"`
	NoiseReduction json.RawMessage `json:"input_audio_noise_reduction"`
	TurnDetection  *TurnDetection  `json:"turn_detection"`
	Include        []string        `json:"include"`
	ClientSecret   *Secret         `json:"client_secret"`
}

// betaFormats are the formats and the beta's words for them.
var betaFormats = []struct {
	word   string
	format Format
}{{"pcm16", Format{PCM, PCMRate}}, {"g711_ulaw", Format{Type: PCMU}}, {"g711_alaw", Format{Type: PCMA}}}

// BetaFormat returns the beta's word for a format, "" for one that is none.
func BetaFormat(f Format) string {
	for _, b := range betaFormats {
		if b.format == f {
			return b.word
		}
	}
	return ""
}

// FormatOfBeta returns the format that a word of the beta stands for, and whether it is
// one of them.
func FormatOfBeta(word string) (f Format, known bool) {
	for _, b := range betaFormats {
		if b.word == word {
			return b.format, true
		}
	}
	return Format{}, false
}

// BetaFormats returns the beta's words for formats.
func BetaFormats() []string {
	var words []string
	for _, b := range betaFormats {
		words = append(words, b.word)
	}
	return words
}

// Beta returns the session in the shape of the beta.
func (s *Session) Beta() *BetaSession {
	modalities := []string{Text}
	if Speaks(s.OutputModalities) {
		modalities = []string{Audio, Text}
	}
	return &BetaSession{
		ID: s.ID, Object: s.Object, Model: s.Model, ExpiresAt: s.ExpiresAt,
		Modalities: modalities, Instructions: s.Instructions, Voice: s.Audio.Output.Voice,
		InputFormat: BetaFormat(s.Audio.Input.Format), OutputFormat: BetaFormat(s.Audio.Output.Format),
		Transcription: s.Audio.Input.Transcription, NoiseReduction: s.Audio.Input.NoiseReduction,
		TurnDetection: s.Audio.Input.TurnDetection, Tools: s.Tools, ToolChoice: s.ToolChoice,
		Temperature: s.Temperature, MaxResponseTokens: s.MaxOutputTokens, Speed: s.Audio.Output.Speed,
		Tracing: s.Tracing, Truncation: s.Truncation, Prompt: s.Prompt, Include: s.Include,
	}
}

// Set gives the session what b has of it. Formats are not looked at: see FormatOfBeta.
func (s *Session) Set(b *BetaSession) {
	s.OutputModalities = []string{Text}
	if Speaks(b.Modalities) {
		s.OutputModalities = []string{Audio}
	}
	s.Instructions, s.Audio.Output.Voice, s.Audio.Output.Speed = b.Instructions, b.Voice, b.Speed
	s.Audio.Input.Transcription, s.Audio.Input.NoiseReduction = b.Transcription, b.NoiseReduction
	s.Audio.Input.TurnDetection = b.TurnDetection
	s.Tools, s.ToolChoice, s.MaxOutputTokens = b.Tools, b.ToolChoice, b.MaxResponseTokens
	s.Tracing, s.Truncation, s.Prompt, s.Include = b.Tracing, b.Truncation, b.Prompt, b.Include
	s.Temperature = b.Temperature
}

// Shown returns what stands for the session in JSON.
func (b *BetaSession) Shown() any {
	if b.Object != TranscriptionObject {
		return b
	}
	t := b.TurnDetection
	if t != nil {
		bare := *t
		bare.bare = true
		t = &bare
	}
	return BetaTranscriptionSession{b.ID, b.Object, b.ExpiresAt, b.InputFormat, b.Transcription, b.NoiseReduction, t, b.Include, b.ClientSecret}
}

// betaNames are the events that the beta has under another name.
var betaNames = map[string]string{
	EventAudioDelta:           "response.audio.delta",
	EventAudioDone:            "response.audio.done",
	EventAudioTranscriptDelta: "response.audio_transcript.delta",
	EventAudioTranscriptDone:  "response.audio_transcript.done",
	EventTextDelta:            "response.text.delta",
	EventTextDone:             "response.text.done",
	EventItemAdded:            "conversation.item.created",
}

// BetaName returns the beta's name for a server event. It has no EventItemDone.
func BetaName(event string) string {
	if name, ok := betaNames[event]; ok {
		return name
	}
	return event
}
