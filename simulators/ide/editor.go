package ide

import (
	"cmp"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/document"
	"halfsecond/simulators/ide/cache"
	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/ide/prompt"
	"halfsecond/simulators/ide/typing"
)

// Editor is one person at work, with the plugin. Its methods run on the loop.
type Editor struct {
	sim      *Simulator
	user     int
	typing   typing.Source
	document document.Document
	number   int // of the document: the person's own, or below 0 where each is a new one
	prompts  *prompt.Builder
	cache    *cache.Cache // nil for none
	truth    string       // what follows at the cursor

	next  typing.Step    // the step to come
	more  bool           // there is one
	timer pipeline.Timer // until it comes
	comes time.Duration  // when; in the past while an acceptance before it waits for the thread
	came  time.Duration  // when the step before did
	keys  int            // still to be typed after the step to come
	typed int            // so far
	other int            // traces of steps that are no keys, so far

	handled time.Duration // when the last step was
	thread  thread
	last    *key // the step after which nothing else has happened, if it left a trace
	asking  asking
	trail   plugin.Trail
	live    []*request // under way, the oldest first
	screen  screen
	reading pipeline.Timer // until the person takes what is shown
	taken   int            // keys typed when the last suggestion was taken
	guess   *request       // asked as if what is shown, or was, were accepted
	drifts  prompt.Drifts  // of its requests, where that is told

	supposing bool // one is about to be

	act      func() // arrive, bound once
	done     func(*pipeline.Trace)
	finished func() // nil once called
}

// Document returns the text that is edited.
func (e *Editor) Document() *document.Document { return &e.document }

// Shown returns the suggestion that is on the screen, or what is left of it.
func (e *Editor) Shown() string { return e.screen.rest }

// WillAsk reports whether the plugin asks for the last step, or waits for an answer to it, if
// nothing else happens; and whether a step waits to be handled.
func (e *Editor) WillAsk() bool {
	return e.asking.waiting() || e.asking.awaited != nil || e.thread.busy()
}

// pull fetches the step to come, unless all keys are typed.
func (e *Editor) pull() {
	e.more = false
	if e.keys == 0 {
		return
	}
	if e.next, e.more = e.typing.Next(); !e.more {
		return
	}
	if longest := e.sim.config.MaxPause; longest > 0 {
		e.next.Gap = min(e.next.Gap, longest)
	}
	if e.next.Kind == typing.Key {
		e.keys--
	}
	loop := e.sim.config.Loop
	e.comes = e.came + e.next.Gap
	e.timer = loop.At(max(loop.Now(), e.comes), pipeline.RankInput, e.act)
}

// arrive takes the step to come, and handles it unless the editor's thread is at work. What
// follows an acceptance depends on what is accepted.
func (e *Editor) arrive() {
	s := e.next
	e.came = e.comes
	if e.more = false; s.Kind != typing.Accept {
		e.pull()
	}
	if !e.thread.holds(&s, e.came) {
		e.handle(&s, e.came)
	}
}

// handle does a step that came at an instant.
func (e *Editor) handle(s *typing.Step, came time.Duration) {
	switch {
	case s.Kind == typing.Focus:
		e.focus()
	case s.Kind == typing.Popup:
		e.popUp(s.Text)
	case s.Kind == typing.Invoke:
		e.invoke(s, came)
	case s.Kind == typing.Accept && e.screen.rest == "":
		e.pull()
	default:
		e.step(s, came)
	}
	e.settle()
}

// step does a step that changes the document or moves the cursor.
func (e *Editor) step(s *typing.Step, came time.Duration) {
	shown := e.screen.rest
	before := e.goOn()
	typed := e.change(s)
	e.follow(s.Kind)
	e.giveUp(s.Kind)
	k := e.press(s, came)
	kept := e.keep(s, k, shown, typed)
	if k == nil || kept || !e.ask(k) {
		e.asking.patience.Asked()
	}
	e.holdAgain()
	e.hand(before)
	if k != nil && s.Kind != typing.Key {
		e.hand(k)
	}
}

// goOn ends what the editor waits for at the step before, which it returns, nil for none.
func (e *Editor) goOn() (before *key) {
	before = e.last
	e.asking.stop()
	e.reading.Stop()
	e.handled, e.last = e.sim.config.Loop.Now(), nil
	if before != nil {
		before.past = true
	}
	return before
}

// change does what the step does to the document, and returns the text that it types.
func (e *Editor) change(s *typing.Step) (typed string) {
	if s.Kind == typing.Accept {
		e.accept()
		return ""
	}
	typed, _ = s.Edit.Typed(e.document.Cursor())
	s.Do(&e.document)
	if s.Kind == typing.Open {
		e.number = cmp.Or(s.Document, -e.document.Opened())
	}
	e.watch(s)
	e.truth = s.Truth
	return typed
}

// accept puts what is shown into the document, and has the typing go on behind it.
func (e *Editor) accept() {
	edit := e.acceptance(e.screen.rest)
	removed := e.document.After()[:edit.Delete]
	e.edit(edit)
	if a, ok := e.typing.(typing.Accepter); ok {
		e.truth = a.Accepted(edit, removed)
	} else {
		e.truth = after(e.truth, e.screen.rest)
	}
	e.pull()
}

// follow tells the rule about moves of a step that was done.
func (e *Editor) follow(step typing.Kind) {
	switch step {
	case typing.Open:
		e.trail.Opened()
	case typing.Key, typing.Change, typing.Accept:
		e.trail.Changed(&e.sim.config.Plugin.Triggers.Nearby, &e.document, e.handled)
	}
}

// acceptance returns the edit that puts a suggestion into the document.
func (e *Editor) acceptance(suggestion string) document.Edit {
	edit := e.document.Suggestion(suggestion)
	if e.sim.config.Plugin.Display.Accept == plugin.AcceptReplace {
		edit.Delete = len(e.document.RestOfLine())
	}
	return edit
}

// press begins the trace of a step, and the plugin's work at it; nil for one that leaves
// none.
func (e *Editor) press(s *typing.Step, came time.Duration) *key {
	t := &e.sim.config.Plugin.Triggers
	switch {
	case s.Kind == typing.Key:
		e.last = e.newKey(s.Class.String(), came)
		if e.sim.config.Typed {
			e.last.typed = typedBy(&s.Edit)
		}
	case s.Kind == typing.Accept:
		e.last = e.newStep(pipeline.ClassAccept, came)
	case s.Kind == typing.Move && t.Moves && s.Selected == 0:
		e.last = e.newStep(pipeline.ClassMove, came)
	case s.Kind == typing.Change && t.Changes:
		e.last = e.newStep(pipeline.ClassChange, came)
	default:
		return nil
	}
	e.last.ready = e.thread.work()
	e.asking.patience.Stepped(e.last.ready)
	return e.last
}

// settle ends the session when there is nothing left to happen.
func (e *Editor) settle() {
	if e.more || e.asking.waiting() || len(e.live) > 0 || e.thread.busy() || e.screen.waiting() || e.supposing || e.finished == nil {
		return
	}
	e.Stop()
	finished := e.finished
	e.finished = nil
	finished()
}

// Stop hands over the traces that are not complete, as they are. Nothing is handed over
// after it.
func (e *Editor) Stop() {
	if e.last != nil {
		e.last.past = true
	}
	open := []*key{e.last, e.screen.owner}
	e.screen.owner = nil
	if r := e.screen.drop(); r != nil {
		open = append(open, r.key)
	}
	if r := e.guess; r != nil {
		e.guess = nil
		open = append(open, r.key)
	}
	for _, k := range open {
		e.hand(k)
	}
	for _, r := range e.live {
		e.cutOff(r)
	}
}
