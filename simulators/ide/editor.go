package ide

import (
	"strings"

	"halfsecond/pipeline"
	"halfsecond/pipeline/document"
	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/ide/prompt"
	"halfsecond/simulators/ide/typing"
)

// editor is one person at work, with the plugin.
type editor struct {
	sim      *Simulator
	user     int
	typing   typing.Source
	document document.Document
	window   prompt.Window
	truth    string // what follows at the cursor

	next  typing.Step // the step to come
	more  bool        // there is one
	keys  int         // still to be typed after the step to come
	typed int         // so far

	last    *key           // the key after which nothing else has happened
	timer   pipeline.Timer // of the debounce
	waiting bool           // it runs
	newest  *request       // the request that the next step may give up
	live    int            // requests under way
	ghost   ghost

	act, ask func() // step and send, bound once
	done     func(*pipeline.Trace)
	finished func() // nil once called
}

// ghost is the suggestion that is shown.
type ghost struct {
	rest    string // what is left of it; empty when nothing is shown
	request int64  // where it came from
	whole   bool   // nothing more will come
}

// pull fetches the step to come, unless all keys are typed.
func (e *editor) pull() {
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
	e.sim.config.Loop.After(e.next.Gap, pipeline.RankInput, e.act)
}

// step does the step to come.
func (e *editor) step() {
	s, before := e.next, e.last
	e.timer.Stop()
	e.waiting, e.last = false, nil
	if before != nil {
		before.past = true
	}
	e.giveUp()
	typed, _ := s.Edit.Typed(e.document.Cursor())
	s.Do(&e.document)
	e.pull()
	if s.Kind == typing.Key {
		e.press(&s, typed)
	} else {
		e.ghost = ghost{}
	}
	e.hand(before)
	e.settle()
}

// giveUp does to the request under way what the plugin's rule says.
func (e *editor) giveUp() {
	r := e.newest
	if r == nil || e.sim.config.Plugin.Cancel == plugin.CancelNone {
		return
	}
	e.newest = nil
	if e.sim.config.Plugin.Cancel == plugin.CancelDiscard {
		r.dropped = true
		return
	}
	r.closed = true
	e.sim.config.LLM.Cancel(&r.Call)
}

// press begins the trace of a key that typed something, and lets the plugin act.
func (e *editor) press(s *typing.Step, typed string) {
	now, debounce := e.sim.config.Loop.Now(), e.sim.config.Plugin.Debounce
	k := &key{verdict: document.NoVerdict, source: sourceNone, class: s.Class}
	k.Trace = pipeline.Trace{
		Kind: pipeline.KindIDE, Session: e.user, Index: e.typed, Due: now, End: now,
		Spans: k.spans[:0], Marks: k.marks[:0],
	}
	if e.sim.config.Late != nil {
		k.Late = e.sim.config.Late()
	}
	e.typed++
	e.last, e.truth = k, s.Truth
	if !e.shrink(k, typed) && e.asks() {
		k.opportunity = !e.more || e.next.Gap > debounce
		e.waiting = true
		e.timer = e.sim.config.Loop.After(debounce, pipeline.RankTimer, e.ask)
	}
}

// asks reports whether there is anything to ask about.
func (e *editor) asks() bool {
	return e.document.Cursor() > 0 || e.document.Len() > 0 && e.sim.config.Plugin.SuffixTokens > 0
}

// shrink lets a key type into what is shown. It reports false, and nothing is
// shown any more, when the rule, the text or too little of it is in the way.
func (e *editor) shrink(k *key, typed string) bool {
	rest, ok := strings.CutPrefix(e.ghost.rest, typed)
	if !ok || typed == "" || !document.Visible(rest) || e.sim.config.Plugin.Reuse != plugin.TypedAsSuggested {
		e.ghost = ghost{}
		return false
	}
	e.ghost.rest = rest
	k.source = sourceReuse
	k.Uses = append(k.Uses, pipeline.Use{Request: e.ghost.request, How: "typed-as-suggested"})
	k.land(pipeline.MarkFirstCharacter, k.Due)
	if e.ghost.whole || document.LineEnd(rest) >= 0 {
		k.land(pipeline.MarkFirstLine, k.Due)
	}
	return true
}

// send asks for the last key.
func (e *editor) send() {
	e.waiting = false
	k, now := e.last, e.sim.config.Loop.Now()
	r := e.newRequest(k)
	wait := k.Add(pipeline.Span{Name: pipeline.SpanDebounce, Start: k.Due, End: now, Simulated: true})
	r.first = k.Add(pipeline.Span{Name: pipeline.SpanLLMFirstToken, Start: now, End: pipeline.Unknown}, wait)
	k.request, e.newest = r, r
	e.live++
	e.sim.config.LLM.Start(&r.Call)
}

// show takes the text of a request that can be shown at the cursor. The key that
// asked has landed, and so has the last key, which finds it there. Text of an
// older request does not replace what is shown.
func (e *editor) show(r *request, rest string) {
	if k := r.key; !k.landed() {
		k.source = sourceNetwork
	}
	if k := e.last; k != nil && k != r.key && !k.landed() {
		k.source, k.joined = sourceNetwork, r
		k.Uses = append(k.Uses, pipeline.Use{Request: r.Record.ID, How: "joined"})
	}
	r.land(pipeline.MarkFirstCharacter, e.sim.config.Loop.Now())
	if e.ghost.request <= r.Record.ID {
		e.ghost = ghost{rest: rest, request: r.Record.ID}
	}
}

// ended takes a request out.
func (e *editor) ended(r *request) {
	e.live--
	if e.newest == r {
		e.newest = nil
	}
	if e.ghost.request == r.Record.ID && r.Record.Outcome == pipeline.OK {
		e.ghost.whole = true
	}
	r.key.take(&r.Record)
	e.hand(r.key)
	e.settle()
}

// hand gives the trace of a key away once nothing can concern it any more.
func (e *editor) hand(k *key) {
	if k != nil && k.settled() {
		e.done(k.finish())
	}
}

// settle ends the session when there is nothing left to happen.
func (e *editor) settle() {
	if e.more || e.waiting || e.live > 0 || e.finished == nil {
		return
	}
	if e.last != nil {
		e.last.past = true
		e.hand(e.last)
	}
	finished := e.finished
	e.finished = nil
	finished()
}
