package serve

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/fault"
	"halfsecond/mockllm/server/ledger"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire"
)

// Generation is one answer on its way from the loop to a socket. The loop counts
// the tokens that are due and kicks; the handler writes all that are due. So the
// loop never blocks, no queue can fill, a late handler catches up at once and a
// slow client hurts only itself.
type Generation struct {
	protocol  *Protocol
	path      string
	ID        string // of the answer
	Created   int64  // Unix time in seconds
	Model     *Model
	engine    engine.Engine // that serves it
	Request   engine.Request
	Text      string // the whole answer: its parts, one after the other
	ends      []int  // where each of its tokens ends in text
	Parts     []Part // never empty
	PromptIDs []int  // numbers of the prompt's tokens; nil when nobody asked
	Stopped   string // the stop string that ends the answer; "" for none

	gaps    ledger.Gaps     // of its model
	plan    *fault.Plan     // how it goes wrong; nil when it does not
	running *ledger.Running // the request, until it has ended
	watched *watched        // who else is told of it
	unsaid  string          // why it is not what a source of answers should have said

	wake    chan struct{} // holds one kick
	gone    atomic.Bool   // the client has hung up, or the server stops
	begun   atomic.Bool   // an engine works on it
	ended   atomic.Bool   // set last
	outcome pipeline.Outcome
	Arrived time.Duration
	First   time.Duration // pipeline.Unknown before the first token
	latest  time.Duration // of the tokens that notify was told of
	Cached  int           // prompt tokens found in the cache, as of the first token

	mu     sync.Mutex    // guards what follows
	due    int           // tokens that are out and may be written
	oldest time.Duration // instant of the first of them that was not taken; Unknown for none
	left   time.Duration // the client hung up; Unknown when it did not
	seen   int           // tokens that were out then
}

// put says that n tokens are out now.
func (g *Generation) put(n int, now time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.due = n
	if g.oldest == pipeline.Unknown {
		g.oldest = now
	}
}

// take returns how many tokens are out, and the instant of the first that was not
// taken before, Unknown for none.
func (g *Generation) take() (due int, oldest time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	due, oldest = g.due, g.oldest
	g.oldest = pipeline.Unknown
	return due, oldest
}

func (g *Generation) kick() {
	select {
	case g.wake <- struct{}{}:
	default:
	}
}

// begin submits the generation as of the instant its request arrived. It reports
// false when the server is shutting down.
func (s *Service) begin(g *Generation, streams bool) bool {
	loop := s.Config.Loop
	g.First, g.oldest, g.left = pipeline.Unknown, pipeline.Unknown, pipeline.Unknown
	g.Request.NotifyAt = 1
	g.Request.Notify = func(n int) int { return g.notify(n, loop.Now()) }
	g.Request.Done = func(o pipeline.Outcome) {
		g.outcome = o
		if o == pipeline.OK && g.due < g.Request.Generated() {
			g.put(g.Request.Generated(), g.Request.Last)
		}
		e := g.entry(loop.Now())
		g.running.End(e)
		g.watched.end(g, e)
		for _, f := range s.ended {
			f(g)
		}
		g.ended.Store(true)
		g.kick()
	}
	g.running = s.Config.Ledger.Begin(g.plan, ledger.Entry{ID: g.ID, Protocol: g.protocol.Name, Path: g.path, Model: g.Model.Name, Arrived: g.Arrived, Prompt: g.Request.Prompt})
	g.watched.begin(streams)
	if !loop.Post(g.Arrived, func() { g.engine.Submit(&g.Request) }) {
		g.running.Forget()
		return false
	}
	return true
}

// notify counts token n and returns the next count that can be written.
func (g *Generation) notify(n int, now time.Duration) (next int) {
	if n == 1 {
		g.First, g.Cached = now, g.Request.CachedTokens
	} else {
		g.gaps.Add(now - g.latest)
	}
	g.latest = now
	chunk := g.Model.Chunk
	if n%chunk == 0 {
		g.put(n, now)
		g.kick()
	}
	return n - n%chunk + chunk
}

// entry returns what the ledger keeps of a generation that has ended now.
func (g *Generation) entry(now time.Duration) ledger.Entry {
	q := &g.Request
	e := ledger.Entry{
		ID: g.ID, Protocol: g.protocol.Name, Path: g.path, Model: g.Model.Name,
		Arrived: g.Arrived, Started: q.Scheduled, First: g.First, Ended: now,
		Prompt: q.Prompt, Cached: q.CachedTokens, Generated: q.Generated(), Outcome: g.outcome, Unsaid: g.unsaid,
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if e.Left = g.left; g.left != pipeline.Unknown {
		e.AfterLeft = e.Generated - g.seen
	}
	if g.outcome == pipeline.OK {
		e.Finish = g.Finish()
	} else if q.Reason != nil {
		e.Reason = q.Reason.Error()
	}
	return e
}

// watch has the end of the request kick too: to wait for one channel costs less than to
// wait for two, once a token. Stop ends that.
func (g *Generation) watch(r *http.Request) (stop func() bool) {
	return context.AfterFunc(r.Context(), func() {
		g.gone.Store(true)
		g.kick()
	})
}

// wait returns at the next kick; gone is true when the client has hung up or the
// server stops.
func (g *Generation) wait() (gone bool) {
	<-g.wake
	return g.gone.Load()
}

// giveUp cancels the generation, unless it has ended, and waits until the engine
// is done with it.
func (s *Service) giveUp(g *Generation) {
	if g.ended.Load() {
		return
	}
	loop := s.Config.Loop
	now := loop.Elapsed()
	loop.Post(now, func() {
		g.leave(now)
		g.engine.Cancel(&g.Request)
	})
	for !g.ended.Load() {
		select {
		case <-g.wake:
		case <-s.Config.Stopped:
			return
		}
	}
}

// leave notes that the client has hung up.
func (g *Generation) leave(now time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.left, g.seen = now, g.Request.Generated()
}

// Stream answers in pieces. Nothing is sent before the first token, or before an engine
// begins where headers are early, so that a refusal still has its status.
func (s *Service) Stream(w http.ResponseWriter, r *http.Request, g *Generation, f Form) {
	plan := fault.From(r.Context())
	g.plan = plan
	if g.protocol.Early || g.Model.Software().LlamaCPP {
		g.Request.Started = func() { g.begun.Store(true); g.kick() }
	}
	if !s.begin(g, true) {
		g.protocol.Refuse(w, ShuttingDown)
		return
	}
	defer s.giveUp(g)
	defer g.watch(r)()
	out := &pieceWriter{w: w, Sender: NewSender(w, r), contentType: f.ContentType(), dress: func() { s.dress(w, g) }}
	out.buffer = f.Open(nil, g)
	s.follow(r, g, f, out, plan)
}

// follow writes tokens as they come, until the generation or its client is gone.
func (s *Service) follow(r *http.Request, g *Generation, f Form, out *pieceWriter, plan *fault.Plan) {
	timing := s.Config.Ledger.Timing(out.w, r)
	for written := 0; ; {
		if g.wait() {
			out.abort(g)
			return
		}
		ended := g.ended.Load()
		due, oldest := g.take()
		switch {
		case ended && due == 0 && !out.begun:
			s.deny(out.w, g)
			return
		case !ended && due == 0:
			if g.begun.Load() && out.begin() != nil {
				return
			}
			continue
		}
		if g.advance(out, f, plan, written, due, ended) != nil {
			return
		}
		written = due
		if oldest != pipeline.Unknown && !plan.Holds() {
			timing.Wrote(s.Config.Loop.Elapsed() - oldest)
		}
		if ended {
			timing.End(out.w)
			return
		}
	}
}

// advance writes the tokens from one count to another and, when the generation has ended,
// what ends the answer. A rule that applies may want them in several writes.
func (g *Generation) advance(out *pieceWriter, f Form, plan *fault.Plan, written, due int, ended bool) error {
	for written < due {
		to := plan.Advance(written, due, g.Model.Chunk)
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
func (g *Generation) appendPieces(f Form, b []byte, from, to int) []byte {
	for i := range g.Parts {
		p := &g.Parts[i]
		for n := max(from, p.from); n < min(to, p.to); {
			end := min(n+g.Model.Chunk, to, p.to)
			b = f.Piece(b, Piece{Part: p, Index: i, Tokens: end - n, Text: g.Between(n, end), Opens: n == p.from, Shuts: end == p.to})
			n = end
		}
	}
	return b
}

// Between returns the text of the tokens from one count to another.
func (g *Generation) Between(from, to int) string {
	at := 0
	if from > 0 {
		at = g.ends[from-1]
	}
	return g.Text[at:g.ends[to-1]]
}

// appendEnd appends what ends a stream: an error, or the end of the answer.
func (g *Generation) appendEnd(f Form, b []byte) []byte {
	if g.outcome != pipeline.OK {
		return f.Fail(b, g.fault())
	}
	return f.End(b, g)
}

// Whole waits for all of the answer; it reports false when there is none to send,
// having said so if anybody is there to hear it.
func (s *Service) Whole(w http.ResponseWriter, r *http.Request, g *Generation) bool {
	g.plan = fault.From(r.Context())
	if !s.begin(g, false) {
		g.protocol.Refuse(w, ShuttingDown)
		return false
	}
	defer s.giveUp(g)
	defer g.watch(r)()
	for !g.ended.Load() {
		if g.wait() {
			g.protocol.Refuse(w, ShuttingDown) // or the client is gone, and nobody reads it
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
func (s *Service) dress(w http.ResponseWriter, g *Generation) {
	if g.protocol.Dress != nil {
		g.protocol.Dress(w.Header(), g.Model, s.Config.Loop.Elapsed()-g.Arrived)
	}
}

// ShuttingDown is why nothing more is begun.
var ShuttingDown = &wire.Failure{Status: http.StatusServiceUnavailable, Message: "The server is shutting down."}

// fault says why the engine would not take the request, or could not finish it.
func (g *Generation) fault() *wire.Failure {
	reason := "it was given up"
	if g.Request.Reason != nil {
		reason = g.Request.Reason.Error()
	}
	if g.limited() {
		return &wire.Failure{Status: http.StatusTooManyRequests, Message: "Rate limit reached: " + reason + ".", Code: "rate_limit_exceeded"}
	}
	if g.outcome == pipeline.Refused {
		return &wire.Failure{Status: http.StatusServiceUnavailable, Message: "The engine cannot take this request: " + reason + ".", Code: CodeRefused}
	}
	return &wire.Failure{Status: http.StatusInternalServerError, Message: "The engine could not finish this request: " + reason + ".", Code: "engine_failed"}
}

// limited reports whether more was asked for than the client's share.
func (g *Generation) limited() bool {
	over := (*engine.QuotaError)(nil)
	return errors.As(g.Request.Reason, &over)
}

// Len returns the number of tokens of the answer.
func (g *Generation) Len() int { return len(g.ends) }
