package voice

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// readLimit is how long a client may take for the body of a request.
const readLimit = 5 * time.Minute

// tooLarge is the error of a body over the limit.
type tooLarge struct{ limit, size int64 } // in bytes; size 0 is not known

func (e tooLarge) Error() string {
	if e.size == 0 {
		return fmt.Sprintf("the body is larger than the limit of %d bytes", e.limit)
	}
	return fmt.Sprintf("the body has %d bytes, more than the limit of %d", e.size, e.limit)
}

// upload reads the body of a request, and returns the instant at which it was whole:
// nothing can be heard before. The error of one that is too large is tooLarge.
func (s *Service) upload(w http.ResponseWriter, r *http.Request) (b []byte, arrived time.Duration, err error) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(readLimit)) // best effort, as is its end
	b, err = io.ReadAll(http.MaxBytesReader(w, r.Body, s.config.MaxBody))
	_ = control.SetReadDeadline(time.Time{})
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		err = tooLarge{large.Limit, max(0, r.ContentLength)}
	}
	return b, s.config.Loop.Elapsed(), err
}

// heardClip is what was heard in an upload.
type heardClip struct {
	speech.Transcript
	entry   ledger.Entry
	latency time.Duration // from the arrival to the transcript
}

// listen hears a clip.
func (s *Service) listen(c audio.Clip, h speech.Hearing, e ledger.Entry) heardClip {
	e.Started, e.First, e.Left, e.AudioIn = e.Arrived, pipeline.Unknown, pipeline.Unknown, c.Duration()
	r := dist.Stream(h.Seed, "voice/upload", h.Stream)
	return heardClip{speech.Transcribe(c, h), e, h.Profile.Latency(&r)}
}

// piece is a stretch of an answer that is due so long after the request was whole.
type piece struct {
	after time.Duration
	data  []byte
}

// answer sends the pieces of an answer, and tells the ledger what became of it.
func (s *Service) answer(w http.ResponseWriter, r *http.Request, contentType string, e ledger.Entry, pieces ...piece) {
	s.respond(w, r, contentType, e.Arrived, func(b *body) func() {
		a := &answering{body: b, loop: s.config.Loop, entry: e, left: pieces}
		a.next()
		return func() {
			a.stop()
			s.config.Ledger.Add(a.entry)
		}
	})
}

// answering is an answer under way.
type answering struct {
	body  *body
	loop  *pipeline.Wall
	entry ledger.Entry
	left  []piece
	timer pipeline.Timer
}

func (a *answering) next() {
	due := max(a.loop.Now(), a.entry.Arrived+a.left[0].after)
	a.timer = a.loop.At(due, pipeline.RankOutput, a.send)
}

func (a *answering) send() {
	if a.entry.First == pipeline.Unknown {
		a.entry.First = a.loop.Now()
	}
	a.body.send(a.left[0].data)
	if a.left = a.left[1:]; len(a.left) > 0 {
		a.next()
		return
	}
	a.entry.Ended = a.loop.Now()
	a.body.end()
}

// stop says that the request is over: an answer that was not is given up.
func (a *answering) stop() {
	if a.timer.Stop(); len(a.left) > 0 {
		now := a.loop.Now()
		a.entry.Left, a.entry.Ended, a.entry.Outcome = now, now, pipeline.Cancelled
		a.entry.Reason = "the client closed the connection"
	}
}
