package observe

import (
	"time"

	"halfsecond/pipeline"
)

// Request is one completion that was asked for. Instants count from the start of the
// server; pipeline.Unknown is one that has not come.
type Request struct {
	Number   int    // from 1, in the order of arrival; the Observer sets it
	Client   string // who asks, such as its address without the port
	Protocol string
	Model    string

	// Connection names the connection that it came over, 0 for unknown, and Use counts the
	// requests on it, from 1.
	Connection int64
	Use        int
	// Shared says that a connection carries several requests at once, as in HTTP/2, so that
	// one can be given up without losing it.
	Shared bool

	Prompt    Prompt
	MaxTokens int  // most tokens of the answer, 0 for no limit
	Streams   bool // the answer comes in pieces
	CanStream bool // the protocol has a way to ask for that

	Arrived time.Duration // the request was whole
	End
}

// End is how a request ended.
type End struct {
	First time.Duration // first token
	Ended time.Duration // the server was done with it
	Left  time.Duration // the client hung up before that

	PromptTokens int
	Cached       int  // of them, that the server had from earlier requests
	Caches       bool // it looks for such tokens
	Generated    int  // tokens
	AfterLeft    int  // of them, that came out when the client had left

	Refused bool // nothing was computed
	Limited bool // since too much was asked: status 429
	Answer  string
}

// running is the End of a request under way.
var running = End{First: pipeline.Unknown, Ended: pipeline.Unknown, Left: pipeline.Unknown}

// over returns when nothing of the request was under way any more for its client:
// pipeline.Unknown while it is.
func (r *Request) over() time.Duration {
	if r.Left != pipeline.Unknown {
		return r.Left
	}
	return r.Ended
}

// openAt reports whether the request was under way at an instant, as its client saw it.
func (r *Request) openAt(at time.Duration) bool {
	over := r.over()
	return r.Arrived <= at && (over == pipeline.Unknown || over > at)
}

// taken returns the tokens that the client was there for.
func (r *Request) taken() int { return r.Generated - r.AfterLeft }

// size returns the bytes of text that the request holds on to.
func (r *Request) size() int { return r.Prompt.bytes + len(r.Answer) }
