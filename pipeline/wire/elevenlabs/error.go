package elevenlabs

// ValidationBody is the body of a request that is refused with status 422 because it
// has not the shape that it should have.
type ValidationBody struct {
	Detail []Invalid `json:"detail"`
}

// Invalid is one thing that is wrong with a request.
type Invalid struct {
	Location []string `json:"loc"` // such as "body", "text"
	Message  string   `json:"msg"`
	Type     string   `json:"type"` // such as "missing"
}

// RefusalBody is the body of a request that is refused for another reason.
type RefusalBody struct {
	Detail Refusal `json:"detail"`
}

// Refusal says why.
type Refusal struct {
	Status  string `json:"status"`
	Message string `json:"message"`
}

// SocketError is the message before a WebSocket is closed because of an error; the
// reason of the close is the start of Message, as far as it fits.
//
// Source: livekit/agents issue 218 and elevenlabs/elevenlabs-docs issue 426, which show
// what the service sends, read 2026-11-29.
type SocketError struct {
	Message string `json:"message"`
	Error   string `json:"error"` // such as ErrorTimeout
	Code    int    `json:"code"`  // of the close that follows
}

// Codes of a SocketError that are known.
const (
	ErrorTimeout  = "input_timeout_exceeded"
	ErrorContexts = "max_active_conversations"
)
