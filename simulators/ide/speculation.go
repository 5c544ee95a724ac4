package ide

import (
	"strings"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/document"
	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/ide/typing"
)

// speculate asks for what follows the suggestion that is shown, as if it were accepted.
func (e *Editor) speculate() {
	s := &e.screen
	if !e.sim.config.Plugin.Speculate || s.owner == nil || s.owner.guessed {
		return
	}
	s.owner.guessed = true
	edit := e.acceptance(s.rest)
	k := e.newStep(pipeline.ClassSpeculation, e.sim.config.Loop.Now())
	k.past, k.opportunity = true, true
	var supposed document.Document
	supposed.Open(string(e.document.Before())+edit.Insert+e.document.After()[edit.Delete:], edit.Cursor)
	truth := ""
	if rest, ok := strings.CutPrefix(e.truth, s.rest); ok {
		truth = rest
	}
	b, _ := e.sim.tools()
	r := e.requestOf(k, b.Build(&supposed), truth)
	r.asked = e.document.Supposing(edit)
	r.speculative = true
	before := e.guess
	e.guess = r
	if before != nil {
		e.hand(before.key)
	}
	e.send(r)
}

// useGuess shows what was asked for as if a suggestion were accepted, when that has come
// true, or waits for it.
func (e *Editor) useGuess(k *key) bool {
	r := e.guess
	if r == nil || r.closed || r.dropped || !e.mayContinue(r) {
		return false
	}
	if rest, ok := r.judge(); ok {
		k.Uses = append(k.Uses, pipeline.Use{Request: r.Record.ID, How: "speculated"})
		e.asking.patience.Asked()
		e.offer(r, rest)
		return true
	}
	if r.ended {
		return false
	}
	e.asking.awaited = r
	return true
}

// accepted takes the suggestion off the screen that is part of the text now, and reports
// whether what follows it was asked for already.
func (e *Editor) accepted(k *key, text string) bool {
	k.saved = len([]rune(text))
	e.screen.remains, e.screen.entry = "", ""
	e.hide(pipeline.MarkAccepted)
	return e.useGuess(k)
}

// focus warms the model up.
func (e *Editor) focus() {
	if !e.sim.config.Plugin.WarmUp || e.document.Len() == 0 && e.document.Opened() == 0 {
		return
	}
	k := e.newStep(pipeline.ClassFocus, e.sim.config.Loop.Now())
	k.past = true
	r := e.requestOf(k, e.prompts.Build(&e.document), "")
	r.asked = *r.sent.Asked()
	r.warmUp = true
	r.OutputTokens, r.MaxTokens = 1, 1
	r.Counts = nil
	e.send(r)
}

// invoke asks by hand.
func (e *Editor) invoke(s *typing.Step, came time.Duration) {
	if at := e.document.Cursor(); s.Text != "" {
		e.edit(document.Edit{Offset: at, Insert: s.Text, Cursor: at + len(s.Text)})
	}
	e.truth = s.Truth
	k := e.newStep(pipeline.ClassInvoke, came)
	k.opportunity, k.past = true, true
	e.send(e.newRequest(k))
}

// giveUp does to the requests under way what the rules say at a step.
func (e *Editor) giveUp(step typing.Kind) {
	for _, r := range append([]*request(nil), e.live...) {
		if r.closed || r.warmUp {
			continue
		}
		switch p := &e.sim.config.Plugin; {
		case r.speculative && (step == typing.Accept || p.SpeculationLives):
		case r.speculative:
			e.close(r, pipeline.ClosedByRule)
		case p.EditorToken:
			e.close(r, pipeline.ClosedByEditor)
		case p.Cancel == plugin.CancelDiscard:
			r.dropped, r.key.givenUp = true, pipeline.Discarded
		case p.Cancel == plugin.CancelWire && !(p.KeepMatching && e.mayContinue(r)):
			e.close(r, pipeline.ClosedByRule)
		}
	}
}

// closeOthers closes the requests beside one whose answer is shown, where the rules say so.
func (e *Editor) closeOthers(shown *request) {
	if p := &e.sim.config.Plugin; p.Rest != plugin.RestClose || p.Cancel != plugin.CancelWire {
		return
	}
	for _, r := range append([]*request(nil), e.live...) {
		if r != shown && !r.closed && !r.warmUp && !r.speculative {
			e.close(r, pipeline.ClosedByServed)
		}
	}
}

// close gives a request up on the wire.
func (e *Editor) close(r *request, by string) {
	r.closed, r.key.givenUp = true, by
	r.Record.Closed = e.sim.config.Loop.Now()
	e.sim.config.LLM.Cancel(&r.Call)
}
