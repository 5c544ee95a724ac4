package deepgram

// Values of the type field of /v2/listen, beside those of /v1/listen.
const (
	TypeConnected    = "Connected"
	TypeTurnInfo     = "TurnInfo"
	TypeForceEndTurn = "ForceEndTurn"
)

// Events of a TurnInfo. A turn is StartOfTurn, then any number of EagerEndOfTurn and
// TurnResumed in pairs, the last without a TurnResumed, then EndOfTurn, with Updates in
// between.
const (
	EventUpdate         = "Update"
	EventStartOfTurn    = "StartOfTurn"
	EventEagerEndOfTurn = "EagerEndOfTurn"
	EventTurnResumed    = "TurnResumed"
	EventEndOfTurn      = "EndOfTurn"
)

// Triggers of an EndOfTurn.
const (
	TriggerModel   = "model"
	TriggerManual  = "manual"
	TriggerTimeout = "timeout"
)

// FluxCommand is a text frame of the client. What is nil stays as it is.
type FluxCommand struct {
	Type          string      `json:"type"`
	Thresholds    *Thresholds `json:"thresholds,omitempty"`
	Keyterms      *[]string   `json:"keyterms,omitempty"`
	LanguageHints *[]string   `json:"language_hints,omitempty"`
}

// Thresholds say when a turn ends.
type Thresholds struct {
	EagerEOT   *float64 `json:"eager_eot_threshold,omitempty"`
	EOT        *float64 `json:"eot_threshold,omitempty"`
	EOTTimeout *float64 `json:"eot_timeout_ms,omitempty"` // a whole number
}

// Connected is the first message.
type Connected struct {
	Type       string `json:"type"`
	RequestID  string `json:"request_id"`
	SequenceID int    `json:"sequence_id"` // from 0, and one more with each message of any type
}

// TurnInfo is what is known of a turn. Times are in seconds from the start of the
// stream.
type TurnInfo struct {
	Type                string     `json:"type"`
	RequestID           string     `json:"request_id"`
	SequenceID          int        `json:"sequence_id"`
	Event               string     `json:"event"`
	TurnIndex           int        `json:"turn_index"` // one more after each EndOfTurn
	AudioWindowStart    float64    `json:"audio_window_start"`
	AudioWindowEnd      float64    `json:"audio_window_end"`
	Transcript          string     `json:"transcript"` // of the whole turn
	Words               []FluxWord `json:"words"`
	EndOfTurnConfidence float64    `json:"end_of_turn_confidence"`
	Trigger             string     `json:"trigger,omitempty"`   // of an EndOfTurn
	Languages           []string   `json:"languages,omitempty"` // of flux-general-multi
	LanguagesHinted     []string   `json:"languages_hinted,omitempty"`
}

// FluxWord is a word as it is written, and where it was said.
type FluxWord struct {
	Word       string  `json:"word"`
	Confidence float64 `json:"confidence"`
	Start      float64 `json:"start"`
	End        float64 `json:"end"`
}

// FluxConfigured is a ConfigureSuccess, with the settings now in effect.
type FluxConfigured struct {
	Type          string     `json:"type"`
	RequestID     string     `json:"request_id"`
	Thresholds    Thresholds `json:"thresholds"`
	Keyterms      []string   `json:"keyterms"`
	LanguageHints []string   `json:"language_hints,omitempty"`
	SequenceID    int        `json:"sequence_id"`
}

// FluxNotConfigured is a ConfigureFailure: the settings stay as they were. Code and
// Description are in the example of developers.deepgram.com/docs/flux/configure, read
// 2026-11-29, and not in the SDKs.
type FluxNotConfigured struct {
	Type        string `json:"type"`
	RequestID   string `json:"request_id"`
	SequenceID  int    `json:"sequence_id"`
	Code        string `json:"code"`
	Description string `json:"description"`
}

// FluxError is the last message before the connection is closed because of an error.
type FluxError struct {
	Type        string `json:"type"`
	SequenceID  int    `json:"sequence_id"`
	Code        string `json:"code"`
	Description string `json:"description"`
}
