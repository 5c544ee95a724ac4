package voice

import "halfsecond/pipeline"

// guess has the model asked before the turn is committed, where what that waits for ends
// before.
func (t *turn) guess() {
	k := t.simulator.config.Stack.Guess
	if k == nil {
		return
	}
	from := t.guessFrom(k.From)
	if from == nil {
		return
	}
	at := t.latest(from)
	if t.simulator.config.Services.STT != nil {
		at = max(at, t.loop().Now())
	}
	if t.joined() && at >= t.ear.at {
		return
	}
	t.later(at, func() { t.tryEarly(from) })
}

// joined reports whether it is known when the turn is committed.
func (t *turn) joined() bool {
	if t.simulator.config.Services.STT != nil {
		return t.live.joined
	}
	return !t.ear.waits
}

// tryEarly asks the model now, unless the turn is committed meanwhile, as nobody knows
// before of services.
func (t *turn) tryEarly(from []pipeline.SpanID) {
	if t.joined() && t.loop().Now() >= t.ear.at || t.live != nil && t.live.outcome != pipeline.OK {
		return
	}
	r := t.chance("guess")
	t.right = luck(&r, t.simulator.config.Stack.Guess.Right)
	t.early = t.request(t.usesTool())
	t.ask(t.early, from...)
}

// guessFrom returns what an early request waits for; nil where it never comes.
func (t *turn) guessFrom(from GuessFrom) []pipeline.SpanID {
	switch {
	case from == OnFinal:
		return []pipeline.SpanID{t.ear.final}
	case from == OnStop:
		return []pipeline.SpanID{t.ear.stopped, t.interim()}
	case t.ear.early == pipeline.Unknown:
		return nil
	}
	return []pipeline.SpanID{t.trace.Append(pipeline.SpanEarlyEnd, t.ear.early, true, t.ear.arrived), t.interim()}
}

// interim lays out how the words become known that are not final yet.
func (t *turn) interim() pipeline.SpanID {
	return t.stage(pipeline.SpanSTTInterim, t.drawn.interim, t.ear.arrived)
}

func (t *turn) guessWord() string {
	switch {
	case t.early == nil:
		return "none"
	case t.right:
		return "right"
	}
	return "wrong"
}

// goOn goes on with what was asked early, as the turn is committed.
func (t *turn) goOn() {
	switch {
	case t.earlyCall != nil:
		t.useTool(append(t.ear.commit, t.tool)...)
	case t.earlyText != pipeline.NoSpan:
		t.speak(t.earlyText)
	case t.earlyAudio != pipeline.NoSpan:
		t.play(t.earlyAudio, t.drawn.leading, true)
	}
}

// giveUp gives up what was asked early, and asks anew. A connection that is still being
// opened serves the new request.
func (t *turn) giveUp() {
	early := t.early
	early.wrong = true
	if t.seat != nil {
		t.seat.leave()
		t.seat = nil
	}
	t.gather, t.look, t.held, t.tool = pipeline.NoSpan, pipeline.NoSpan, pipeline.NoSpan, pipeline.NoSpan
	t.earlyText, t.earlyAudio, t.handed, t.spoken = pipeline.NoSpan, pipeline.NoSpan, false, false
	t.of.spoke = min(t.of.spoke, t.loop().Now())
	if t.live != nil {
		t.live.drop()
	}
	switch {
	case early.first == pipeline.NoSpan:
		early.ended = true // it is not sent any more, and costs nothing
		t.lost = max(0, t.lost)
	case early.ended:
		t.failed(early)
		t.wasted(early)
	default:
		t.failed(early)
		t.simulator.config.LLM.Cancel(&early.call)
	}
	again := t.request(t.usesTool())
	if early.opening == pipeline.NoSpan {
		t.ask(again, t.ear.commit...)
		return
	}
	again.opening = early.opening
	t.sendOpened(again, append(t.ear.commit, again.opening)...)
}

// failed has the trace tell of a wrong request until it was given up.
func (t *turn) failed(a *asking) {
	s := &t.trace.Spans[a.first]
	s.Name, s.End = pipeline.SpanWrongGuess, t.loop().Now()
}

// wasted counts the tokens of a request that was made for nothing. Servers do not count those
// of one that is given up: its prompt is then as long as we made it.
func (t *turn) wasted(a *asking) {
	r := &a.call.Record
	r.Estimate(a.call.PromptTokens)
	prompt, output, _, ok := r.Tokens()
	if !ok {
		t.uncounted = true
		return
	}
	t.lost = max(0, t.lost) + prompt + output
}
