package deepgram

// Types of the messages of /v1/speak.
const (
	TypeSpeak = "Speak"
	TypeFlush = "Flush"
	TypeClear = "Clear"
	TypeClose = "Close"

	TypeSpeakMetadata = "Metadata"
	TypeFlushed       = "Flushed"
	TypeCleared       = "Cleared"
	TypeWarning       = "Warning"
)

// DefaultVoice is the model of /v1/speak when none is asked for.
const DefaultVoice = "aura-asteria-en"

// MaxSpeakText is the most characters of one Speak, and of the text of a request.
const MaxSpeakText = 2000

// MaxSpeakBody is the largest body of POST /v1/speak in bytes.
const MaxSpeakBody = 2 << 20

// SpeakCommand is a message of the client of the WebSocket.
type SpeakCommand struct {
	Type string `json:"type"`
	Text string `json:"text,omitempty"` // of TypeSpeak
}

// SpeakMetadata is the server's first message.
type SpeakMetadata struct {
	Type             string   `json:"type"` // TypeSpeakMetadata
	RequestID        string   `json:"request_id"`
	ModelName        string   `json:"model_name"`
	ModelVersion     string   `json:"model_version"`
	ModelUUID        string   `json:"model_uuid"`
	AdditionalModels []string `json:"additional_model_uuids,omitempty"`
}

// SpeakNotice tells that a Flush or a Clear is done.
type SpeakNotice struct {
	Type       string `json:"type"` // TypeFlushed or TypeCleared
	SequenceID int    `json:"sequence_id"`
}

// SpeakWarning tells what was not done. The documents and the types of the JS SDK name
// its fields code and description, the Go SDK warn_code and warn_msg.
type SpeakWarning struct {
	Type        string `json:"type"` // TypeWarning
	Code        string `json:"code"`
	Description string `json:"description"`
	WarnCode    string `json:"warn_code"`
	WarnMessage string `json:"warn_msg"`
}

// CodeExcessiveFlush is the code of a SpeakWarning about a Flush beyond
// MaxFlushes in FlushWindow seconds.
const (
	CodeExcessiveFlush = "EXCESSIVE_FLUSH"
	MaxFlushes         = 20
	FlushWindow        = 60
)

// Reasons of the code with which the WebSocket is closed because of an error.
const (
	ReasonNotText      = "MESSAGE-0000" // 1003: a binary frame
	ReasonNoCommand    = "DATA-0000"    // 1008
	ReasonThroughput   = "DATA-0001"    // 1008: more than MaxThroughput
	ReasonLongText     = "BIG-0001"     // 1009: a Speak beyond MaxSpeakText
	ReasonTimeExceeded = "NET-0003"     // 1011: after MaxSpeakSession minutes
)

// Limits of a WebSocket: MaxThroughput characters in ThroughputWindow seconds, and
// MaxSpeakSession minutes.
const (
	MaxThroughput    = 12_000
	ThroughputWindow = 120
	MaxSpeakSession  = 60
)

// SpeakRequest is the body of POST /v1/speak: exactly one of both. Nil is what was not
// there.
type SpeakRequest struct {
	Text *string `json:"text,omitempty"`
	URL  *string `json:"url,omitempty"`
}

// Codes of an ErrorBody of POST /v1/speak, beside those that all have.
const (
	CodeMediaType = "UNSUPPORTED_MEDIA_TYPE"
	CodeLongText  = "Payload Too Large"
)

// Headers of the answer to POST /v1/speak, beside HeaderRequest.
const (
	HeaderModel      = "dg-model-name"
	HeaderModelUUID  = "dg-model-uuid"
	HeaderCharacters = "dg-char-count"
)
