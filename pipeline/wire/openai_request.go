package wire

import (
	"encoding/json"
	"fmt"
)

// Paths of the OpenAI API below its base, which ends in /v1.
const (
	ChatPath        = "/chat/completions"
	CompletionsPath = "/completions"
	ModelsPath      = "/models"
)

// ChatRequest is the body of POST /v1/chat/completions, as far as we use it. A
// nil pointer is a field that was not sent.
type ChatRequest struct {
	Model    string    `json:"model"`
	Messages []Message `json:"messages"`
	// MaxTokens is the old name of MaxCompletionTokens, which nearly every server
	// knows; a server takes either.
	MaxTokens           *int `json:"max_tokens,omitempty"`
	MaxCompletionTokens *int `json:"max_completion_tokens,omitempty"`

	Tools             []Tool          `json:"tools,omitempty"`
	ToolChoice        ToolChoice      `json:"tool_choice,omitzero"`
	ParallelToolCalls *bool           `json:"parallel_tool_calls,omitempty"`
	ResponseFormat    *ResponseFormat `json:"response_format,omitempty"`
	ReasoningEffort   string          `json:"reasoning_effort,omitempty"`
	Template          *Template       `json:"chat_template_kwargs,omitempty"`
	Sampling
}

// CompletionRequest is the body of POST /v1/completions, as far as we use it.
type CompletionRequest struct {
	Model     string `json:"model"`
	Prompt    Prompt `json:"prompt"`
	Suffix    string `json:"suffix,omitempty"`
	MaxTokens *int   `json:"max_tokens,omitempty"`
	Echo      bool   `json:"echo,omitempty"`
	Sampling
}

// Sampling is what both requests have in common.
type Sampling struct {
	N             *int           `json:"n,omitempty"`
	Temperature   *float64       `json:"temperature,omitempty"`
	TopP          *float64       `json:"top_p,omitempty"`
	Seed          *int64         `json:"seed,omitempty"`
	Stop          Stop           `json:"stop,omitempty"`
	Stream        bool           `json:"stream,omitempty"`
	StreamOptions *StreamOptions `json:"stream_options,omitempty"`
	// IgnoreEOS makes the answer as long as its limit. It is an extension of vLLM.
	IgnoreEOS bool `json:"ignore_eos,omitempty"`
	// Priority is another: a request with a smaller one goes first, and most servers
	// refuse any but 0.
	Priority int `json:"priority,omitempty"`
	// MinTokens is the least length of the answer, IncludeStop leaves the stop string
	// that ends it in its text, and ReturnTokenIDs adds the numbers of its tokens. They
	// are extensions of vLLM.
	MinTokens      int  `json:"min_tokens,omitempty"`
	IncludeStop    bool `json:"include_stop_str_in_output,omitempty"`
	ReturnTokenIDs bool `json:"return_token_ids,omitempty"`
	Mock
}

// Mock dictates what our own mock answers. It is our extension of every protocol and
// never goes to a rented endpoint.
type Mock struct {
	MockAnswer   string `json:"mock_answer,omitempty"`   // the text, or the arguments of the first tool call
	MockThinking string `json:"mock_thinking,omitempty"` // the reasoning before it
	MockTool     Names  `json:"mock_tool,omitempty"`     // the tools that the answer calls
	MockDraw     uint64 `json:"mock_draw,omitempty"`     // names the random numbers of the model's latency: the same for the same one; 0 for the next
}

// Names is a list of names. It is written as a list or as a single string.
type Names []string

// UnmarshalJSON takes both forms, and null.
func (n *Names) UnmarshalJSON(b []byte) error {
	list, ok := stringOrList(b)
	if !ok {
		return &FieldError{"mock_tool", "want a string or a list of strings"}
	}
	*n = list
	return nil
}

// Template is what vLLM hands to a model's chat template: two families of models have
// a switch for reasoning there.
type Template struct {
	EnableThinking bool `json:"enable_thinking"` // Qwen
	Thinking       bool `json:"thinking"`        // DeepSeek
}

// StreamOptions are the options of a streamed answer.
type StreamOptions struct {
	IncludeUsage bool `json:"include_usage"`
	// ContinuousUsage puts the counts so far on each chunk. It is an extension of vLLM.
	ContinuousUsage bool `json:"continuous_usage_stats,omitempty"`
}

// Message is one message of a conversation.
type Message struct {
	Role    string  `json:"role"` // "system", "developer", "user", "assistant" or "tool"
	Content Content `json:"content"`
	// ReasoningContent is the reasoning before the content, as vLLM and DeepSeek name
	// it.
	ReasoningContent string     `json:"reasoning_content,omitempty"`
	ToolCalls        []ToolCall `json:"tool_calls,omitempty"`   // of an assistant
	ToolCallID       string     `json:"tool_call_id,omitempty"` // of a tool's result
}

// FieldError is a field of a request that has none of the forms that it may have.
type FieldError struct {
	Field   string
	Problem string
}

func (e *FieldError) Error() string { return e.Field + ": " + e.Problem }

// Stop is the list of strings that end an answer. The API writes it as a list, as
// a single string or as null.
type Stop []string

// UnmarshalJSON takes all three forms.
func (s *Stop) UnmarshalJSON(b []byte) error {
	list, ok := stringOrList(b)
	if !ok {
		return &FieldError{"stop", "want a string or a list of strings"}
	}
	*s = list
	return nil
}

// stringOrList reads a list of strings, a single string, or null, which is no list.
func stringOrList(b []byte) (list []string, ok bool) {
	if string(b) == "null" {
		return nil, true
	}
	var one string
	if json.Unmarshal(b, &one) == nil {
		return []string{one}, true
	}
	return list, json.Unmarshal(b, &list) == nil
}

// Prompt is the prompt of a completion. The API writes it as a string, as a list
// of strings, or as token numbers.
type Prompt string

// UnmarshalJSON takes a string or a list with one string, and refuses the rest.
func (p *Prompt) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*p = Prompt(one)
		return nil
	}
	var list []string
	if json.Unmarshal(b, &list) != nil {
		return &FieldError{"prompt", "want a string; token numbers are not supported"}
	}
	if len(list) != 1 {
		return &FieldError{"prompt", fmt.Sprintf("want one string, got a list of %d", len(list))}
	}
	*p = Prompt(list[0])
	return nil
}
