package voice

import "halfsecond/pipeline"

// turn is one voice turn under way. What its trace keeps is apart from it, so that
// the turn itself can serve again.
type turn struct {
	pipeline.Interaction
	simulator *Simulator
	drawn     drawn
	said      said
	*left

	call pipeline.Call
	text sentence

	first, gather   pipeline.SpanID
	heard, answered bool
	counts          [2]int
}

// left is what a turn leaves behind, in one piece of memory.
type left struct {
	trace    pipeline.Trace
	spans    [9]pipeline.Span
	marks    [1]pipeline.Mark
	requests [1]pipeline.Request
}

// turn returns a turn that has not begun.
func (s *Simulator) turn(session, index int) *turn {
	t := &turn{}
	if n := len(s.idle); n > 0 {
		t, s.idle = s.idle[n-1], s.idle[:n-1]
	} else {
		t.said.bind(t)
	}
	*t = turn{simulator: s, drawn: s.draw(session, index), said: t.said, left: &left{}, first: pipeline.NoSpan, gather: pipeline.NoSpan}
	t.trace = pipeline.Trace{Kind: pipeline.KindVoice, Session: session, Index: index}
	t.trace.Spans, t.trace.Marks = t.spans[:0], t.marks[:0]
	return t
}

func (t *turn) loop() pipeline.Scheduler { return t.simulator.config.Loop }

// listen lays out everything up to the commit of the turn: the user's last
// sample travels, then the silence and the decision run beside the transcript,
// and the turn is committed when both have ended.
func (t *turn) listen() {
	d := &t.drawn
	uplink := t.trace.Append(pipeline.SpanUplink, d.uplink, true)
	vad := t.trace.Append(pipeline.SpanVADSilence, d.vad, true, uplink)
	decided := t.trace.Append(pipeline.SpanEndOfTurn, d.endOfTurn, true, vad)
	final := t.trace.Append(pipeline.SpanSTTTail, d.stt, true, uplink)
	commit := max(t.trace.Spans[decided].End, t.trace.Spans[final].End)
	t.loop().At(commit, pipeline.RankTimer, func() { t.ask(decided, final) })
}

// ask sends the committed turn to the language model.
func (t *turn) ask(decided, final pipeline.SpanID) {
	c := &t.call
	c.Record = pipeline.NewRequest(t.simulator.config.NextRequest(), t.loop().Now())
	c.Session = t.trace.Session
	c.PromptTokens, c.OutputTokens, c.MaxTokens = t.drawn.prompt, t.drawn.reply, t.drawn.reply
	c.Prompt, c.Answer, c.Blocks = t.said.prompt, t.said.answer, t.said.blocks
	c.Counts, c.Notify, c.Done = t.interest(), t.progress, t.ended
	t.first = t.Begin(pipeline.SpanLLMFirstToken, false, decided, final)
	t.simulator.config.LLM.Start(c)
}

// interest returns the token counts that matter: the first, and the one that
// completes the first sentence.
func (t *turn) interest() []int {
	t.counts = [2]int{1, min(t.drawn.sentence, t.drawn.reply)}
	if t.counts[1] == 1 {
		return t.counts[:1]
	}
	return t.counts[:]
}

// progress hears of a modelled count or of a real piece of text. Reasoning is no
// answer yet: the first token is the first of the answer.
func (t *turn) progress(p pipeline.Progress) {
	if !p.Modelled && p.Text == "" {
		return
	}
	if t.gather == pipeline.NoSpan {
		t.End(t.first)
		t.gather = t.Begin(pipeline.SpanFirstSentence, false, t.first)
	}
	if t.handedOver() {
		return
	}
	if p.Modelled && p.Tokens >= min(t.drawn.sentence, t.drawn.reply) || t.text.add(p.Text) {
		t.speak()
	}
}

func (t *turn) handedOver() bool {
	return t.gather != pipeline.NoSpan && t.trace.Spans[t.gather].End != pipeline.Unknown
}

// speak hands the first sentence to TTS and lays out the rest of the turn.
func (t *turn) speak() {
	d := &t.drawn
	t.End(t.gather)
	audio := t.trace.Append(pipeline.SpanTTSFirstAudio, d.tts, true, t.gather)
	leading := t.trace.Append(pipeline.SpanLeading, d.leading, true, audio)
	play := t.trace.Append(pipeline.SpanPlayout, d.playout, true, leading)
	t.loop().At(t.trace.Spans[play].End, pipeline.RankOutput, func() {
		t.Mark(pipeline.MarkReplyHeard)
		t.heard = true
		t.finish()
	})
}

// ended hears that the model's answer is over. An answer without the end of a
// sentence is spoken as it is; one without text is never heard.
func (t *turn) ended() {
	t.answered = true
	r := &t.call.Record
	modelled := t.call.Record.Simulated
	for _, id := range []pipeline.SpanID{t.first, t.gather} {
		if id != pipeline.NoSpan {
			t.trace.Spans[id].Simulated = modelled
		}
	}
	if r.Outcome == pipeline.OK && t.gather != pipeline.NoSpan && !t.handedOver() {
		t.speak()
	}
	t.finish()
}

// finish hands the trace over once nothing is left to wait for. The turn is idle
// then.
func (t *turn) finish() {
	r := &t.call.Record
	if !t.answered || t.handedOver() && !t.heard {
		return
	}
	t.trace.SplitLoad(t.first, r)
	t.requests[0] = *r
	t.trace.Requests = t.requests[:]
	switch {
	case r.Outcome != pipeline.OK:
		t.Finish(r.Outcome, r.Reason)
	case !t.heard:
		t.Finish(pipeline.Error, "the model answered without text")
	default:
		t.Finish(pipeline.OK, "")
	}
	t.simulator.idle = append(t.simulator.idle, t)
}
