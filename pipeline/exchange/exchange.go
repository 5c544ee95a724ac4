package exchange

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"time"
)

// How a response ended.
const (
	EOF   = "eof"   // cleanly
	Reset = "reset" // it broke off
	Open  = "open"  // the client stopped reading: it had its answer, or gave up
	None  = "none"  // there was no response
)

// Why a client gave up.
const (
	Cancelled = "cancelled" // its asker did not want the answer any more
	TimedOut  = "timeout"   // a time limit of its own passed
)

// Exchange is one request and its response. Instants that were not observed are
// pipeline.Unknown.
type Exchange struct {
	Request      int64 // ID in the traces of the run; 0 for none
	Protocol     string
	Model        string // as the client called it
	Method, Path string
	Due, Sent    time.Duration
	Ask          []byte // body of the request

	Status   int // 0 without a response
	HTTP     string
	Headers  [][2]string
	Answered time.Duration // the status and the headers were there
	Reads    []Read
	Body     []byte // of all reads, content coding kept
	MaxBytes int64  // most bytes that the client would read, with the coding and without; 0 is its default
	// MaxOutputs is the most output chunks that the client would read; 0 is no limit.
	MaxOutputs int
	End        time.Duration
	How        string // EOF, Reset, Open or None
	Stop       string // Cancelled or TimedOut; "" when the client did not give up
	Cause      string // words for a bad end

	Rest Rest // behind the end event; written to no file

	// Of a conversation: Setting is what its client was told that decides what its messages
	// mean, a JSON object, and Messages are those over a WebSocket, which has neither Reads
	// nor a Body unless its handshake was refused.
	Setting  string
	Messages []Message
	Notes    []Note

	// AskSum and BodySum are the SHA-256 of texts that are not kept, in hexadecimal. Ask is
	// then empty, and Body has other letters in place of its own, or is empty as well.
	AskSum, BodySum string
	AskBytes        int // of the body of the request where AskSum stands for it; 0 is unknown

	telling bool  // the packed body says a secret
	led     Query // of the places that the headers lead to
}

// Read is one read of a response.
type Read struct {
	At    time.Duration
	Bytes int
}

// Rest is what came behind the end event of a response, until its client left.
type Rest struct {
	Waited time.Duration // until the body ended or the client left
	Bytes  int           // those that are no white space
	Open   bool          // the body had not ended when the client left
	Cut    string        // why it broke off, in words; empty where it did not
}

// Add adds a read. A nil Exchange keeps nothing. The body never has room for more than
// twice what came, nor for more than MaxBytes and a read beside.
func (x *Exchange) Add(at time.Duration, p []byte) {
	if x != nil && len(p) > 0 {
		x.Reads = append(roomy(x.Reads, 1, 0), Read{at, len(p)})
		x.Body = append(roomy(x.Body, len(p), int(x.MaxBytes)), p...)
	}
}

// roomy returns a slice with room for n more, in twice the space when there is none, but in
// no more than most and them where there is a most. The steps of append itself are a quarter
// each, so that small pieces would be copied five times on the way to a long body.
func roomy[T any](s []T, n, most int) []T {
	if cap(s)-len(s) >= n {
		return s
	}
	room := max(2*len(s), len(s)+n)
	if most > 0 {
		room = max(min(room, most+n), len(s)+n)
	}
	return append(make([]T, 0, room), s...)
}

// Whole reports whether the bytes of the response are here, if only in other letters.
func (x *Exchange) Whole() bool {
	return (len(x.Body) > 0 || len(x.Reads) == 0) && !slices.ContainsFunc(x.Messages, Message.silent)
}

// Asked returns how many bytes the body of the request has; 0 is none or unknown.
func (x *Exchange) Asked() int { return max(len(x.Ask), x.AskBytes) }

// Header returns the first value of a header of the response, "" for none.
func (x *Exchange) Header(name string) string {
	for _, h := range x.Headers {
		if strings.EqualFold(h[0], name) {
			return h[1]
		}
	}
	return ""
}

// secretHeader matches headers that may hold something that opens a door: those of logins, cookies,
// and all that are named for a key, token, secret or password, such as X-Amz-Security-Token.
var secretHeader = regexp.MustCompile(`(?i)^(?:authorization|proxy-authorization|(?:set-)?cookie2?|(?:.+-)?(?:key|token|secret|password))$`)

// SetHeaders keeps the headers of a response in order, without those that may hold
// secrets. Of one that leads elsewhere it keeps the Place, and Conceal hides what its query says.
func (x *Exchange) SetHeaders(headers map[string][]string) {
	x.Headers, x.led = nil, Led(headers)
	for name, values := range headers {
		if secretHeader.MatchString(name) {
			continue
		}
		for _, v := range values {
			x.Headers = append(x.Headers, [2]string{name, place(name, v)})
		}
	}
	slices.SortStableFunc(x.Headers, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
}

// Redact takes a secret out of everything that is kept, so that the reads keep their sizes: as
// Mask does, and a short one where secrets are told. A packed body that says it stays, and is
// written to no file.
func (x *Exchange) Redact(secret string) {
	if !isSecret(secret) {
		return
	}
	x.Path, x.Model, x.Setting = MaskText(x.Path, secret), MaskText(x.Model, secret), strings.Clone(MaskText(x.Setting, secret))
	x.Cause = Mask(x.Cause, secret)
	for i, h := range x.Headers {
		x.Headers[i][1] = MaskHeader(h[0], h[1], secret)
	}
	x.Ask = bytes.Clone(x.Ask) // it may still be under way
	hide(x.Ask, "", secret, false)
	x.telling = x.telling || x.tells(func(text []byte) bool { return hide(text, x.kind(), secret, x.failed()) })
	hide(x.Body, x.bodyKind(), secret, x.failed())
	for i := range x.Messages {
		x.Messages[i].redact(secret)
	}
}

// hide takes a secret out of a body of a kind, in place, and reports whether it was there. Failed
// says that the body is of a failure.
func hide(b []byte, kind, secret string, failed bool) bool {
	if len(secret) >= leastPart {
		return maskBytes(b, secret)
	}
	return seek(b, kind, secret, failed)
}

// failed reports whether the response says by its status that it is of a failure.
func (x *Exchange) failed() bool { return x.Status != 0 && (x.Status < 200 || x.Status > 299) }

// Conceal takes out of everything that the server said what the query of the URL says that was
// asked, and the queries of the places that it leads to: pages of redirects repeat them.
func (x *Exchange) Conceal(asked Query) {
	q := asked.And(x.led)
	if q.Empty() {
		return
	}
	x.Cause = q.Mask(x.Cause)
	x.telling = x.telling || x.tells(func(text []byte) bool { return q.hide(text, x.kind(), x.failed()) })
	q.hide(x.Body, x.bodyKind(), x.failed())
	for i, h := range x.Headers {
		x.Headers[i][1] = q.MaskHeader(h[0], h[1])
	}
	for i := range x.Messages {
		if m := &x.Messages[i]; m.From == Server {
			q.hide(m.Data, m.kind(), m.Kind == Close)
		}
	}
}

// Moved returns the exchange on a clock whose zero is so much earlier.
func (x *Exchange) Moved(by time.Duration) *Exchange {
	y := *x
	for _, at := range []*time.Duration{&y.Due, &y.Sent, &y.Answered, &y.End} {
		*at = later(*at, by)
	}
	y.Reads = slices.Clone(x.Reads)
	for i := range y.Reads {
		y.Reads[i].At = later(y.Reads[i].At, by)
	}
	y.Messages, y.Notes = slices.Clone(x.Messages), slices.Clone(x.Notes)
	for i := range y.Messages {
		m := &y.Messages[i]
		m.At, m.Due = later(m.At, by), later(m.Due, by)
	}
	for i := range y.Notes {
		y.Notes[i].At = later(y.Notes[i].At, by)
	}
	return &y
}
