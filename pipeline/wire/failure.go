package wire

// Failure is an error that a client is told of, in no protocol's shape yet. NewError puts
// it into that of the OpenAI API, and a function of the same name in each vendor's
// package into theirs.
type Failure struct {
	Status    int    // of HTTP
	Type      string // the vendor's word; "" for the one that it has for the status
	Code      string // beside the type; "" for the one that the vendor has for the status
	Param     string // what is wrong in the request; "" for no one thing
	Message   string
	RequestID string
	// PromptTokens is those of a prompt that is too long, and Context how many the model
	// takes with its answer; 0 for another failure.
	PromptTokens, Context int
}

func (f *Failure) Error() string { return f.Message }

// Types of an APIError. Source: openai/openai-openapi openapi.yaml (commit f85dbe2,
// 2026-08-21), and answers of the service quoted in openai/codex issue 88, read
// 2026-11-29.
const (
	ErrInvalidRequest = "invalid_request_error"
	ErrRequests       = "requests" // too many of them
	ErrServer         = "server_error"
)

// CodeRateLimit is the code of ErrRequests.
const CodeRateLimit = "rate_limit_exceeded"

// NewError returns a failure as the body of a response.
func NewError(f *Failure) ErrorBody {
	kind, code := f.Type, f.Code
	switch {
	case kind != "":
	case f.Status == 429:
		kind = ErrRequests
	case f.Status >= 500:
		kind = ErrServer
	default:
		kind = ErrInvalidRequest
	}
	if code == "" && f.Status == 429 {
		code = CodeRateLimit
	}
	return ErrorBody{Error: APIError{Message: f.Message, Type: kind, Param: orNull(f.Param), Code: orNull(code)}}
}

// orNull returns a text that is null when it is empty.
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
