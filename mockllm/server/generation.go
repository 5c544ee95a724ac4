package server

import (
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire"
)

// generation is one answer on its way from the loop to a socket. The loop counts
// the tokens that are due and kicks; the handler writes all that are due. So the
// loop never blocks, no queue can fill, a late handler catches up at once and a
// slow client hurts only itself.
type generation struct {
	model      *model
	request    engine.Request
	text       string // the whole answer
	ends       []int  // where each of its tokens ends in text
	usageAsked bool

	wake    chan struct{} // holds one kick
	ended   atomic.Bool   // set last
	outcome pipeline.Outcome
	arrived time.Duration
	first   time.Duration
	last    time.Duration

	mu     sync.Mutex    // guards what follows
	due    int           // tokens that are out
	oldest time.Duration // instant of the first of them that was not taken; Unknown for none
}

// put says that n tokens are out now.
func (g *generation) put(n int, now time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.due = n
	if g.oldest == pipeline.Unknown {
		g.oldest = now
	}
}

// take returns how many tokens are out, and the instant of the first that was not
// taken before, Unknown for none.
func (g *generation) take() (due int, oldest time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	due, oldest = g.due, g.oldest
	g.oldest = pipeline.Unknown
	return due, oldest
}

func (g *generation) kick() {
	select {
	case g.wake <- struct{}{}:
	default:
	}
}

// finish returns the reason why the answer ended.
func (g *generation) finish() string { return g.request.Finish() }

func (g *generation) usage() wire.Usage {
	n := g.request.Generated()
	u := wire.Usage{PromptTokens: g.request.Prompt, CompletionTokens: n, TotalTokens: g.request.Prompt + n}
	if g.model.Shares {
		u.PromptTokensDetails = &wire.PromptTokensDetail{CachedTokens: g.request.CachedTokens}
	}
	return u
}

// begin submits the generation as of the instant its request arrived. It reports
// false when the server is shutting down.
func (s *Server) begin(g *generation, arrived time.Duration) bool {
	loop := s.config.Loop
	g.arrived, g.oldest = arrived, pipeline.Unknown
	g.request.NotifyAt = 1
	g.request.Notify = func(n int) int {
		g.last = loop.Now()
		if n == 1 {
			g.first = g.last
		}
		g.put(n, g.last)
		g.kick()
		return n + 1
	}
	g.request.Done = func(o pipeline.Outcome) {
		g.outcome = o
		s.metrics.count(g)
		g.ended.Store(true)
		g.kick()
	}
	return loop.Post(arrived, func() { g.model.engine.Submit(&g.request) })
}

// wait returns at the next kick; gone is true when the client has hung up or the
// server stops.
func (s *Server) wait(r *http.Request, g *generation) (gone bool) {
	select {
	case <-g.wake:
		return false
	case <-r.Context().Done():
		return true
	}
}

// giveUp cancels the generation, unless it has ended, and waits until the engine
// is done with it.
func (s *Server) giveUp(g *generation) {
	if g.ended.Load() {
		return
	}
	loop := s.config.Loop
	loop.Post(loop.Elapsed(), func() { g.model.engine.Cancel(&g.request) })
	for !g.ended.Load() {
		select {
		case <-g.wake:
		case <-s.stopped:
			return
		}
	}
}

// stream answers with an event stream. Nothing is sent before the first token, so
// that a refusal still has its status.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, arrived time.Duration, g *generation, events *wire.Stream, opening []byte) {
	if !s.begin(g, arrived) {
		shuttingDown.write(w)
		return
	}
	defer s.giveUp(g)
	out := &eventWriter{w: w, control: http.NewResponseController(w), buffer: opening}
	for written := 0; ; {
		if s.wait(r, g) {
			out.abort()
			return
		}
		ended := g.ended.Load()
		due, oldest := g.take()
		if ended && due == 0 {
			g.fault().write(w)
			return
		}
		out.buffer = g.appendText(events, out.buffer, written, due)
		written = due
		if ended {
			out.buffer = g.close(events, out.buffer)
		}
		if written == 0 {
			continue
		}
		if out.flush() != nil {
			return
		}
		if oldest != pipeline.Unknown {
			s.metrics.wrote(s.config.Loop.Elapsed() - oldest)
		}
		if ended {
			return
		}
	}
}

// appendText appends the events of the tokens from one count to another. A token
// without text, such as one of a stop string, has none.
func (g *generation) appendText(events *wire.Stream, b []byte, from, to int) []byte {
	at := 0
	if from > 0 {
		at = g.ends[from-1]
	}
	for _, end := range g.ends[from:to] {
		if text := g.text[at:end]; text != "" {
			b = events.AppendText(b, text)
		}
		at = end
	}
	return b
}

// close appends what ends a stream: an error, or the end of the answer.
func (g *generation) close(events *wire.Stream, b []byte) []byte {
	if g.outcome != pipeline.OK {
		return wire.AppendError(b, g.fault().body())
	}
	b = events.AppendFinish(b, g.finish())
	if g.usageAsked {
		b = events.AppendUsage(b, g.usage())
	}
	return wire.AppendDone(b)
}

// whole waits for all of the answer; it reports false when there is none to send,
// having said so if anybody is there to hear it.
func (s *Server) whole(w http.ResponseWriter, r *http.Request, arrived time.Duration, g *generation) bool {
	if !s.begin(g, arrived) {
		shuttingDown.write(w)
		return false
	}
	defer s.giveUp(g)
	for !g.ended.Load() {
		if s.wait(r, g) {
			shuttingDown.write(w) // or the client is gone, and nobody reads it
			return false
		}
	}
	if g.outcome != pipeline.OK {
		g.fault().write(w)
		return false
	}
	return true
}

var shuttingDown = &apiError{http.StatusServiceUnavailable, serverError, "The server is shutting down.", "", ""}

// fault says why the engine would not take the request, or could not finish it.
func (g *generation) fault() *apiError {
	reason := "it was given up"
	if g.request.Reason != nil {
		reason = g.request.Reason.Error()
	}
	if g.outcome == pipeline.Refused {
		return &apiError{http.StatusServiceUnavailable, serverError, "The engine cannot take this request: " + reason + ".", "", "engine_refused"}
	}
	return &apiError{http.StatusInternalServerError, serverError, "The engine could not finish this request: " + reason + ".", "", "engine_failed"}
}

// eventWriter writes an event stream; its headers go out with the first bytes.
type eventWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	buffer  []byte
	begun   bool
}

// abort ends an answer that cannot be completed: with a refusal when nothing was
// sent, else so that the client sees it broken off.
func (e *eventWriter) abort() {
	if e.begun {
		panic(http.ErrAbortHandler)
	}
	shuttingDown.write(e.w)
}

// flush sends the buffer as one write.
func (e *eventWriter) flush() error {
	if len(e.buffer) == 0 {
		return nil
	}
	if !e.begun {
		e.begun = true
		h := e.w.Header()
		h.Set("Content-Type", "text/event-stream; charset=utf-8")
		h.Set("Cache-Control", "no-cache")
		h.Set("X-Accel-Buffering", "no") // a proxy must pass each event on at once
		e.w.WriteHeader(http.StatusOK)
	}
	if err := e.control.SetWriteDeadline(time.Now().Add(writeLimit)); err != nil {
		return err
	}
	if _, err := e.w.Write(e.buffer); err != nil {
		return err
	}
	e.buffer = e.buffer[:0]
	return e.control.Flush()
}
