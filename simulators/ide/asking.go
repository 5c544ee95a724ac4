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
	awaited  *request      // the last step waits for the answer of this one, until it is shown
	ahead    bool          // which was asked for before the step, whose own rules have not been asked
	due      func()        // Editor.askNow, bound once
}

// stop gives up what the plugin would have asked.
func (a *asking) stop() {
	a.timer.Stop()
	a.runs, a.queued, a.awaited, a.ahead = false, false, nil, false
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

// mostProbes is how often one text is asked for again that a server refuses: a server that
// never takes it ends no run. Assumed.
const mostProbes = 100

// ask has the plugin ask for the last step when its rules allow it, and reports whether it
// will.
func (e *Editor) ask(k *key) bool {
	a, p := &e.asking, &e.sim.config.Plugin
	if k.held = e.refuse(); k.held != "" {
		return false
	}
	if k.class == pipeline.ClassMove {
		if k.held = e.trail.Moved(&p.Triggers.Nearby, &e.document, e.handled); k.held != "" {
			return false
		}
	}
	throttled := a.asked && e.handled < a.last+p.Throttle
	if throttled && !p.Trailing {
		k.held = heldByThrottle
		return false
	}
	k.waits = e.wait(k)
	at := max(k.waits, e.sim.config.Loop.Now())
	if throttled && a.last+p.Throttle > at {
		at, k.held = a.last+p.Throttle, heldByThrottle
	}
	k.opportunity = !k.landed() && !e.thread.busy() && (!e.more || e.comes > at)
	a.at(e.sim.config.Loop, at)
	return true
}

// wait returns when the plugin asks for a step.
func (e *Editor) wait(k *key) time.Duration {
	w, atEnd := &e.sim.config.Plugin.Wait, plugin.AfterNothing.Allows(e.document.RestOfLine())
	if k.class == pipeline.ClassAccept {
		return e.asking.patience.Accepted(w, atEnd)
	}
	return e.asking.patience.Step(w, atEnd)
}

// refuse returns the rule by which the plugin does not ask about the document as it is, ""
// for none.
func (e *Editor) refuse() string {
	p := &e.sim.config.Plugin
	nothing := e.document.Len() == 0 || p.Prompt.Layout == prompt.PrefixOnly || p.Prompt.Suffix.N == 0
	if !p.Triggers.Empty && e.document.Cursor() == 0 && nothing {
		return heldByEmpty
	}
	return p.Triggers.Refuse(&e.document)
}

// askNow asks for the last step, unless there is something in the way.
func (e *Editor) askNow() {
	a, p, k := &e.asking, &e.sim.config.Plugin, e.last
	now := e.sim.config.Loop.Now()
	a.runs = false
	switch {
	case k.probes > 0 && k.served(): // it was refused, and served by an earlier request since
		e.settle()
		return
	case e.recall(k):
		e.settle()
		return
	case p.Join && e.awaits():
		a.patience.Asked()
		return
	case e.quiet():
		k.held = heldByLimit
		a.at(e.sim.config.Loop, a.quiet)
		return
	case p.MostLive > 0 && e.underWay() >= p.MostLive:
		k.held, a.queued = heldByLive, true
		return
	}
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

// awaits finds a request whose answer may go on at the cursor: one that is held back, or one
// under way.
func (e *Editor) awaits() bool {
	if r := e.screen.held; r != nil {
		e.asking.awaited = r
		return true
	}
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
	case a.awaited == ended && e.screen.held != nil:
		a.awaited = e.screen.held
	case a.awaited == ended:
		e.instead(ended)
	case a.queued && e.underWay() < e.sim.config.Plugin.MostLive:
		a.queued = false
		e.askNow()
	}
}

// instead asks for the last step when the answer that it waits for, which has ended, has not
// served it: by the rules, where they were not asked yet.
func (e *Editor) instead(ended *request) {
	a, k := &e.asking, e.last
	ahead := a.ahead
	a.awaited, a.ahead = nil, false
	switch {
	case k.served() || k.anew && ended.fits():
	case !ahead:
		e.askNow()
	case !e.ask(k):
		a.patience.Asked()
	}
}

// quiet reports whether the server wants no request now.
func (e *Editor) quiet() bool { return e.sim.config.Loop.Now() < e.asking.quiet }

// limited keeps quiet for as long as a server asks that refused a request, and tries again
// then for the last step if that is the one that was refused. Of a request that was closed
// nobody hears.
func (e *Editor) limited(r *request) {
	a, wait, now := &e.asking, r.Record.Transport.RetryAfter, e.sim.config.Loop.Now()
	if e.sim.config.Plugin.OnLimit != plugin.LimitWait || wait == pipeline.Unknown || r.Record.Outcome != pipeline.Refused || r.closed {
		return
	}
	a.quiet = now + wait
	if k := r.key; k == e.last && !k.served() && wait > 0 && k.probes < mostProbes {
		k.probes++
		k.held, k.waits, k.Spans[r.first].End = heldByLimit, now, now
		a.at(e.sim.config.Loop, a.quiet)
	}
}
