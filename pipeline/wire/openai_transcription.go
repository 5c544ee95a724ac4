package wire

// Formats of the answer to an upload of audio.
const (
	TranscriptJSON     = "json"
	TranscriptText     = "text"
	TranscriptSRT      = "srt"
	TranscriptVTT      = "vtt"
	TranscriptVerbose  = "verbose_json"
	TranscriptDiarized = "diarized_json"
)

// Types of the events of a streamed transcript.
const (
	TranscriptDeltaType   = "transcript.text.delta"
	TranscriptSegmentType = "transcript.text.segment"
	TranscriptDoneType    = "transcript.text.done"
)

// Transcription is the answer to POST /v1/audio/transcriptions in TranscriptJSON.
//
// Source of the shapes in this file: openai/openai-openapi openapi.yaml,
// /audio/transcriptions, /audio/translations and the TranscriptText schemas
// (2026-08-21), and the types of npm openai 7.55.0, read 2026-11-29.
type Transcription struct {
	Text      string               `json:"text"`
	Languages []TranscriptLanguage `json:"languages,omitempty"` // of gpt-transcribe
	Logprobs  []TranscriptLogprob  `json:"logprobs,omitempty"`
	Usage     *TranscriptUsage     `json:"usage,omitempty"`
}

// TranscriptLanguage is a language that was heard.
type TranscriptLanguage struct {
	Code string `json:"code"`
}

// TranscriptLogprob is how certain a token is.
type TranscriptLogprob struct {
	Token   string  `json:"token"`
	Logprob float64 `json:"logprob"`
	Bytes   []int   `json:"bytes"`
}

// TranscriptUsage is what an upload cost: tokens, or seconds of audio.
type TranscriptUsage struct {
	Type         string                 `json:"type"` // "tokens" or "duration"
	InputTokens  int                    `json:"input_tokens,omitempty"`
	InputDetail  *TranscriptInputDetail `json:"input_token_details,omitempty"`
	OutputTokens int                    `json:"output_tokens,omitempty"`
	TotalTokens  int                    `json:"total_tokens,omitempty"`
	Seconds      int                    `json:"seconds,omitempty"`
}

// TranscriptInputDetail splits the input tokens of a TranscriptUsage.
type TranscriptInputDetail struct {
	TextTokens  int `json:"text_tokens"`
	AudioTokens int `json:"audio_tokens"`
}

// VerboseTranscription is the answer in TranscriptVerbose. Times are in seconds.
type VerboseTranscription struct {
	Task     string              `json:"task"`     // "transcribe" or "translate"
	Language string              `json:"language"` // its English name
	Duration float64             `json:"duration"`
	Text     string              `json:"text"`
	Segments []TranscriptSegment `json:"segments,omitempty"`
	Words    []TranscriptWord    `json:"words,omitempty"`
	Usage    *TranscriptUsage    `json:"usage,omitempty"`
}

// TranscriptSegment is a stretch of a transcript.
type TranscriptSegment struct {
	ID               int     `json:"id"`
	Seek             int     `json:"seek"` // hundredths of a second
	Start            float64 `json:"start"`
	End              float64 `json:"end"`
	Text             string  `json:"text"`
	Tokens           []int   `json:"tokens"`
	Temperature      float64 `json:"temperature"`
	AvgLogprob       float64 `json:"avg_logprob"`
	CompressionRatio float64 `json:"compression_ratio"`
	NoSpeechProb     float64 `json:"no_speech_prob"`
}

// TranscriptWord is a word and where it was said.
type TranscriptWord struct {
	Word  string  `json:"word"`
	Start float64 `json:"start"`
	End   float64 `json:"end"`
}

// DiarizedTranscription is the answer in TranscriptDiarized.
type DiarizedTranscription struct {
	Task     string           `json:"task"`
	Duration float64          `json:"duration"`
	Text     string           `json:"text"`
	Segments []SpeakerSegment `json:"segments"`
	Usage    *TranscriptUsage `json:"usage,omitempty"`
}

// SpeakerSegment is a stretch that one speaker said, and an event of a streamed
// transcript.
type SpeakerSegment struct {
	Type    string  `json:"type"` // TranscriptSegmentType
	ID      string  `json:"id"`
	Start   float64 `json:"start"`
	End     float64 `json:"end"`
	Text    string  `json:"text"`
	Speaker string  `json:"speaker"`
}

// TranscriptDelta is an event with the next piece of a transcript.
type TranscriptDelta struct {
	Type      string              `json:"type"` // TranscriptDeltaType
	Delta     string              `json:"delta"`
	Logprobs  []TranscriptLogprob `json:"logprobs,omitempty"`
	SegmentID string              `json:"segment_id,omitempty"`
}

// TranscriptDone is the last event, with the whole transcript.
type TranscriptDone struct {
	Type string `json:"type"` // TranscriptDoneType
	Transcription
}
