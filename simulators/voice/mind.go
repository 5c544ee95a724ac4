package voice

import (
	"strconv"
	"time"

	"halfsecond/pipeline"
	"halfsecond/simulators/voice/gather"
)

// asking is one request to the language model for a turn.
type asking struct {
	turn *turn
	bound
	call  pipeline.Call
	first pipeline.SpanID // until the first token of the answer; NoSpan before it is asked
	text  gather.Gatherer
	tool  bool // its answer calls a tool
	wrong bool // it was asked too early, with other words
	ended bool
	begun bool // the answer, reasoning aside

	counts        []int // of interest: the first token of the answer, its first piece, what the voice waits for
	piece, enough int   // the latter two
	said          int   // characters of the answer so far; of real text
	sentences     sentences
}

// request returns a request of the turn that has not been sent; the first one's memory
// serves again with the turn's.
func (t *turn) request(tool bool) *asking {
	a := t.own
	switch {
	case len(t.askings) > 0:
		a = &asking{}
		a.bind(t)
	case a == nil:
		a = &asking{}
		a.bind(t)
		t.own = a
	default:
		*a = asking{turn: t, bound: a.bound, counts: a.counts[:0], sentences: sentences{ends: a.sentences.ends[:0]}}
	}
	a.tool, a.first = tool, pipeline.NoSpan
	t.askings = append(t.askings, a)
	return a
}

// ask has the model asked once what it waits for has ended, which is now.
func (t *turn) ask(a *asking, causes ...pipeline.SpanID) {
	k := &t.simulator.config.Stack
	if !k.Model.Socket.due(t.of.asked, t.loop().Now()) || t.drawn.modelConnect == 0 {
		t.send(a, causes...)
		return
	}
	open := t.trace.Append(pipeline.SpanLLMConnect, t.drawn.modelConnect, true, causes...)
	t.loop().At(t.end(open), pipeline.RankTimer, func() {
		if !a.wrong {
			t.send(a, open)
		}
	})
}

// send sends the request.
func (t *turn) send(a *asking, causes ...pipeline.SpanID) {
	c := &a.call
	c.Record = pipeline.NewRequest(t.simulator.config.NextRequest(), t.loop().Now())
	c.Session = t.trace.Session
	c.PromptTokens, c.OutputTokens = t.prompts(a)
	c.MaxTokens = c.OutputTokens
	c.Prompt, c.Answer, c.Blocks, c.Notify, c.Done = a.prompt, a.answer, a.blocks, a.notify, a.done
	t.mind(a)
	a.first = t.Begin(pipeline.SpanLLMFirstToken, false, causes...)
	t.of.asked = t.loop().Now()
	t.simulator.config.LLM.Start(c)
}

// prompts returns how long a request's prompt and answer are.
func (t *turn) prompts(a *asking) (prompt, output int) {
	k := &t.simulator.config.Stack
	prompt, output = t.drawn.prompt, k.ReasoningTokens+t.drawn.reply
	if k.Context.Grows {
		prompt += t.of.history
	}
	switch {
	case a.tool:
		r := t.chance("tool/tokens")
		output = k.ReasoningTokens + k.Tool.Tokens.Draw(&r)
	case t.tool != pipeline.NoSpan:
		r := t.chance("tool/result")
		prompt += k.Tool.Result.Draw(&r)
	}
	return prompt, output
}

// mind sets which token counts of an answer matter.
func (t *turn) mind(a *asking) {
	k := &t.simulator.config.Stack
	thought := k.ReasoningTokens
	a.piece = thought + t.pieceTokens()
	a.enough = max(a.piece, thought+t.heldTokens())
	counts := a.counts[:0]
	for _, n := range [3]int{thought + 1, a.piece, a.enough} {
		if n = min(n, a.call.OutputTokens); len(counts) == 0 || n > counts[len(counts)-1] {
			counts = append(counts, n)
		}
	}
	if k.follows() && !a.tool {
		counts = t.sentenceCounts(counts, a.call.OutputTokens)
	}
	a.counts, a.call.Counts = counts, counts
}

// pieceTokens returns how many tokens of the answer are handed to the voice first.
func (t *turn) pieceTokens() int {
	rule := t.simulator.config.Stack.Gather
	n := t.drawn.sentence
	switch rule.By {
	case gather.Token:
		return 1
	case gather.Characters:
		return t.tokensOf(rule.Characters)
	case gather.Clause:
		n = min(n, t.drawn.clause)
	}
	if rule.LookAhead {
		n++
	}
	return min(n, t.drawn.reply)
}

// heldTokens returns how many tokens of the answer there must be for the voice to begin.
func (t *turn) heldTokens() int {
	if holds := t.simulator.config.Stack.TTS.Holds; holds > 0 {
		return t.tokensOf(holds)
	}
	return 0
}

// progress hears of a modelled count or of a real piece of text. Reasoning is no
// answer yet: the first token is the first of the answer.
func (t *turn) progress(a *asking, p pipeline.Progress) {
	if a.wrong || !p.Modelled && p.Text == "" {
		return
	}
	if !a.begun {
		a.begun = true
		t.End(a.first)
		if !a.tool {
			t.gather = t.Begin(pipeline.SpanGathering, false, a.first)
		}
	}
	if a.tool {
		return
	}
	a.said += len(p.Text)
	if t.live != nil {
		t.pieces(a, p)
	}
	if t.simulator.config.Stack.follows() {
		a.sentences.note(p, t.loop().Now(), t.simulator.config.Stack.ReasoningTokens)
	}
	if t.open(t.gather) && t.gathered(a, p) {
		t.End(t.gather)
		t.hand(a)
	}
	if t.held != pipeline.NoSpan && t.open(t.held) && t.enough(a, p) {
		t.End(t.held)
		t.speak(t.held)
	}
}

// open reports whether a span has begun and not ended.
func (t *turn) open(id pipeline.SpanID) bool {
	return id != pipeline.NoSpan && t.end(id) == pipeline.Unknown
}

func (t *turn) gathered(a *asking, p pipeline.Progress) bool {
	if p.Modelled {
		return p.Tokens >= min(a.piece, a.call.OutputTokens)
	}
	return a.text.Add(t.simulator.config.Stack.Gather, p.Text)
}

func (t *turn) enough(a *asking, p pipeline.Progress) bool {
	if p.Modelled {
		return p.Tokens >= min(a.enough, a.call.OutputTokens)
	}
	return a.said >= t.simulator.config.Stack.TTS.Holds
}

// hand gives the first piece to the voice, which may wait for more of it.
func (t *turn) hand(a *asking) {
	switch {
	case a.ended, t.simulator.config.Stack.TTS.Holds == 0, a.call.OutputTokens <= a.piece:
		t.speak(t.gather)
	case a.said > 0 && a.said >= t.simulator.config.Stack.TTS.Holds, a.said == 0 && a.enough == a.piece:
		t.speak(t.gather)
	default:
		t.held = t.Begin(pipeline.SpanTTSHeld, true, t.gather)
	}
}

// ended hears that an answer is over. One without the end of a sentence is spoken as it
// is, one without text is never heard, and a call of a tool has the tool work.
func (t *turn) ended(a *asking) {
	a.ended = true
	a.sentences.end(t.loop().Now())
	r := &a.call.Record
	t.trace.Spans[a.first].Simulated = r.Simulated
	if thought := t.simulator.config.Stack.ReasoningTokens; r.Simulated && thought > 0 && a.begun {
		r.FirstText, r.FirstSeen = t.end(a.first), t.end(a.first)
	}
	if t.gather != pipeline.NoSpan && !a.tool && !a.wrong {
		t.trace.Spans[t.gather].Simulated = r.Simulated
	}
	switch {
	case a.wrong:
		t.wasted(r)
	case r.Outcome != pipeline.OK:
	case a.tool && a.begun:
		t.useTool(a)
		return
	case t.open(t.gather):
		t.End(t.gather)
		t.speak(t.gather)
	case t.open(t.held):
		t.End(t.held)
		t.speak(t.held)
	}
	if t.live != nil && !a.wrong && r.Outcome == pipeline.OK {
		t.rest(a)
	}
	t.finish()
}

// useTool lays out the rest of the call and the tool's work, and asks again after it.
func (t *turn) useTool(a *asking) {
	r := t.chance("tool")
	r.Float64() // whether it is used
	call := t.Begin(pipeline.SpanToolCall, a.call.Record.Simulated, a.first)
	t.trace.Spans[call].Start = t.end(a.first)
	t.End(call)
	t.tool = t.trace.Append(pipeline.SpanTool, t.simulator.config.Stack.Tool.Takes.Draw(&r), true, call)
	t.loop().At(t.end(t.tool), pipeline.RankTimer, func() { t.ask(t.request(false), t.tool) })
}

// usesTool reports whether the turn needs a tool.
func (t *turn) usesTool() bool {
	k := t.simulator.config.Stack.Tool
	if k == nil {
		return false
	}
	r := t.chance("tool")
	return luck(&r, k.Share)
}

// guess asks the model before the turn is committed, where that is to be.
func (t *turn) guess() {
	k := t.simulator.config.Stack.Guess
	if k == nil {
		return
	}
	from, at := t.guessFrom(k.From)
	if at >= t.ear.at {
		return
	}
	r := t.chance("guess")
	t.right = luck(&r, k.Right)
	t.early = t.request(t.usesTool())
	t.loop().At(at, pipeline.RankTimer, func() { t.ask(t.early, from...) })
}

// guessFrom returns what an early request waits for, and until when.
func (t *turn) guessFrom(from GuessFrom) (causes []pipeline.SpanID, at time.Duration) {
	switch from {
	case OnFinal:
		causes = []pipeline.SpanID{t.ear.final}
	case OnStop:
		causes = []pipeline.SpanID{t.ear.stopped, t.interim()}
	case OnEarly:
		if t.ear.early == pipeline.Unknown {
			return nil, t.ear.at
		}
		wait := t.ear.early - t.end(t.ear.arrived)
		causes = []pipeline.SpanID{t.trace.Append(pipeline.SpanEarlyEnd, wait, true, t.ear.arrived), t.interim()}
	}
	for _, id := range causes {
		at = max(at, t.end(id))
	}
	return causes, at
}

// interim lays out how the words become known that are not final yet.
func (t *turn) interim() pipeline.SpanID {
	return t.stage(pipeline.SpanSTTInterim, t.drawn.interim, t.ear.arrived)
}

// committed has the turn answered: by what was asked early if that was right, or else by
// a new request.
func (t *turn) committed() {
	if k := t.simulator.config.Stack.Guess; k != nil {
		t.fact(pipeline.FactGuess, t.guessWord())
	}
	t.fill()
	if t.early == nil {
		t.ask(t.request(t.usesTool()), t.ear.commit...)
		return
	}
	if t.right {
		return
	}
	t.early.wrong = true
	t.abandon(t.early)
	t.gather, t.held = pipeline.NoSpan, pipeline.NoSpan
	t.ask(t.request(t.usesTool()), t.ear.commit...)
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

// abandon gives a request up, if it was sent and has not ended.
func (t *turn) abandon(a *asking) {
	if a.first == pipeline.NoSpan {
		a.ended = true // it waits for a connection and is not sent any more
		return
	}
	if a.ended {
		t.wasted(&a.call.Record)
		return
	}
	t.simulator.config.LLM.Cancel(&a.call)
}

// wasted counts the tokens of a request that was made for nothing.
func (t *turn) wasted(r *pipeline.Request) {
	t.fact(pipeline.FactWasted, strconv.Itoa(max(0, r.PromptTokens)+max(0, r.OutputTokens)))
}
