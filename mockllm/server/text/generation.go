package text

import (
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/fault"
	"halfsecond/mockllm/server/ledger"
	"halfsecond/pipeline"
)

// generation is one answer on its way from the loop to a socket. The loop counts
// the tokens that are due and kicks; the handler writes all that are due. So the
// loop never blocks, no queue can fill, a late handler catches up at once and a
// slow client hurts only itself.
type generation struct {
	protocol  *protocol
	path      string
	id        string // of the answer
	created   int64  // Unix time in seconds
	model     *model
	request   engine.Request
	text      string // the whole answer: its parts, one after the other
	ends      []int  // where each of its tokens ends in text
	parts     []part // never empty
	promptIDs []int  // numbers of the prompt's tokens; nil when nobody asked
	stopped   string // the stop string that ends the answer; "" for none

	gaps   ledger.Gaps // of its model
	faulty string      // the rules that make it go wrong; "" for none

	wake    chan struct{} // holds one kick
	ended   atomic.Bool   // set last
	outcome pipeline.Outcome
	arrived time.Duration
	first   time.Duration // pipeline.Unknown before the first token
	latest  time.Duration // of the tokens that notify was told of
	cached  int           // prompt tokens found in the cache, as of the first token

	mu     sync.Mutex    // guards what follows
	due    int           // tokens that are out and may be written
	oldest time.Duration // instant of the first of them that was not taken; Unknown for none
	left   time.Duration // the client hung up; Unknown when it did not
	seen   int           // tokens that were out then
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

// begin submits the generation as of the instant its request arrived. It reports
// false when the server is shutting down.
func (s *Service) begin(g *generation) bool {
	loop := s.config.Loop
	g.first, g.oldest, g.left = pipeline.Unknown, pipeline.Unknown, pipeline.Unknown
	g.request.NotifyAt = 1
	g.request.Notify = func(n int) int { return g.notify(n, loop.Now()) }
	g.request.Done = func(o pipeline.Outcome) {
		g.outcome = o
		if o == pipeline.OK && g.due < g.request.Generated() {
			g.put(g.request.Generated(), g.request.Last)
		}
		s.config.Ledger.Add(g.entry(loop.Now()))
		g.ended.Store(true)
		g.kick()
	}
	return loop.Post(g.arrived, func() { g.model.engine.Submit(&g.request) })
}

// notify counts token n and returns the next count that can be written.
func (g *generation) notify(n int, now time.Duration) (next int) {
	if n == 1 {
		g.first, g.cached = now, g.request.CachedTokens
	} else {
		g.gaps.Add(now - g.latest)
	}
	g.latest = now
	chunk := g.model.Chunk
	if n%chunk == 0 {
		g.put(n, now)
		g.kick()
	}
	return n - n%chunk + chunk
}

// entry returns what the ledger keeps of a generation that has ended now.
func (g *generation) entry(now time.Duration) ledger.Entry {
	q := &g.request
	e := ledger.Entry{
		ID: g.id, Protocol: g.protocol.name, Path: g.path, Model: g.model.Name,
		Arrived: g.arrived, Started: q.Scheduled, First: g.first, Ended: now,
		Prompt: q.Prompt, Cached: q.CachedTokens, Generated: q.Generated(), Outcome: g.outcome, Fault: g.faulty,
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if e.Left = g.left; g.left != pipeline.Unknown {
		e.AfterLeft = e.Generated - g.seen
	}
	if g.outcome == pipeline.OK {
		e.Finish = g.finish()
	} else if q.Reason != nil {
		e.Reason = q.Reason.Error()
	}
	return e
}

// wait returns at the next kick; gone is true when the client has hung up or the
// server stops.
func (s *Service) wait(r *http.Request, g *generation) (gone bool) {
	select {
	case <-g.wake:
		return false
	case <-r.Context().Done():
		return true
	}
}

// giveUp cancels the generation, unless it has ended, and waits until the engine
// is done with it.
func (s *Service) giveUp(g *generation) {
	if g.ended.Load() {
		return
	}
	loop := s.config.Loop
	now := loop.Elapsed()
	loop.Post(now, func() {
		g.leave(now)
		g.model.engine.Cancel(&g.request)
	})
	for !g.ended.Load() {
		select {
		case <-g.wake:
		case <-s.config.Stopped:
			return
		}
	}
}

// leave notes that the client has hung up.
func (g *generation) leave(now time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.left, g.seen = now, g.request.Generated()
}

// stream answers in pieces. Nothing is sent before the first token, so that a
// refusal still has its status.
func (s *Service) stream(w http.ResponseWriter, r *http.Request, g *generation, f form) {
	plan := fault.From(r.Context())
	g.faulty = plan.Rules()
	if !s.begin(g) {
		g.protocol.refuse(w, shuttingDown)
		return
	}
	defer s.giveUp(g)
	out := &pieceWriter{w: w, sender: newSender(w, r), contentType: f.contentType(), dress: func() { s.dress(w, g) }}
	out.buffer = f.open(nil, g)
	timing := s.config.Ledger.Timing(w, r)
	for written := 0; ; {
		if s.wait(r, g) {
			out.abort(g)
			return
		}
		ended := g.ended.Load()
		due, oldest := g.take()
		switch {
		case ended && due == 0:
			s.deny(w, g)
			return
		case due == 0:
			continue
		}
		if g.advance(out, f, plan, written, due, ended) != nil {
			return
		}
		written = due
		if oldest != pipeline.Unknown && plan == nil {
			timing.Wrote(s.config.Loop.Elapsed() - oldest)
		}
		if ended {
			timing.End(w)
			return
		}
	}
}

// advance writes the tokens from one count to another and, when the generation has ended,
// what ends the answer. A rule that applies may want them in several writes.
func (g *generation) advance(out *pieceWriter, f form, plan *fault.Plan, written, due int, ended bool) error {
	for written < due {
		to := plan.Advance(written, due, g.model.Chunk)
		out.buffer = g.appendPieces(f, out.buffer, written, to)
		written = to
		if plan != nil && (to < due || ended) {
			if err := out.flush(); err != nil {
				return err
			}
		}
	}
	if ended {
		out.buffer = g.appendEnd(f, out.buffer)
	}
	return out.flush()
}

// appendPieces appends the pieces of the tokens from one count to another.
func (g *generation) appendPieces(f form, b []byte, from, to int) []byte {
	for i := range g.parts {
		p := &g.parts[i]
		for n := max(from, p.from); n < min(to, p.to); {
			end := min(n+g.model.Chunk, to, p.to)
			b = f.piece(b, piece{part: p, index: i, tokens: end - n, text: g.between(n, end), opens: n == p.from, shuts: end == p.to})
			n = end
		}
	}
	return b
}

// between returns the text of the tokens from one count to another.
func (g *generation) between(from, to int) string {
	at := 0
	if from > 0 {
		at = g.ends[from-1]
	}
	return g.text[at:g.ends[to-1]]
}

// appendEnd appends what ends a stream: an error, or the end of the answer.
func (g *generation) appendEnd(f form, b []byte) []byte {
	if g.outcome != pipeline.OK {
		return f.fail(b, g.fault())
	}
	return f.end(b, g)
}

// whole waits for all of the answer; it reports false when there is none to send,
// having said so if anybody is there to hear it.
func (s *Service) whole(w http.ResponseWriter, r *http.Request, g *generation) bool {
	g.faulty = fault.From(r.Context()).Rules()
	if !s.begin(g) {
		g.protocol.refuse(w, shuttingDown)
		return false
	}
	defer s.giveUp(g)
	for !g.ended.Load() {
		if s.wait(r, g) {
			g.protocol.refuse(w, shuttingDown) // or the client is gone, and nobody reads it
			return false
		}
	}
	if g.outcome != pipeline.OK {
		s.deny(w, g)
		return false
	}
	s.dress(w, g)
	return true
}

// dress adds the protocol's headers to an answer that goes out now.
func (s *Service) dress(w http.ResponseWriter, g *generation) {
	if g.protocol.dress != nil {
		g.protocol.dress(w.Header(), g.model, s.config.Loop.Elapsed()-g.arrived)
	}
}

var shuttingDown = &apiError{http.StatusServiceUnavailable, serverError, "The server is shutting down.", "", ""}

// fault says why the engine would not take the request, or could not finish it.
func (g *generation) fault() *apiError {
	reason := "it was given up"
	if g.request.Reason != nil {
		reason = g.request.Reason.Error()
	}
	if over := (*engine.QuotaError)(nil); errors.As(g.request.Reason, &over) {
		return &apiError{http.StatusTooManyRequests, "requests", "Rate limit reached: " + reason + ".", "", "rate_limit_exceeded"}
	}
	if g.outcome == pipeline.Refused {
		return &apiError{http.StatusServiceUnavailable, serverError, "The engine cannot take this request: " + reason + ".", "", "engine_refused"}
	}
	return &apiError{http.StatusInternalServerError, serverError, "The engine could not finish this request: " + reason + ".", "", "engine_failed"}
}
