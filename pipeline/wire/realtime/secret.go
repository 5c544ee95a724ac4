package realtime

import "encoding/json"

// Secret is a key that soon expires, for clients that must not know a lasting one.
type Secret struct {
	Value     string `json:"value"`
	ExpiresAt int64  `json:"expires_at"` // Unix time in seconds
}

// SecretRequest is the body of POST /v1/realtime/client_secrets.
type SecretRequest struct {
	ExpiresAfter *ExpiresAfter   `json:"expires_after,omitempty"`
	Session      json.RawMessage `json:"session,omitempty"`
}

// ExpiresAfter is how long a Secret lasts.
type ExpiresAfter struct {
	Anchor  string `json:"anchor"` // "created_at"
	Seconds int    `json:"seconds"`
}

// How long a Secret lasts, in seconds.
const (
	LeastSecret   = 10
	DefaultSecret = 600
	MostSecret    = 7200
	// BetaSecret is that of the beta.
	BetaSecret = 60
)

// SecretResponse is the answer to a SecretRequest.
type SecretResponse struct {
	Secret
	Session any `json:"session"`
}

// ErrorBody is the body of a response that says what was wrong with a request.
type ErrorBody struct {
	Error BodyError `json:"error"`
}

// BodyError is an Error in an ErrorBody.
type BodyError struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}
