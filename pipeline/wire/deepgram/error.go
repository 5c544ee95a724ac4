package deepgram

// ErrorBody is the body of a request or handshake that is refused. A refused handshake
// repeats the message in the header HeaderError.
type ErrorBody struct {
	Code      string `json:"err_code"`
	Message   string `json:"err_msg"`
	RequestID string `json:"request_id"`
}

// Codes of an ErrorBody.
const (
	CodeBadRequest = "Bad Request"
	CodeQuery      = "INVALID_QUERY_PARAMETER"
	CodePayload    = "PAYLOAD_ERROR"
	CodeTooLarge   = "PAYLOAD_TOO_LARGE"
	CodeRemote     = "REMOTE_CONTENT_ERROR"
)

// Headers of every answer, upgrades included, and of those that are refused.
const (
	HeaderRequest = "dg-request-id"
	HeaderError   = "dg-error"
)
