package wire

import (
	"encoding/json"
	"errors"
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
	// MockAnswer is the text that our own mock shall say. It is our extension and
	// never goes to a rented endpoint.
	MockAnswer string `json:"mock_answer,omitempty"`
}

// StreamOptions are the options of a streamed answer.
type StreamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// Message is one message of a conversation.
type Message struct {
	Role    string  `json:"role"` // "system", "developer", "user" or "assistant"
	Content Content `json:"content"`
}

// Stop is the list of strings that end an answer. The API writes it as a list, as
// a single string or as null.
type Stop []string

// UnmarshalJSON takes all three forms.
func (s *Stop) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*s = nil
		if string(b) != "null" {
			*s = Stop{one}
		}
		return nil
	}
	var list []string
	if json.Unmarshal(b, &list) != nil {
		return errors.New("stop: want a string or a list of strings")
	}
	*s = list
	return nil
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
		return errors.New("prompt: want a string; token numbers are not supported")
	}
	if len(list) != 1 {
		return fmt.Errorf("prompt: want one string, got a list of %d", len(list))
	}
	*p = Prompt(list[0])
	return nil
}
