package langserver

import (
	"halfsecond/pipeline/wire/jsonrpc"
)

// Counts are what was counted of a language server.
type Counts struct {
	Requests int // for completions
	Cancels  int // of them that were given up, be it that they took too long
	Edits    int // that it was told of
	Bytes    int64

	// What came of the requests that were given up: it is all answered, in one of these ways,
	// or stays Unanswered.
	LateAnswersToCancelled  int // with a completion, or an error of another kind
	EmptyAnswersToCancelled int // with no completion, as some servers say that they stopped
	CancelledAnswers        int // as cancelled, by either side

	// What the server answered to requests that were wanted, and was no completion.
	Withdrawn       int // as cancelled, though nobody had
	ContentModified int
	ServerCancelled int
	Failed          int // any other error
	// Undisplayable answers had completions, and none that an editor shows at the cursor.
	Undisplayable int

	Unanswered int // that are over for their asker, and that the server never answered
	// ProtocolErrors are messages that cannot be read, or that answer nothing; ProtocolError
	// is the first in words.
	ProtocolErrors int
	ProtocolError  string
	Killed         bool // it did not end when it was asked to
}

// givenUp counts an answer to a request that nobody waits for any more.
func (c *Counts) givenUp(e *jsonrpc.Error, empty bool) {
	switch {
	case e != nil && (e.Code == jsonrpc.RequestCancelled || e.Code == jsonrpc.ServerCancelled):
		c.CancelledAnswers++
	case e == nil && empty:
		c.EmptyAnswersToCancelled++
	default:
		c.LateAnswersToCancelled++
	}
}

// failed counts an error that somebody waited for.
func (c *Counts) failed(code int64) {
	switch code {
	case jsonrpc.RequestCancelled:
		c.Withdrawn++
	case jsonrpc.ContentModified:
		c.ContentModified++
	case jsonrpc.ServerCancelled:
		c.ServerCancelled++
	default:
		c.Failed++
	}
}

// fault counts what breaks the protocol.
func (c *Counts) fault(words string) {
	if c.ProtocolErrors++; c.ProtocolErrors == 1 {
		c.ProtocolError = words
	}
}

// Counts returns what was counted so far. It may be called from any goroutine, and after
// Close.
func (c *Client) Counts() Counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.counts
	for _, a := range c.pending {
		if a.givenUp {
			n.Unanswered++
		}
	}
	return n
}
