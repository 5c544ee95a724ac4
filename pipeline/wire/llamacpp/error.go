package llamacpp

import (
	"fmt"

	"halfsecond/pipeline/wire"
)

// ErrorBody is the body of a response that reports an error, and the data of the event
// that ends a stream which cannot be completed.
type ErrorBody struct {
	Error Error `json:"error"`
}

// Types of an Error, each with its one status. Source: ggml-org/llama.cpp
// tools/server/server-common.cpp, format_error_response (commit 006639c, 2026), read
// 2026-11-29.
const (
	ErrorInvalidRequest     = "invalid_request_error"     // 400
	ErrorExceedContextSize  = "exceed_context_size_error" // 400
	ErrorAuthentication     = "authentication_error"      // 401
	ErrorPermission         = "permission_error"          // 403
	ErrorNotFound           = "not_found_error"           // 404
	ErrorServer             = "server_error"              // 500
	ErrorNotSupported       = "not_supported_error"       // 501
	ErrorServiceUnavailable = "unavailable_error"         // 503
)

// Error says what is wrong.
type Error struct {
	Code    int    `json:"code"` // the HTTP status
	Message string `json:"message"`
	Type    string `json:"type"`
	// NPromptTokens and NContext come with ErrorExceedContextSize only.
	NPromptTokens int `json:"n_prompt_tokens,omitempty"`
	NContext      int `json:"n_ctx,omitempty"`
}

// TooLong returns how a prompt of so many tokens is refused that the context does not
// hold. Source: send_error in ggml-org/llama.cpp tools/server/server-context.cpp, read
// 2026-11-29.
func TooLong(tokens, context int) *wire.Failure {
	return &wire.Failure{
		Status: 400, Type: ErrorExceedContextSize, PromptTokens: tokens, Context: context,
		Message: fmt.Sprintf("request (%d tokens) exceeds the available context size (%d tokens), try increasing it", tokens, context),
	}
}

// NewError returns a failure as the body of a response.
func NewError(f *wire.Failure) ErrorBody {
	kind := f.Type
	if kind == "" {
		kind = errorType(f.Status)
	}
	return ErrorBody{Error{Code: f.Status, Message: f.Message, Type: kind, NPromptTokens: f.PromptTokens, NContext: f.Context}}
}

// errorType returns the type of errors with that status.
func errorType(status int) string {
	switch status {
	case 401:
		return ErrorAuthentication
	case 403:
		return ErrorPermission
	case 404:
		return ErrorNotFound
	case 501:
		return ErrorNotSupported
	case 503:
		return ErrorServiceUnavailable
	}
	if status >= 500 {
		return ErrorServer
	}
	return ErrorInvalidRequest
}
