package server

import (
	"net/http"
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

	due     atomic.Int64  // tokens that are out
	dueAt   atomic.Int64  // instant of the newest of them
	ended   atomic.Bool   // set last
	wake    chan struct{} // holds one kick
	outcome pipeline.Outcome
	arrived time.Duration
	first   time.Duration
	last    time.Duration
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
	return wire.Usage{PromptTokens: g.request.Prompt, CompletionTokens: n, TotalTokens: g.request.Prompt + n}
}

// begin submits the generation as of the instant its request arrived. It reports
// false when the server is shutting down.
func (s *Server) begin(g *generation, arrived time.Duration) bool {
	loop := s.config.Loop
	g.arrived = arrived
	g.request.NotifyAt = 1
	g.request.Notify = func(n int) int {
		g.last = loop.Now()
		if n == 1 {
			g.first = g.last
		}
		g.dueAt.Store(int64(g.last))
		g.due.Store(int64(n))
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

// wait returns at the next kick. When the client hangs up, or the server stops, it
// has the engine give the generation up and waits for that to be done.
func (s *Server) wait(r *http.Request, g *generation) (gone bool) {
	select {
	case <-g.wake:
		return false
	case <-r.Context().Done():
		s.giveUp(g)
		return true
	}
}

// giveUp cancels the generation and waits until the engine is done with it.
func (s *Server) giveUp(g *generation) {
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
	out := &eventWriter{w: w, control: http.NewResponseController(w), buffer: opening}
	for written := 0; ; {
		if s.wait(r, g) {
			return
		}
		ended := g.ended.Load()
		due := int(g.due.Load())
		if ended && g.outcome == pipeline.Refused {
			s.refused(g).write(w)
			return
		}
		at := 0
		if written > 0 {
			at = g.ends[written-1]
		}
		for ; written < due; written++ {
			if text := g.text[at:g.ends[written]]; text != "" {
				out.buffer = events.AppendText(out.buffer, text)
			}
			at = g.ends[written]
		}
		if ended {
			out.buffer = g.close(events, out.buffer)
		}
		if written == 0 {
			continue
		}
		if out.flush() != nil {
			s.giveUp(g)
			return
		}
		s.metrics.wrote(s.config.Loop.Elapsed() - time.Duration(g.dueAt.Load()))
		if ended {
			return
		}
	}
}

// close appends what ends a stream.
func (g *generation) close(events *wire.Stream, b []byte) []byte {
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
	for !g.ended.Load() {
		if s.wait(r, g) {
			return false
		}
	}
	if g.outcome == pipeline.Refused {
		s.refused(g).write(w)
		return false
	}
	return true
}

var shuttingDown = &apiError{http.StatusServiceUnavailable, serverError, "The server is shutting down.", "", ""}

// refused says why the engine would not take the request.
func (s *Server) refused(g *generation) *apiError {
	return &apiError{http.StatusServiceUnavailable, serverError, "The engine cannot take this request: " + g.request.Reason.Error() + ".", "", "engine_refused"}
}

// eventWriter writes an event stream; its headers go out with the first bytes.
type eventWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	buffer  []byte
	begun   bool
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
