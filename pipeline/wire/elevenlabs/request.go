package elevenlabs

// Request is the body of POST /v1/text-to-speech/{voice_id} and of its forms /stream,
// /with-timestamps and /stream/with-timestamps. Fields that change nothing but the
// sound are left out.
type Request struct {
	Text          *string        `json:"text"` // nil when there was none
	ModelID       string         `json:"model_id,omitempty"`
	LanguageCode  string         `json:"language_code,omitempty"`
	VoiceSettings *VoiceSettings `json:"voice_settings,omitempty"`
}

// DefaultModel is the model of a request that names none.
const DefaultModel = "eleven_multilingual_v2"

// VoiceSettings are those of a voice, for one request or connection.
type VoiceSettings struct {
	Stability       *float64 `json:"stability,omitempty"`
	SimilarityBoost *float64 `json:"similarity_boost,omitempty"`
	Style           *float64 `json:"style,omitempty"`
	UseSpeakerBoost *bool    `json:"use_speaker_boost,omitempty"`
	Speed           *float64 `json:"speed,omitempty"` // MinSpeed to MaxSpeed; nil is 1
}

// MinSpeed and MaxSpeed are the bounds of a voice's speed.
const (
	MinSpeed = .7
	MaxSpeed = 1.2
)

// TimedAudio is the answer of /with-timestamps, and one line of the answer of
// /stream/with-timestamps.
type TimedAudio struct {
	Audio      []byte          `json:"audio_base64"`
	Alignment  *CharacterTimes `json:"alignment"`
	Normalized *CharacterTimes `json:"normalized_alignment"`
}

// CharacterTimes says when characters are said, in seconds from the first sample of the
// whole answer. The three lists are equally long.
type CharacterTimes struct {
	Characters []string  `json:"characters"`
	Starts     []float64 `json:"character_start_times_seconds"`
	Ends       []float64 `json:"character_end_times_seconds"`
}

// VoiceList is the answer to GET /v1/voices.
type VoiceList struct {
	Voices []Voice `json:"voices"`
}

// Voice is a voice that can be asked for by its id.
type Voice struct {
	ID       string `json:"voice_id"`
	Name     string `json:"name"`
	Category string `json:"category"` // such as "premade"
}
