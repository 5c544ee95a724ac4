package text

import (
	"net/http"
	"time"
)

// pieceWriter writes a streamed answer; its headers go out with the first bytes.
type pieceWriter struct {
	w           http.ResponseWriter
	control     *http.ResponseController
	contentType string
	dress       func() // adds headers of the protocol
	buffer      []byte
	begun       bool
}

// abort ends an answer that cannot be completed: with a refusal when nothing was
// sent, else so that the client sees it broken off.
func (o *pieceWriter) abort(g *generation) {
	if o.begun {
		panic(http.ErrAbortHandler)
	}
	g.protocol.refuse(o.w, shuttingDown)
}

// flush sends the buffer as one write.
func (o *pieceWriter) flush() error {
	if len(o.buffer) == 0 {
		return nil
	}
	if !o.begun {
		o.begun = true
		h := o.w.Header()
		h.Set("Content-Type", o.contentType)
		h.Set("Cache-Control", "no-cache")
		h.Set("X-Accel-Buffering", "no") // a proxy must pass each event on at once
		o.dress()
		o.w.WriteHeader(http.StatusOK)
	}
	if err := o.control.SetWriteDeadline(time.Now().Add(writeLimit)); err != nil {
		return err
	}
	if _, err := o.w.Write(o.buffer); err != nil {
		return err
	}
	o.buffer = o.buffer[:0]
	return o.control.Flush()
}
