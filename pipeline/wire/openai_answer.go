package wire

import "encoding/json"

// Values of the object field and the end marker of a stream.
const (
	ChatObject       = "chat.completion"
	ChatChunkObject  = "chat.completion.chunk"
	CompletionObject = "text_completion"
	ListObject       = "list"
	ModelObject      = "model"
	Done             = "[DONE]"
)

// Finish reasons of a plain answer.
const (
	FinishStop   = "stop"
	FinishLength = "length"

	FinishToolCalls = "tool_calls"
)

// ChatResponse is the whole answer to a ChatRequest that does not stream.
type ChatResponse struct {
	ID      string       `json:"id"`
	Object  string       `json:"object"`  // ChatObject
	Created int64        `json:"created"` // Unix time in seconds
	Model   string       `json:"model"`
	Choices []ChatChoice `json:"choices"`
	Usage   Usage        `json:"usage"`

	SystemFingerprint string          `json:"system_fingerprint,omitempty"` // of the software that serves
	PromptTokenIDs    []int           `json:"prompt_token_ids,omitempty"`   // vLLM, on request
	Timings           json.RawMessage `json:"timings,omitempty"`            // llama.cpp
}

// ChatChoice is one answer of a ChatResponse.
type ChatChoice struct {
	Index        int     `json:"index"`
	Message      Message `json:"message"`
	FinishReason string  `json:"finish_reason"`
	Extras
}

// Extras is what vLLM adds to a choice.
type Extras struct {
	StopReason     string `json:"stop_reason,omitempty"`      // the stop string that ended it
	TokenIDs       []int  `json:"token_ids,omitempty"`        // of the answer
	PromptTokenIDs []int  `json:"prompt_token_ids,omitempty"` // of a completion's prompt
}

// CompletionResponse is the whole answer to a CompletionRequest that does not
// stream.
type CompletionResponse struct {
	ID      string             `json:"id"`
	Object  string             `json:"object"`  // CompletionObject
	Created int64              `json:"created"` // Unix time in seconds
	Model   string             `json:"model"`
	Choices []CompletionChoice `json:"choices"`
	Usage   Usage              `json:"usage"`

	SystemFingerprint string          `json:"system_fingerprint,omitempty"` // of the software that serves
	Timings           json.RawMessage `json:"timings,omitempty"`            // llama.cpp
}

// CompletionChoice is one answer of a CompletionResponse.
type CompletionChoice struct {
	Text         string `json:"text"`
	Index        int    `json:"index"`
	Logprobs     *int   `json:"logprobs"` // always null
	FinishReason string `json:"finish_reason"`
	Extras
}

// Usage counts the tokens of a request, as a server states them.
type Usage struct {
	PromptTokens            int                     `json:"prompt_tokens"`
	CompletionTokens        int                     `json:"completion_tokens"`
	TotalTokens             int                     `json:"total_tokens"`
	PromptTokensDetails     *PromptTokensDetail     `json:"prompt_tokens_details,omitempty"`
	CompletionTokensDetails *CompletionTokensDetail `json:"completion_tokens_details,omitempty"`
}

// PromptTokensDetail is the part of the prompt that the server had in its cache.
type PromptTokensDetail struct {
	CachedTokens int `json:"cached_tokens"`
}

// CompletionTokensDetail is the part of the answer that was reasoning.
type CompletionTokensDetail struct {
	ReasoningTokens int `json:"reasoning_tokens"`
}

// ErrorBody is the body of a response that reports an error.
type ErrorBody struct {
	Error APIError `json:"error"`
}

// APIError is an error as the OpenAI API describes it. A nil pointer is null.
type APIError struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

// ModelList is the answer to GET /v1/models.
type ModelList struct {
	Object string  `json:"object"` // ListObject
	Data   []Model `json:"data"`
}

// Model is one model that a server offers.
type Model struct {
	ID      string `json:"id"`
	Object  string `json:"object"`  // ModelObject
	Created int64  `json:"created"` // Unix time in seconds
	OwnedBy string `json:"owned_by"`
	// MaxModelLen is the most tokens of prompt and answer together. vLLM has it.
	MaxModelLen int `json:"max_model_len,omitempty"`
	// Architecture and Meta are what llama.cpp's server tells of it.
	Architecture json.RawMessage `json:"architecture,omitempty"`
	Meta         json.RawMessage `json:"meta,omitempty"`
}
