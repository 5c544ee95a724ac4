package anthropic

import "halfsecond/pipeline/wire"

// Types of an Error. Source: docs.anthropic.com, "Errors", read 2026-11-29.
const (
	ErrInvalidRequest = "invalid_request_error"
	ErrAuthentication = "authentication_error"
	ErrBilling        = "billing_error"
	ErrPermission     = "permission_error"
	ErrNotFound       = "not_found_error"
	ErrConflict       = "conflict_error"
	ErrTooLarge       = "request_too_large"
	ErrRateLimit      = "rate_limit_error"
	ErrAPI            = "api_error"
	ErrTimeout        = "timeout_error"
	ErrOverloaded     = "overloaded_error"
)

// StatusOverloaded is the HTTP status of ErrOverloaded.
const StatusOverloaded = 529

// ErrorBody is the body of a response that reports an error, and the data of an error
// event.
type ErrorBody struct {
	Type      string `json:"type"` // TypeError
	Error     Error  `json:"error"`
	RequestID string `json:"request_id,omitempty"`
}

// Error is an error as the API describes it.
type Error struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

// NewError returns a failure as the body of a response.
func NewError(f *wire.Failure) ErrorBody {
	kind := f.Type
	if kind == "" {
		kind = errorType(f.Status)
	}
	return ErrorBody{Type: TypeError, Error: Error{Type: kind, Message: f.Message}, RequestID: f.RequestID}
}

// errorType returns the type of errors with that status.
func errorType(status int) string {
	switch status {
	case 401:
		return ErrAuthentication
	case 402:
		return ErrBilling
	case 403:
		return ErrPermission
	case 404:
		return ErrNotFound
	case 409:
		return ErrConflict
	case 413:
		return ErrTooLarge
	case 429:
		return ErrRateLimit
	case 504:
		return ErrTimeout
	case StatusOverloaded:
		return ErrOverloaded
	}
	if status >= 500 {
		return ErrAPI
	}
	return ErrInvalidRequest
}
