package fault

import (
	"strings"
	"time"
)

// Rule says which requests go wrong, and how. Rules come from Parse, ParsePhrase or Go
// code; Set checks them either way.
type Rule struct {
	Name  string // of letters, digits, dots, dashes and underscores; "" takes that of the first effect
	About string // for people
	Match Match
	Times int // most requests that it is applied to; 0 for any number
	Effects
}

// Match says which requests a rule is about. A pattern is a text in which * stands for
// any run of characters; an empty one fits all. Of the requests that fit, at most one of
// Nth, Every, First and Share picks some.
type Match struct {
	Model    string // pattern
	Path     string // pattern; without one, the server's own pages never fit
	Protocol string // one of Protocols
	Header   map[string]string
	Nth      int     // the n-th of them, from 1
	Every    int     // every n-th of them
	First    int     // the first n of them: they fail, and then all is well
	Share    float64 // each with this probability
	Seed     uint64  // of the share, beside the server's
}

// Effects is how requests go wrong. The number of a token counts from 1. Where a front
// tells which token it writes, that is the token of the answer, and what follows the
// last one counts as one more; elsewhere it is the write, which is an event of a stream
// or a piece of audio; on a WebSocket it is the message that goes out.
type Effects struct {
	Status      *Status       // an error in place of the answer
	Limit       *Limit        // 429 above a rate
	Refuse      *Refuse       // connections are refused for a while
	Reset       Reset         // the connection is reset before an answer
	SlowHeaders time.Duration // the status line comes that much later
	OmitHeaders []string      // the answer goes without these headers
	ColdStart   *ColdStart    // the model is loaded first
	Stall       *Stall        // nothing comes for a while
	Cut         *Cut          // the connection breaks off
	Malformed   *Malformed    // an event is broken JSON
	Oversized   *Oversized    // an event is very long
	Error       *Error        // an error object in the stream
	End         *End          // the stream ends too early, cleanly
	Drip        *Drip         // few bytes at a time
	Buffer      *Buffer       // a proxy that holds the stream back
	HTTP10      bool          // a server that speaks HTTP/1.0: no chunks, the connection ends the body
	Drop        *Frames       // WebSocket messages that never go out
	Duplicate   *Frames       // WebSocket messages that go out twice
	IdleClose   *IdleClose    // the vendor closes a WebSocket that it hears nothing on
}

// Status is an error in place of the answer, in the shape of the request's protocol.
type Status struct {
	Code       int    // 400 to 599
	Message    string // "" as such services say it
	Kind       string // the error's type; "" as the protocol has it for the status
	Body       string // the whole body as it is, in place of the protocol's
	RetryAfter time.Duration
	Quota      int // requests a minute that the rate-limit headers of a 429 tell of
	Headers    map[string]string
}

// Limit is a bucket of requests and one of tokens. Each holds what a minute brings and
// is full at first. A request that does not fit is answered 429 and takes nothing.
type Limit struct {
	RPM, TPM int // 0 for no such bucket
	Per      Per
}

// Per says who shares a bucket.
type Per string

// Who shares a bucket: everybody, the requests of one model, or those with one key.
const (
	PerAll   Per = "all"
	PerModel Per = "model"
	PerKey   Per = "key"
)

// Refuse closes the listening socket for a while, so that the system refuses
// connections. Those that are open live on.
type Refuse struct {
	For  time.Duration
	When When
}

// When says what starts a Refuse.
type When string

// What starts a Refuse: a request that matches, whose own connection is reset; or the
// rule itself, when a server starts with it or is given it.
const (
	WhenMatched When = "matched"
	WhenLoaded  When = "loaded"
)

// Reset says when a connection is reset: when a request has been read, or as soon as
// it is accepted, before a byte is read.
type Reset string

// When a connection is reset.
const (
	ResetRequest Reset = "request"
	ResetAccept  Reset = "accept"
)

// ColdStart is a model that must be loaded: at its first request, and again when it
// has had none under way for Idle. Requests that come while it is loaded wait for it.
type ColdStart struct {
	Load, Idle time.Duration
}

// Stall is a pause before a token. What falls due meanwhile comes at its end.
type Stall struct {
	At  int
	For time.Duration
}

// Cut breaks a connection off in the middle of a token's event, or after a byte of the
// body.
type Cut struct {
	At   int
	Byte int
	How  How
}

// How says how a connection breaks off.
type How string

// How a connection breaks off: by a reset, as when a process dies or a balancer gives
// up; or by a clean close in the middle of a chunk.
const (
	HowReset How = "reset"
	HowClose How = "close"
)

// Malformed cuts the JSON of a token's event in half.
type Malformed struct{ At int }

// Oversized pads the event of a token to a number of bytes, in a field that clients
// do not know.
type Oversized struct{ At, Bytes int }

// Error is an error object in place of a token, after which a stream ends.
type Error struct {
	At      int
	Message string
	Kind    string // "" as the protocol has it for a server's failure
}

// End ends a stream before a token as if it were done, without what marks its end.
type End struct{ At int }

// Drip lets a body through that many bytes at a time.
type Drip struct {
	Bytes int
	Every time.Duration
}

// Buffer is a proxy that passes a stream on as a whole at its end, or in clumps.
type Buffer struct {
	Mode          Mode
	Every         time.Duration // a clump goes out this long after its first byte came
	HonoursHeader bool          // "X-Accel-Buffering: no" of an answer switches it off
}

// Mode says how a Buffer passes a stream on.
type Mode string

// How a Buffer passes a stream on.
const (
	Whole  Mode = "whole"
	Clumps Mode = "clumps"
)

// Frames picks messages of a WebSocket that go out: one of them, or a share.
type Frames struct {
	At    int
	Share float64
}

// IdleClose closes a WebSocket on which the client has sent no message for a while.
type IdleClose struct {
	After  time.Duration
	Code   int
	Reason string
}

// merge adds the effects of another rule: where both have the same, the first counts.
func (e *Effects) merge(o *Effects) {
	first(&e.Status, o.Status)
	first(&e.Refuse, o.Refuse)
	first(&e.Reset, o.Reset)
	first(&e.SlowHeaders, o.SlowHeaders)
	if e.OmitHeaders == nil {
		e.OmitHeaders = o.OmitHeaders
	}
	first(&e.Stall, o.Stall)
	first(&e.Cut, o.Cut)
	first(&e.Malformed, o.Malformed)
	first(&e.Oversized, o.Oversized)
	first(&e.Error, o.Error)
	first(&e.End, o.End)
	first(&e.Drip, o.Drip)
	first(&e.Buffer, o.Buffer)
	first(&e.HTTP10, o.HTTP10)
	first(&e.Drop, o.Drop)
	first(&e.Duplicate, o.Duplicate)
	first(&e.IdleClose, o.IdleClose)
}

func first[T comparable](at *T, v T) {
	var zero T
	if *at == zero {
		*at = v
	}
}

// fits reports whether a text is as a pattern says.
func fits(pattern, s string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == "" || s == pattern
	}
	if !strings.HasPrefix(s, parts[0]) {
		return false
	}
	s = s[len(parts[0]):]
	last := parts[len(parts)-1]
	for _, part := range parts[1 : len(parts)-1] {
		at := strings.Index(s, part)
		if at < 0 {
			return false
		}
		s = s[at+len(part):]
	}
	return strings.HasSuffix(s, last)
}
