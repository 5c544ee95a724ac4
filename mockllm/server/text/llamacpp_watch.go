package text

import (
	"strings"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/pipeline"
)

// watch stands between one generation and its engine and keeps what llama.cpp and
// Ollama tell of time: the instant of each token, when work on the request began, and
// whether it waited for the model to be loaded. It can end an answer that takes too
// long. Its methods run on the loop. What it keeps may be read elsewhere for tokens that
// are out, and all of it when the generation has ended.
type watch struct {
	engine.Engine
	loop pipeline.Scheduler
	g    *generation
	// longest is how long after the first token a line may end before it ends the
	// answer; 0 means for ever.
	longest time.Duration
	// tell is called with the first token, and with none when the request has ended.
	tell func(first bool)

	at     []time.Duration // of each token
	out    int             // tokens that have an instant
	began  time.Duration   // work on the request
	late   bool            // time ran out
	closed bool            // the generation has been told its end
	loads  int             // of the model, before the request
	loaded bool            // the model was loaded while the request waited
}

// watched puts a watch between a generation and its engine.
func (s *Service) watched(g *generation) *watch {
	w := &watch{Engine: g.model.engine, loop: s.config.Loop, g: g, tell: func(bool) {}, at: make([]time.Duration, g.request.Tokens())}
	g.model = &model{Model: g.model.Model, engine: w}
	return w
}

// Submit implements engine.Engine.
func (w *watch) Submit(r *engine.Request) {
	w.loads = w.Engine.Stats().Loads
	notify, done := r.Notify, r.Done
	r.Notify = func(n int) int { return w.token(n, notify) }
	r.Done = func(o pipeline.Outcome) { w.end(o, done) }
	w.Engine.Submit(r)
}

// token keeps the instant of token n and of those since the last that was told.
func (w *watch) token(n int, notify func(int) int) (next int) {
	if w.closed {
		return 0
	}
	if w.out == 0 {
		w.began = w.g.request.Scheduled
		w.tell(true)
	}
	w.note(n, w.loop.Now())
	next = notify(n)
	if !w.overdue(n) {
		return next
	}
	w.late = true
	w.g.request.Limit = n // the reason of its end
	w.Engine.Cancel(&w.g.request)
	w.g.request.Done(pipeline.OK)
	return 0
}

func (w *watch) note(n int, now time.Duration) {
	for ; w.out < n; w.out++ {
		w.at[w.out] = now
	}
}

// overdue reports whether token n ends the answer because a line ends with it, and later
// than it may. A token that ends it anyway does not.
func (w *watch) overdue(n int) bool {
	return w.longest > 0 && n < len(w.at) && w.at[n-1]-w.at[0] > w.longest &&
		strings.Contains(w.g.between(n-1, n), "\n")
}

// end tells the generation its end, once: an engine that is slow to notice a cancel may
// come with a second.
func (w *watch) end(o pipeline.Outcome, done func(pipeline.Outcome)) {
	if w.closed {
		return
	}
	w.closed = true
	r := &w.g.request
	if o == pipeline.OK {
		w.note(r.Generated(), r.Last)
	}
	w.loaded = w.Engine.Stats().Loads > w.loads
	w.tell(false)
	done(o)
}

// evaluated returns how long the prompt took, from the start of work to the first token.
func (w *watch) evaluated() time.Duration { return w.at[0] - w.began }

// predicted returns how long after the first token the n-th came.
func (w *watch) predicted(n int) time.Duration { return w.at[n-1] - w.at[0] }
