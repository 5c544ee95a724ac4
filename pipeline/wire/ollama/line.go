package ollama

import "encoding/json"

// Line is one line of a streamed answer, or the whole of one, of either request, as a
// client must be ready to find it: any field may be missing or null.
type Line struct {
	Response   string       `json:"response"` // of /api/generate
	Thinking   string       `json:"thinking"`
	Message    *LineMessage `json:"message"` // of /api/chat
	Done       bool         `json:"done"`
	DoneReason string       `json:"done_reason"`

	PromptEvalCount *int `json:"prompt_eval_count"`
	EvalCount       *int `json:"eval_count"`
	// Durations in nanoseconds.
	TotalDuration      *int64 `json:"total_duration"`
	LoadDuration       *int64 `json:"load_duration"`
	PromptEvalDuration *int64 `json:"prompt_eval_duration"`
	EvalDuration       *int64 `json:"eval_duration"`

	Error json.RawMessage `json:"error"`
}

// LineMessage is a piece of a message as a client finds it.
type LineMessage struct {
	Content   string     `json:"content"`
	Thinking  string     `json:"thinking"`
	ToolCalls []ToolCall `json:"tool_calls"`
}
