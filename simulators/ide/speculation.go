package ide

import (
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/document"
	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/ide/typing"
)

// speculate has what follows the suggestion that is shown asked for, as if it were accepted,
// after whatever is typed at this instant.
func (e *Editor) speculate() {
	if e.sim.config.Plugin.Speculate && !e.supposing && e.mayGuess() {
		e.supposing = true
		e.sim.config.Loop.After(0, pipeline.RankTimer, e.suppose)
	}
}

// mayGuess reports whether all of a suggestion is shown, and what follows it was not asked
// for.
func (e *Editor) mayGuess() bool {
	s := &e.screen
	return s.rest != "" && s.whole && s.owner != nil && !s.owner.guessed
}

// suppose asks for what follows the suggestion that is shown, if it still is.
func (e *Editor) suppose() {
	e.supposing = false
	if e.mayGuess() && !e.quiet() {
		e.guessNext()
	}
	e.settle()
}

// guessNext asks for what follows the suggestion that is shown, wherever that came from, unless the
// cache knows it. So llama.vim has it, whose s:fim_try_hint asks ahead behind a hint from its cache
// (ggml-org/llama.vim autoload/llama.vim), and llama.vscode, whose cacheFutureSuggestion looks into
// its cache first (ggml-org/llama.vscode src/completion.ts); both read 2026-11-30.
func (e *Editor) guessNext() {
	s := &e.screen
	s.owner.guessed = true
	edit := e.acceptance(s.rest)
	asked := e.document.Supposing(edit)
	if _, known := e.find(&asked); known {
		return
	}
	k := e.newStep(pipeline.ClassSpeculation, e.sim.config.Loop.Now())
	k.past, k.opportunity = true, true
	r := e.requestOf(k, e.prompts.Suppose(&e.document, edit), after(e.truth, s.rest))
	r.asked = asked
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
	if rest, ok := r.judge(); ok && e.offer(r, rest) {
		k.Uses = append(k.Uses, pipeline.Use{Request: r.Record.ID, How: "speculated"})
		e.asking.patience.Asked()
		return true
	}
	if r.ended {
		return false
	}
	e.asking.awaited, e.asking.ahead = r, true
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
	if !e.sim.config.Plugin.WarmUp || e.quiet() || e.document.Len() == 0 && e.document.Opened() == 0 {
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

// invoke asks by hand. Text that it types is typed into what is shown.
func (e *Editor) invoke(s *typing.Step, came time.Duration) {
	k := e.newStep(pipeline.ClassInvoke, came)
	k.opportunity, k.past = true, s.Text == ""
	if s.Text != "" {
		e.insert(s.Text, k)
	}
	e.truth = s.Truth
	e.send(e.newRequest(k))
}

// insert types a text at the cursor, by which a step becomes the last one.
func (e *Editor) insert(text string, k *key) {
	before, at := e.goOn(), e.document.Cursor()
	e.edit(document.Edit{Offset: at, Insert: text, Cursor: at + len(text)})
	e.last = k
	e.shrink(k, text)
	e.holdAgain()
	e.hand(before)
}

// giveUp does to the requests under way what the rules say at a step.
func (e *Editor) giveUp(step typing.Kind) {
	for _, r := range append([]*request(nil), e.live...) {
		if r.closed || r.warmUp {
			continue
		}
		switch p := &e.sim.config.Plugin; {
		case r.speculative && (step == typing.Accept || p.SpeculationLives):
		case p.EditorToken:
			e.close(r, pipeline.ClosedByEditor)
		case p.Cancel == plugin.CancelDiscard:
			r.dropped, r.key.givenUp = true, pipeline.Discarded
		case p.Cancel == plugin.CancelWire && !(p.KeepMatching && (e.mayContinue(r) || e.mayComeTrue(r))):
			e.close(r, pipeline.ClosedByRule)
		}
	}
}

// mayComeTrue reports whether typing may still lead to what a request supposes.
func (e *Editor) mayComeTrue(r *request) bool {
	v, _ := e.document.Judge(&r.asked, r.text)
	return r.speculative && v == document.Undone
}

// closeOthers closes the requests beside one whose answer is shown, where the rules say so, once
// every answer is there that comes at this instant.
func (e *Editor) closeOthers(shown *request) {
	if p := &e.sim.config.Plugin; p.Rest != plugin.RestClose || p.Cancel != plugin.CancelWire {
		return
	}
	e.sim.config.Loop.After(0, pipeline.RankInput, func() {
		for _, r := range append([]*request(nil), e.live...) {
			if r != shown && !r.closed && !r.warmUp && !r.speculative {
				e.close(r, pipeline.ClosedByServed)
			}
		}
	})
}

// close gives a request up on the wire.
func (e *Editor) close(r *request, by string) {
	r.closed, r.key.givenUp = true, by
	r.Record.Closed = e.sim.config.Loop.Now()
	e.sim.config.LLM.Cancel(&r.Call)
}
