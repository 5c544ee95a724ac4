package serve

import (
	"strings"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/pipeline"
)

// Watch stands between one generation and its engine and keeps what llama.cpp and
// Ollama tell of time: the instant of each token and when work on the request began. It
// can end an answer that takes too long. Its methods run on the loop. What it keeps may be
// read elsewhere for tokens that are out, and all of it when the generation has ended.
type Watch struct {
	engine.Engine
	loop pipeline.Scheduler
	g    *Generation
	// Longest is how long after the first token a line may end before it ends the
	// answer; 0 means for ever.
	Longest time.Duration
	// Tell is called with the first token, and with none when the request has ended.
	Tell func(first bool)

	At     []time.Duration // of each token
	Out    int             // tokens that have an instant
	Began  time.Duration   // work on the request
	Late   bool            // time ran out
	closed bool            // the generation has been told its end
}

// Watched puts a watch between a generation and its engine.
func (s *Service) Watched(g *Generation) *Watch {
	w := &Watch{Engine: g.engine, loop: s.Config.Loop, g: g, Tell: func(bool) {}, At: make([]time.Duration, g.Request.Tokens())}
	g.engine = w
	return w
}

// Submit implements engine.Engine.
func (w *Watch) Submit(r *engine.Request) {
	notify, done := r.Notify, r.Done
	r.Notify = func(n int) int { return w.token(n, notify) }
	r.Done = func(o pipeline.Outcome) { w.end(o, done) }
	w.Engine.Submit(r)
}

// token keeps the instant of token n and of those since the last that was told.
func (w *Watch) token(n int, notify func(int) int) (next int) {
	if w.closed {
		return 0
	}
	if w.Out == 0 {
		w.Began = w.g.Request.Scheduled
		w.Tell(true)
	}
	w.note(n, w.loop.Now())
	next = notify(n)
	if !w.overdue(n) {
		return next
	}
	w.Late = true
	w.g.Request.Limit = n // the reason of its end
	w.Engine.Cancel(&w.g.Request)
	w.g.Request.Done(pipeline.OK)
	return 0
}

func (w *Watch) note(n int, now time.Duration) {
	for ; w.Out < n; w.Out++ {
		w.At[w.Out] = now
	}
}

// overdue reports whether token n ends the answer because a line ends with it, and later
// than it may. A token that ends it anyway does not.
func (w *Watch) overdue(n int) bool {
	return w.Longest > 0 && n < len(w.At) && w.At[n-1]-w.At[0] > w.Longest &&
		strings.Contains(w.g.Between(n-1, n), "\n")
}

// end tells the generation its end, once: an engine that is slow to notice a cancel may
// come with a second.
func (w *Watch) end(o pipeline.Outcome, done func(pipeline.Outcome)) {
	if w.closed {
		return
	}
	w.closed = true
	r := &w.g.Request
	if o == pipeline.OK {
		w.note(r.Generated(), r.Last)
	}
	w.Tell(false)
	done(o)
}

// Evaluated returns how long the prompt took, from the start of work to the first token.
func (w *Watch) Evaluated() time.Duration { return w.At[0] - w.Began }

// Predicted returns how long after the first token the n-th came.
func (w *Watch) Predicted(n int) time.Duration { return w.At[n-1] - w.At[0] }
