package assemblyai

// Values of the type field.
const (
	TypeBegin         = "Begin"
	TypeSpeechStarted = "SpeechStarted"
	TypeTurn          = "Turn"
	TypeTermination   = "Termination"
	TypeWarning       = "Warning"
	TypeError         = "Error"

	TypeUpdateConfiguration = "UpdateConfiguration"
	TypeForceEndpoint       = "ForceEndpoint"
	TypeKeepAlive           = "KeepAlive"
	TypeTerminate           = "Terminate"
)

// Codes of an Error, with which the connection is then closed.
const (
	CodeSession  = 3005 // any error of the session without a code of its own
	CodeInput    = 3006 // a message or parameter is wrong
	CodeDuration = 3007 // an audio message is too short or too long
	CodeExpired  = 3008 // the session was open for three hours
)

// Command is a text frame of the client. Fields beside Type belong to
// UpdateConfiguration; what is nil stays as it is.
type Command struct {
	Type                string   `json:"type"`
	ConfidenceThreshold *float64 `json:"end_of_turn_confidence_threshold,omitempty"`
	// MinSilence and MaxSilence are in ms; OldMinSilence is an older name of the first.
	MinSilence    *float64 `json:"min_turn_silence,omitempty"`
	OldMinSilence *float64 `json:"min_end_of_turn_silence_when_confident,omitempty"`
	MaxSilence    *float64 `json:"max_turn_silence,omitempty"`
	FormatTurns   *bool    `json:"format_turns,omitempty"`
}

// Begin is the first message.
type Begin struct {
	Type      string `json:"type"`
	ID        string `json:"id"`         // a UUID
	ExpiresAt int64  `json:"expires_at"` // Unix time in seconds
}

// SpeechStarted comes before the first Turn message of a turn.
type SpeechStarted struct {
	Type       string  `json:"type"`
	Timestamp  int64   `json:"timestamp"` // ms in the audio
	Confidence float64 `json:"confidence,omitempty"`
}

// Turn is what was heard of a turn so far.
type Turn struct {
	TurnOrder       int     `json:"turn_order"`
	TurnIsFormatted bool    `json:"turn_is_formatted"`
	EndOfTurn       bool    `json:"end_of_turn"`
	Transcript      string  `json:"transcript"` // of the words that are final
	Confidence      float64 `json:"end_of_turn_confidence"`
	Words           []Word  `json:"words"`
	Utterance       string  `json:"utterance"` // what was said up to a pause, once
	Type            string  `json:"type"`      // last, as the service has it
}

// Word is a word and where it was said, in ms.
type Word struct {
	Start       int64   `json:"start"`
	End         int64   `json:"end"`
	Text        string  `json:"text"`
	Confidence  float64 `json:"confidence"`
	WordIsFinal bool    `json:"word_is_final"`
}

// Termination is the last message; durations are whole seconds.
type Termination struct {
	Type            string `json:"type"`
	AudioDuration   int    `json:"audio_duration_seconds"`
	SessionDuration int    `json:"session_duration_seconds"`
}

// Warning says that something may not be as it was meant.
type Warning struct {
	Type    string `json:"type"`
	Code    int    `json:"warning_code"`
	Warning string `json:"warning"`
}

// Error is the last message before the connection is closed with its code.
type Error struct {
	Type  string `json:"type"`
	Code  int    `json:"error_code"`
	Error string `json:"error"`
}
