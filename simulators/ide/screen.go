package ide

import (
	"strings"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/document"
	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/ide/typing"
)

// screen is the suggestion that is shown, and what waits to be.
type screen struct {
	rest    string // what is left of it; empty when nothing is shown
	request int64  // where it came from
	owner   *key   // whose trace tells of it
	since   time.Duration
	whole   bool // nothing more will come

	// remains is what would be left by now of a suggestion that a step hid although it went
	// on with it: shown again, it has flickered.
	remains string
	entry   string // left of what is selected in the list of completions; "" when there is none

	held  *request       // may be shown once the hold is over
	hold  pipeline.Timer // runs until then
	holds bool
	over  func() // Editor.holdOver, bound once
}

// waiting reports whether something may still appear by itself.
func (s *screen) waiting() bool { return s.holds }

// drop returns what was held back, and holds it no more; nil for nothing.
func (s *screen) drop() *request {
	r := s.held
	s.held, s.holds = nil, false
	s.hold.Stop()
	return r
}

// Show puts a suggestion on the screen that nobody asked for.
func (e *Editor) Show(text string) {
	k := e.newStep(pipeline.ClassGiven, e.sim.config.Loop.Now())
	k.past = true
	e.appear(k, 0, text, true)
	e.speculate()
}

// hide takes the suggestion away, which a mark of its owner tells.
func (e *Editor) hide(mark string) {
	s := &e.screen
	if s.rest == "" {
		return
	}
	s.rest, s.whole = "", false
	k := s.owner
	s.owner = nil
	if k == nil {
		return
	}
	now := e.sim.config.Loop.Now()
	k.Marks = append(k.Marks, pipeline.Mark{Name: mark, At: now})
	if mark != pipeline.MarkAccepted && now-s.since < e.sim.config.Plugin.Display.LeastVisible {
		k.flashes++
	}
	e.hand(k)
}

// keep does to what is shown what a step calls for, and reports whether the step needs no
// request: what is shown goes on with it.
func (e *Editor) keep(s *typing.Step, k *key, shown, typed string) bool {
	switch s.Kind {
	case typing.Accept:
		return e.accepted(k, shown)
	case typing.Key:
		return e.shrink(k, typed)
	}
	e.screen.remains, e.screen.entry = "", ""
	e.hide(pipeline.MarkHiddenByStep)
	return false
}

// shrink lets a key type into what is shown, and reports whether that is all that the key
// needs. Nothing is shown any more when the rule, the text or too little of it is in the way.
func (e *Editor) shrink(k *key, typed string) bool {
	s := &e.screen
	s.entry = stillSelected(s.entry, typed)
	s.remains = after(s.remains, typed)
	rest := after(s.rest, typed)
	if !document.Visible(rest) || e.sim.config.Plugin.Reuse == plugin.ReuseNone {
		if rest != "" {
			s.remains = rest
		}
		e.hide(pipeline.MarkHiddenByKey)
		return false
	}
	s.rest = rest
	k.source = pipeline.SourceReuse
	k.Uses = append(k.Uses, pipeline.Use{Request: s.request, How: "typed-as-suggested"})
	k.landWith(rest, s.whole, e.sim.config.Loop.Now())
	e.read()
	if k.anew = e.sim.config.Plugin.Reuse == plugin.ShrinkAndAsk; !k.anew {
		e.asking.patience.Asked()
	}
	return !k.anew
}

// after returns what is left of a text when its beginning is typed, "" when something else
// or nothing is.
func after(text, typed string) string {
	rest, ok := strings.CutPrefix(text, typed)
	if !ok || typed == "" {
		return ""
	}
	return rest
}

// show takes the text of a request that can be shown at the cursor. The key that
// asked has landed, and so has the last key, which finds it there. Text of an
// older request does not replace what is shown.
func (e *Editor) show(r *request, rest string) {
	now := e.sim.config.Loop.Now()
	e.serve(r, now)
	if r.whole || document.LineEnd(rest) >= 0 {
		r.land(pipeline.MarkFirstLine, now)
	}
	if r.whole {
		r.land(pipeline.MarkLastCharacter, now)
	}
	switch s := &e.screen; {
	case s.rest != "" && s.request == r.Record.ID:
		s.rest, s.whole = rest, r.whole
		r.tellAnew()
	case s.rest == "" || s.givesWayTo(r) && !strings.HasPrefix(s.rest, rest):
		e.hide(pipeline.MarkReplaced)
		r.tellAnew()
		e.appear(r.key, r.Record.ID, rest, r.whole)
		e.closeOthers(r)
	}
	if s := &e.screen; s.request == r.Record.ID && s.whole {
		e.speculate()
	}
}

// givesWayTo reports whether what is shown gives way to an answer: one that was asked for later,
// or that the cache has for a key which asks although something is shown.
func (s *screen) givesWayTo(r *request) bool {
	return s.request < r.Record.ID || r.cached && r.key.anew
}

// tellAnew has a key which asked although something was shown tell that the cache answered it.
func (r *request) tellAnew() {
	if r.cached && r.key.anew {
		r.key.Uses = append(r.key.Uses, r.use("cached"))
	}
}

// serve lands the key that asked, and the last one.
func (e *Editor) serve(r *request, now time.Duration) {
	if k := r.key; !k.landed() {
		k.source = r.source()
		if r.cached {
			k.Uses = append(k.Uses, r.use("cached"))
		}
	}
	if k := e.last; k != nil && k != r.key && !k.landed() {
		k.source, k.joined = pipeline.SourceJoined, r
		if r.cached || r.speculative {
			k.source = r.source()
		}
		k.Uses = append(k.Uses, r.use("joined"))
	}
	r.land(pipeline.MarkFirstCharacter, now)
}

// appear puts a suggestion on the screen.
func (e *Editor) appear(k *key, request int64, rest string, whole bool) {
	s := &e.screen
	mark := pipeline.MarkShown
	if s.remains != "" && (strings.HasPrefix(s.remains, rest) || strings.HasPrefix(rest, s.remains)) {
		mark = pipeline.MarkShownAgain
	}
	s.rest, s.request, s.owner, s.whole, s.remains, s.since = rest, request, k, whole, "", e.sim.config.Loop.Now()
	k.Marks = append(k.Marks, pipeline.Mark{Name: mark, At: s.since})
	e.read()
}

// offer has what came of an answer shown, now or when the hold is over, and reports whether
// there is anything to show of it yet.
func (e *Editor) offer(r *request, rest string) bool {
	s, d := &e.screen, &e.sim.config.Plugin.Display
	now := e.sim.config.Loop.Now()
	part, ok := e.part(r, rest)
	if !ok {
		if r.begun == pipeline.Unknown {
			r.begun = now
		}
		return false
	}
	r.arrived()
	at := now
	if s.rest == "" || s.request != r.Record.ID {
		at = max(now, e.handled+d.Hold) + d.Render
	}
	switch {
	case at <= now:
		e.buffered(r, now)
		e.show(r, part)
	case s.held == nil || s.held.Record.ID < r.Record.ID:
		before := s.held
		s.held, s.holds, r.key.holding = r, true, true
		if e.last != nil {
			e.last.holding = true
		}
		if before != nil {
			e.replaced(before)
		}
		s.hold.Stop()
		s.hold = e.sim.config.Loop.At(at, pipeline.RankTimer, s.over)
		if r.ready == pipeline.Unknown {
			r.ready = now
		}
	}
	return true
}

// part returns what may be shown of an answer as far as it came, and whether that is anything.
func (e *Editor) part(r *request, rest string) (part string, ok bool) {
	part = e.sim.config.Plugin.Display.Part(rest, r.whole)
	return part, document.Visible(part) && extends(part, e.screen.entry)
}

// replaced is told of what was held back that gives way to what is held now.
func (e *Editor) replaced(before *request) {
	if a := &e.asking; a.awaited == before {
		a.awaited = e.screen.held
	}
	e.hand(before.key)
}

// holdOver shows what was held back, if it is still right.
func (e *Editor) holdOver() {
	s := &e.screen
	r := s.held
	s.held, s.holds = nil, false
	if rest, ok := r.judge(); ok {
		if part, ok := e.part(r, rest); ok {
			e.buffered(r, r.ready)
			e.held(r)
			e.show(r, part)
		}
	}
	e.hand(r.key)
	if e.last != nil && r.ended {
		e.room(r)
	}
	e.settle()
}

// buffered has those that will land with a request's text tell how long that waited for the
// rest of its line, until an instant.
func (e *Editor) buffered(r *request, until time.Duration) {
	if r.begun == pipeline.Unknown || until == pipeline.Unknown {
		return
	}
	r.key.buffered(r.begun, until)
	if k := e.last; k != nil && k != r.key {
		k.buffered(r.begun, until)
	}
	r.begun = pipeline.Unknown
}

// held has those that will land with a request's text tell how long that was held back.
func (e *Editor) held(r *request) {
	now, render := e.sim.config.Loop.Now(), e.sim.config.Plugin.Display.Render
	r.key.heldFor(r.ready, now, render)
	if k := e.last; k != nil && k != r.key {
		k.heldFor(r.ready, now, render)
	}
	r.ready = pipeline.Unknown
}

// holdAgain begins the hold of what waits anew, since something has happened.
func (e *Editor) holdAgain() {
	s := &e.screen
	r := s.drop()
	if r == nil {
		return
	}
	if rest, ok := r.judge(); ok && !r.dropped {
		e.offer(r, rest)
	}
	if s.held != r {
		e.hand(r.key)
	}
}

// popUp opens a list of completions with an entry selected: what does not extend what is left
// to type of that is hidden.
func (e *Editor) popUp(entry string) {
	s := &e.screen
	s.entry = strings.TrimPrefix(entry, wordBefore(&e.document)) // "" when all of it is typed
	if s.rest != "" && !extends(s.rest, s.entry) {
		s.remains = s.rest
		e.hide(pipeline.MarkHiddenByPopup)
	}
}

// extends reports whether a suggestion goes on with the rest of the selected entry.
func extends(suggestion, entry string) bool { return strings.HasPrefix(suggestion, entry) }

// stillSelected returns what is left of the selected entry after a key; the list closes when
// it does not go on with it.
func stillSelected(entry, typed string) string {
	if entry == "" {
		return ""
	}
	return after(entry, typed)
}

// wordBefore returns the word that the cursor stands behind.
func wordBefore(d *document.Document) string {
	before := d.Before()
	start := len(before)
	for start > 0 && typing.ClassOf(rune(before[start-1])) == typing.Word {
		start--
	}
	return string(before[start:])
}
