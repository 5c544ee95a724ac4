package gemini

import "halfsecond/pipeline/wire"

// ErrorBody is the body of a response that reports an error, and the last piece of a
// stream that cannot be completed.
type ErrorBody struct {
	Error Error `json:"error"`
}

// Error says what is wrong. Source: answers of the service in google-gemini/gemini-cli
// issue 4118 and langchain-ai/langchain-google issue 1393, read 2026-11-29.
type Error struct {
	Code    int    `json:"code"` // the HTTP status
	Message string `json:"message"`
	Status  string `json:"status"` // Status of the code
}

// Busy is what the service says when it takes no more; source: google-gemini/gemini-cli
// issue 5191, 2025-07-30, read 2026-11-29.
const Busy = "The model is overloaded. Please try again later."

// NewError returns a failure as the body of a response.
func NewError(f *wire.Failure) ErrorBody {
	status := f.Type
	if status == "" {
		status = Status(f.Status)
	}
	return ErrorBody{Error{Code: f.Status, Message: f.Message, Status: status}}
}

// Status returns the name of an HTTP status among the canonical error codes of Google's
// APIs; source: googleapis/googleapis google/rpc/code.proto, read 2026-11-29.
func Status(code int) string {
	switch code {
	case 401:
		return "UNAUTHENTICATED"
	case 403:
		return "PERMISSION_DENIED"
	case 404:
		return "NOT_FOUND"
	case 409:
		return "ABORTED"
	case 429:
		return "RESOURCE_EXHAUSTED"
	case 499:
		return "CANCELLED"
	case 501:
		return "UNIMPLEMENTED"
	case 503:
		return "UNAVAILABLE"
	case 504:
		return "DEADLINE_EXCEEDED"
	}
	if code >= 500 {
		return "INTERNAL"
	}
	return "INVALID_ARGUMENT"
}
