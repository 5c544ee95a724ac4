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

// Words of an ErrorBody. Those for a rate limit and for a service without room are of
// answers in continuedev/continue issue 6185, 2025-06-18, and raycast/extensions issue
// 31107, 2026-09-14, read 2026-11-29.
const (
	ErrInvalidRequest = "invalid_request_error"
	ErrRateLimited    = "rate_limited"
	ErrServer         = "internal_server_error"
	RateLimited       = "Rate limit exceeded"
	Busy              = "Service tier capacity exceeded for this model."
)

// CodeRateLimited is the code of ErrRateLimited.
const CodeRateLimited = "1300"

// NewError returns a failure as the body of a response.
func NewError(f *wire.Failure) ErrorBody {
	kind, code := f.Type, f.Code
	switch {
	case kind != "":
	case f.Status == 429:
		kind = ErrRateLimited
	case f.Status >= 500:
		kind = ErrServer
	default:
		kind = ErrInvalidRequest
	}
	if code == "" && f.Status == 429 {
		code = CodeRateLimited
	}
	b := ErrorBody{Object: ErrorObject, Message: f.Message, Type: kind}
	if code != "" {
		b.Code = &code
	}
	return b
}
