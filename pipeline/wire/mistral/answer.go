package mistral

import (
	"encoding/json"

	"halfsecond/pipeline/wire"
)

// Invalid is the body of a response with status 422: what is wrong with a request.
// Source: answers of the service of 2026-04-17 in Gitlawb/openclaude issue 739, which
// the HTTPValidationError of mistralai/client-python reads too; read 2026-11-29.
type Invalid struct {
	Detail []Violation `json:"detail"`
}

// Violation is one thing that is wrong.
type Violation struct {
	Type     string          `json:"type"`
	Location []any           `json:"loc"` // a path of names and numbers
	Message  string          `json:"msg"`
	Input    json.RawMessage `json:"input"`
}

// ErrorBody is the body of every other error. Source: an answer of the service in
// tmc/langchaingo issue 1233, 2025-04-23, read 2026-11-29.
type ErrorBody struct {
	Object  string  `json:"object"` // "error"
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

// ErrorObject is the object field of an ErrorBody.
const ErrorObject = "error"

// Response is the whole answer to a FIMRequest that does not stream. Its object is that
// of a chat completion.
type Response struct {
	ID      string            `json:"id"`
	Object  string            `json:"object"` // wire.ChatObject
	Model   string            `json:"model"`
	Usage   wire.Usage        `json:"usage"`
	Created int64             `json:"created"` // Unix time in seconds
	Choices []wire.ChatChoice `json:"choices"`
}
