package ollama

import "halfsecond/pipeline/wire"

// ErrorBody is the body of a response that reports an error, and the last line of a
// stream that cannot be completed.
type ErrorBody struct {
	Error string `json:"error"`
}

// Busy is what the server says when it takes no more; source: ollama/ollama
// server/sched.go (2026-08-21, commit fb30760), read 2026-11-29.
const Busy = "server busy, please try again.  maximum pending requests exceeded"

// NewError returns a failure as the body of a response. Source: ollama/ollama
// docs/api/errors.mdx (commit fb30760), read 2026-11-29.
func NewError(f *wire.Failure) ErrorBody { return ErrorBody{f.Message} }
