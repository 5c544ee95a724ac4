package serve

import (
	"io"
	"net/http"
	"time"

	"halfsecond/mockllm/fault"
)

// pieceWriter writes a streamed answer; its headers go out with the first bytes.
type pieceWriter struct {
	Sender
	w           http.ResponseWriter
	contentType string
	dress       func() // adds headers of the protocol
	buffer      []byte
	begun       bool
}

// abort ends an answer that cannot be completed: with a refusal when nothing was
// sent, else so that the client sees it broken off.
func (o *pieceWriter) abort(g *Generation) {
	if o.begun {
		panic(http.ErrAbortHandler)
	}
	g.protocol.Refuse(o.w, ShuttingDown)
}

// begin sends the headers, if they are not out yet.
func (o *pieceWriter) begin() error {
	if o.begun {
		return nil
	}
	o.head()
	return o.Flush()
}

// head writes the headers.
func (o *pieceWriter) head() {
	o.begun = true
	h := o.w.Header()
	h.Set("Content-Type", o.contentType)
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no") // a proxy must pass each event on at once
	o.dress()
	o.w.WriteHeader(http.StatusOK)
}

// flush sends the buffer as one write.
func (o *pieceWriter) flush() error {
	if len(o.buffer) == 0 {
		return nil
	}
	if !o.begun {
		o.head()
	}
	if err := o.Send(o.w, o.buffer); err != nil {
		return err
	}
	o.buffer = o.buffer[:0]
	return nil
}

// Sender sends bytes at once, and does not wait for ever for a client that does not read.
type Sender struct {
	control *http.ResponseController
	// clears takes the deadline away when the bytes are out: HTTP/2 resets a stream whose
	// deadline passes, though nothing is being written. Where a rule applies, its writer
	// does that, which may send the bytes much later.
	clears bool
	armed  time.Time // when the deadline was set
}

// NewSender returns the Sender of the answer to a request.
func NewSender(w http.ResponseWriter, r *http.Request) Sender {
	return Sender{control: http.NewResponseController(w), clears: r.ProtoMajor > 1 && fault.From(r.Context()) == nil}
}

// Send writes some bytes. Setting a deadline costs a twentieth of sending a token, so one
// that leaves half of writeLimit will do.
func (s *Sender) Send(w io.Writer, b []byte) error {
	if now := time.Now(); s.clears || now.Sub(s.armed) > writeLimit/2 {
		s.armed = now
		if err := s.control.SetWriteDeadline(now.Add(writeLimit)); err != nil {
			return err
		}
	}
	if _, err := w.Write(b); err != nil {
		return err
	}
	if err := s.control.Flush(); err != nil || !s.clears {
		return err
	}
	return s.control.SetWriteDeadline(time.Time{})
}

// Flush has what was written leave.
func (s *Sender) Flush() error { return s.control.Flush() }
