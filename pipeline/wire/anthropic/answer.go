package anthropic

// Values of type fields.
const (
	TypeMessage = "message"
	TypeModel   = "model"
	TypeError   = "error"
)

// Reasons why an answer ended.
const (
	StopEndTurn  = "end_turn"
	StopMax      = "max_tokens"
	StopSequence = "stop_sequence"
	StopToolUse  = "tool_use"
	// StopContext: the context of the model is full, although the limit is not reached.
	StopContext = "model_context_window_exceeded"
)

// Answer is a whole answer, and the start of a streamed one, which has no content and
// no stop reason yet.
type Answer struct {
	ID           string  `json:"id"`
	Type         string  `json:"type"` // TypeMessage
	Role         string  `json:"role"` // "assistant"
	Model        string  `json:"model"`
	Content      []Block `json:"content"`
	StopReason   *string `json:"stop_reason"`
	StopSequence *string `json:"stop_sequence"`
	Usage        Usage   `json:"usage"`
}

// Usage counts the tokens of a request. The prompt is the sum of the first three.
type Usage struct {
	InputTokens         int            `json:"input_tokens"`
	CacheCreationTokens int            `json:"cache_creation_input_tokens"`
	CacheReadTokens     int            `json:"cache_read_input_tokens"`
	OutputTokens        int            `json:"output_tokens"`
	OutputDetails       *OutputDetails `json:"output_tokens_details,omitempty"`
}

// OutputDetails is the part of the answer that was reasoning.
type OutputDetails struct {
	ThinkingTokens int `json:"thinking_tokens"`
}

// TokensCount is the answer to POST /v1/messages/count_tokens.
type TokensCount struct {
	InputTokens int `json:"input_tokens"`
}

// Model is one model that a server offers.
type Model struct {
	Type           string `json:"type"` // TypeModel
	ID             string `json:"id"`
	DisplayName    string `json:"display_name"`
	CreatedAt      string `json:"created_at"` // RFC 3339
	MaxInputTokens int    `json:"max_input_tokens"`
}

// ModelList is the answer to GET /v1/models.
type ModelList struct {
	Data    []Model `json:"data"`
	HasMore bool    `json:"has_more"`
	FirstID string  `json:"first_id"`
	LastID  string  `json:"last_id"`
}
