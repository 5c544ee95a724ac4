package ide

import (
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/document"
	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/ide/prompt"
)

// asking is when the plugin asks for the last step.
type asking struct {
	timer    pipeline.Timer
	runs     bool // the timer does
	patience plugin.Patience
	last     time.Duration // when the last request was sent
	asked    bool          // there was one
	quiet    time.Duration // until then the server wants no request
	queued   bool          // the last step waits until fewer requests are under way
	awaited  *request      // the last step waits for the answer of this one
	due      func()        // Editor.askNow, bound once
}

// stop gives up what the plugin would have asked.
func (a *asking) stop() {
	a.timer.Stop()
	a.runs, a.queued, a.awaited = false, false, nil
}

// waiting reports whether the plugin will ask, if nothing else happens.
func (a *asking) waiting() bool { return a.runs || a.queued }

// at asks at an instant.
func (a *asking) at(loop pipeline.Scheduler, t time.Duration) {
	a.runs = true
	a.timer = loop.At(t, pipeline.RankTimer, a.due)
}

// Why the plugin did not ask at once, or not at all, where no trigger rule says so.
const (
	heldByThrottle = "throttle"
	heldByLimit    = "limit"
	heldByLive     = "requests_under_way"
	heldByEmpty    = "empty"
	heldByKnown    = "known_empty" // the cache knows that the model says nothing there
)

// ask has the plugin ask for the last step when its rules allow it.
func (e *Editor) ask(k *key) {
	a, p := &e.asking, &e.sim.config.Plugin
	if e.document.Cursor() == 0 && (e.document.Len() == 0 || p.Prompt.Layout == prompt.PrefixOnly || p.Prompt.Suffix.N == 0) {
		k.held = heldByEmpty
		return
	}
	if k.held = p.Triggers.Refuse(&e.document); k.held != "" {
		return
	}
	if k.class == pipeline.ClassMove {
		if k.held = e.trail.Moved(&p.Triggers.Nearby, &e.document, e.handled); k.held != "" {
			return
		}
	}
	k.ready = e.thread.work()
	throttled := a.asked && e.handled < a.last+p.Throttle
	if throttled && !p.Trailing {
		k.held = heldByThrottle
		return
	}
	k.waits = a.patience.Step(&p.Wait, k.ready, plugin.AfterNothing.Allows(restOfLine(&e.document)))
	at := k.waits
	if throttled {
		at = max(at, a.last+p.Throttle)
	}
	k.opportunity = !e.more || e.comes > at
	a.at(e.sim.config.Loop, at)
}

// askNow asks for the last step, unless there is something in the way.
func (e *Editor) askNow() {
	a, p, k := &e.asking, &e.sim.config.Plugin, e.last
	now := e.sim.config.Loop.Now()
	a.runs = false
	switch {
	case now < a.quiet:
		k.held = heldByLimit
		a.at(e.sim.config.Loop, a.quiet)
		return
	case e.recall(k):
		e.settle()
		return
	case p.Join && e.awaits():
		return
	case p.MostLive > 0 && e.underWay() >= p.MostLive:
		k.held, a.queued = heldByLive, true
		return
	}
	k.held = ""
	a.patience.Asked()
	a.last, a.asked = now, true
	e.send(e.newRequest(k))
	e.settle()
}

// underWay counts the requests that have not ended and were not closed.
func (e *Editor) underWay() (n int) {
	for _, r := range e.live {
		if !r.closed {
			n++
		}
	}
	return n
}

// awaits finds a request under way whose answer may go on at the cursor.
func (e *Editor) awaits() bool {
	for i := len(e.live) - 1; i >= 0; i-- {
		if r := e.live[i]; !r.closed && !r.dropped && !r.warmUp && e.mayContinue(r) {
			e.asking.awaited = r
			return true
		}
	}
	return false
}

// mayContinue reports whether what was typed since a request may be the beginning of its
// answer.
func (e *Editor) mayContinue(r *request) bool {
	switch v, _ := e.document.Judge(&r.asked, r.text); v {
	case document.Exact, document.TypedThrough, document.UsedUp:
		return true
	}
	return false
}

// room asks for the last step if it waited for fewer requests, or for an answer that
// turned out to be another.
func (e *Editor) room(ended *request) {
	a := &e.asking
	switch {
	case a.awaited == ended:
		a.awaited = nil
		if !e.last.landed() {
			e.askNow()
		}
	case a.queued && e.underWay() < e.sim.config.Plugin.MostLive:
		a.queued = false
		e.askNow()
	}
}

// limited keeps quiet for as long as a server asks that refused a request.
func (e *Editor) limited(r *pipeline.Request) {
	if wait := r.Transport.RetryAfter; e.sim.config.Plugin.OnLimit == plugin.LimitWait && wait != pipeline.Unknown && r.Outcome == pipeline.Refused {
		e.asking.quiet = e.sim.config.Loop.Now() + wait
	}
}
