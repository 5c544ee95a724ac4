package wire

import (
	"encoding/json"
	"errors"
)

// Chunk is one event of a streamed answer, or a whole answer that was not
// streamed, as a client must be ready to find it: any field may be missing or
// null, and servers add their own. It serves both the chat and the completions
// API.
type Chunk struct {
	Choices []Choice        `json:"choices"`
	Usage   *UsageCounts    `json:"usage"`
	Timings *Timings        `json:"timings"`
	Error   json.RawMessage `json:"error"`
}

// Choice is one choice of a Chunk.
type Choice struct {
	Index        int             `json:"index"`
	Delta        *Delta          `json:"delta"`   // chat, streamed
	Message      *Delta          `json:"message"` // chat: everything so far
	Text         string          `json:"text"`    // completions
	FinishReason string          `json:"finish_reason"`
	Error        json.RawMessage `json:"error"`
}

// Delta is a piece of a message, or a whole one. ReasoningContent and Reasoning
// are two names of one channel.
type Delta struct {
	Content          Content    `json:"content"`
	Refusal          string     `json:"refusal"`
	ReasoningContent string     `json:"reasoning_content"`
	Reasoning        string     `json:"reasoning"`
	ToolCalls        []ToolCall `json:"tool_calls"`
	FunctionCall     *Function  `json:"function_call"` // the older form of one tool call
}

// ToolCall is a piece of a tool call. Pieces with one Index belong together.
type ToolCall struct {
	Index    *int     `json:"index,omitempty"` // of a piece
	ID       string   `json:"id"`
	Type     string   `json:"type,omitempty"` // "function"
	Function Function `json:"function"`
}

// Function is what a tool call calls.
type Function struct {
	Name      string    `json:"name"`
	Arguments Arguments `json:"arguments"`
}

// Arguments is the JSON text of a function's arguments.
type Arguments string

// UnmarshalJSON takes the text in a string, as the API says, or as it stands.
func (a *Arguments) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) != nil {
		s = string(b)
	}
	*a = Arguments(s)
	return nil
}

// UsageCounts is a Usage in which a count that the server does not state is nil.
type UsageCounts struct {
	PromptTokens     *int `json:"prompt_tokens"`
	CompletionTokens *int `json:"completion_tokens"`
	TotalTokens      *int `json:"total_tokens"`

	PromptTokensDetails struct {
		CachedTokens *int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionTokensDetails struct {
		ReasoningTokens *int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
	// PromptCacheHitTokens is DeepSeek's name for the cached tokens.
	PromptCacheHitTokens *int `json:"prompt_cache_hit_tokens"`
}

// Timings is what a llama.cpp server adds to its last chunk.
type Timings struct {
	CacheN     *int `json:"cache_n"`     // prompt tokens found in the cache
	PromptN    *int `json:"prompt_n"`    // prompt tokens evaluated now
	PredictedN *int `json:"predicted_n"` // tokens of the answer

	PromptMS    *float64 `json:"prompt_ms"`    // it evaluated the prompt for so long
	PredictedMS *float64 `json:"predicted_ms"` // and generated for so long
}

// ParseChunk reads one JSON text. A field of an unexpected type counts as
// missing; it fails only when the text is no JSON at all.
func ParseChunk(text []byte) (Chunk, error) {
	var c Chunk
	err := json.Unmarshal(text, &c)
	if _, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		err = nil
	}
	return c, err
}
