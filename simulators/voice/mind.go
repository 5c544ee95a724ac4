package voice

import (
	"time"

	"halfsecond/mockllm/token"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// asking is one request to the language model for a turn.
type asking struct {
	turn *turn
	bound
	call    pipeline.Call
	first   pipeline.SpanID // until the first token of the answer; NoSpan before it is asked
	opening pipeline.SpanID // the connection that it waits for; NoSpan for none
	tool    bool            // its answer calls a tool
	wrong   bool            // it was asked too early, with other words
	vain    bool            // at a pause inside the turn
	pause   int             // of that number
	ended   bool
	second  bool          // a tool has worked before
	begun   bool          // the answer, reasoning aside
	begunAt time.Duration // that is, at this instant

	counts []int // of interest
	pieces pieces
	words  token.Passage // its prompt and answer
}

// request returns a request of the turn that has not been sent. Its memory serves again
// with the turn's.
func (t *turn) request(tool bool) *asking {
	var a *asking
	if n := len(t.askings); n < len(t.own.askings) {
		a = t.own.askings[n]
		*a = asking{turn: t, bound: a.bound, counts: a.counts[:0], pieces: a.pieces.fresh(), words: a.words[:0]}
	} else {
		a = &asking{}
		a.bind(t)
		t.own.askings = append(t.own.askings, a)
	}
	a.tool, a.second = tool, t.tool != pipeline.NoSpan
	a.first, a.opening = pipeline.NoSpan, pipeline.NoSpan
	t.askings = append(t.askings, a)
	return a
}

// ask has the model asked once what it waits for has ended, which is now.
func (t *turn) ask(a *asking, causes ...pipeline.SpanID) {
	k := &t.simulator.config.Stack
	if t.drawn.modelConnect == 0 || !k.Model.Socket.due(t.of.asked, t.loop().Now()) {
		t.send(a, causes...)
		return
	}
	a.opening = t.trace.Append(pipeline.SpanLLMConnect, t.drawn.modelConnect, true, causes...)
	t.sendOpened(a, a.opening)
}

// sendOpened sends a request once the connection that it waits for is open.
func (t *turn) sendOpened(a *asking, causes ...pipeline.SpanID) {
	t.later(t.end(a.opening), func() {
		if !a.wrong {
			t.send(a, causes...)
		}
	})
}

// send sends the request.
func (t *turn) send(a *asking, causes ...pipeline.SpanID) {
	a.opening = pipeline.NoSpan
	t.prepare(a)
	t.mind(a)
	a.first = t.Begin(pipeline.SpanLLMFirstToken, false, causes...)
	t.simulator.config.LLM.Start(&a.call)
}

// prepare makes the call of a request that is sent now.
func (t *turn) prepare(a *asking) {
	c := &a.call
	c.Record = pipeline.NewRequest(t.simulator.config.NextRequest(), t.loop().Now())
	c.Session = t.trace.Session
	c.PromptTokens, c.OutputTokens = t.lengths(a)
	c.MaxTokens = c.OutputTokens
	c.Prompt, c.Answer, c.Thought, c.Blocks, c.Notify, c.Done = a.prompt, a.answer, a.thought, a.blocks, a.notify, a.done
	c.Draw = t.drawOf(a)
	t.of.asked = t.loop().Now()
}

// What a request to the model is for, which tells its random numbers from those of the
// turn's others: one for the answer meets the same whether it is asked early or not.
const (
	forAnswer = iota // or for the call of a tool
	forToolResult
	forNothing // asked too early, with other words; those at pauses inside the turn follow
)

// drawOf returns the Draw of a request of the turn.
func (t *turn) drawOf(a *asking) uint64 {
	why := forAnswer
	switch {
	case a.vain:
		why = forNothing + 1 + a.pause
	case a == t.early && !t.right:
		why = forNothing
	case a.second:
		why = forToolResult
	}
	r := dist.Stream(t.simulator.config.Seed, "voice/model", t.trace.Session, t.trace.Index, why)
	return r.Uint64()
}

// mind sets which token counts of an answer matter: its first token, and where its pieces
// end, as far as anything waits for them.
func (t *turn) mind(a *asking) {
	k := &t.simulator.config.Stack
	thought := k.ReasoningTokens
	counts := append(a.counts[:0], min(thought+1, a.call.OutputTokens))
	if !a.tool {
		a.pieces.cutter.Rule = k.Gather
		t.cut(&a.pieces)
		for _, c := range a.pieces.cuts {
			for _, n := range [2]int{thought + c.sign, thought + c.at} {
				if n > counts[len(counts)-1] {
					counts = append(counts, n)
				}
			}
		}
	}
	a.counts, a.call.Counts = counts, counts
}

// progress hears of a modelled count or of a real piece of text. Reasoning is no
// answer yet: the first token is the first of the answer.
func (t *turn) progress(a *asking, p pipeline.Progress) {
	if a.wrong || !p.Modelled && p.Text == "" {
		return
	}
	if !a.begun {
		a.begun, a.begunAt = true, t.loop().Now()
		t.End(a.first)
		if !a.tool {
			t.gather = t.tried(t.Begin(pipeline.SpanGathering, false, a.first))
		}
	}
	if a.tool {
		return
	}
	if t.live != nil {
		t.takeText(p)
	}
	if p.Modelled {
		t.modelled(a, p.Tokens-t.simulator.config.Stack.ReasoningTokens)
	} else {
		t.real(a, p.Text)
	}
}

// tried keeps in mind that a span is of a request that may be wrong.
func (t *turn) tried(id pipeline.SpanID) pipeline.SpanID {
	if !t.settled {
		t.guessed = append(t.guessed, id)
	}
	return id
}

// open reports whether a span has begun and not ended.
func (t *turn) open(id pipeline.SpanID) bool {
	return id != pipeline.NoSpan && t.end(id) == pipeline.Unknown
}

// ended hears that an answer is over. One without the end of a sentence is spoken as it
// is, one without text is never heard, and a call of a tool has the tool work.
func (t *turn) ended(a *asking) {
	a.ended = true
	t.of.asked = max(t.of.asked, t.loop().Now())
	r := &a.call.Record
	if a.first != pipeline.NoSpan {
		t.trace.Spans[a.first].Simulated = r.Simulated
	}
	if thought := t.simulator.config.Stack.ReasoningTokens; r.Simulated && thought > 0 && a.begun {
		r.FirstText, r.FirstSeen = a.begunAt, a.begunAt
	}
	switch {
	case a.wrong:
		t.wasted(a)
		if a.vain {
			t.nextInVain()
		}
	case a.tool:
		if r.Outcome == pipeline.OK && a.begun {
			t.called(a)
			return
		}
	default:
		for _, id := range [2]pipeline.SpanID{t.gather, t.look} {
			if id != pipeline.NoSpan {
				t.trace.Spans[id].Simulated = r.Simulated
			}
		}
		if r.Outcome == pipeline.OK {
			t.over(a)
		}
	}
	t.interrupt()
	t.finish()
}

// called takes an answer that calls a tool, which works once the turn is committed.
func (t *turn) called(a *asking) {
	call := a.first
	if t.loop().Now() > t.end(call) {
		call = t.tried(t.Begin(pipeline.SpanToolCall, a.call.Record.Simulated, a.first))
		t.trace.Spans[call].Start = t.end(a.first)
		t.End(call)
	}
	t.tool = call
	if t.settled {
		t.useTool(call)
		return
	}
	t.earlyCall = a
}

// useTool has the tool work, and asks again after it.
func (t *turn) useTool(causes ...pipeline.SpanID) {
	r := t.chance("tool")
	r.Float64() // whether it is used
	t.tool = t.trace.Append(pipeline.SpanTool, t.simulator.config.Stack.Tool.Takes.Draw(&r), true, causes...)
	t.waits++
	t.loop().At(t.end(t.tool), pipeline.RankTimer, func() {
		t.waits--
		t.ask(t.request(false), t.tool)
	})
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

// committed has the turn answered: by what was asked early if that was right, or else by
// a new request.
func (t *turn) committed() {
	t.settled = true
	if t.simulator.config.Stack.Guess != nil {
		t.fact(pipeline.FactGuess, t.guessWord())
	}
	switch {
	case t.early == nil:
		t.ask(t.request(t.usesTool()), t.ear.commit...)
	case t.right:
		t.goOn()
	default:
		t.giveUp()
	}
	t.fill()
	t.finish()
}
