package voice

import (
	"time"

	"halfsecond/pipeline"
)

// turn is one voice turn under way. What its trace keeps is apart from it, so that
// the turn itself can serve again.
type turn struct {
	pipeline.Interaction
	simulator *Simulator
	drawn     drawn
	of        *call
	*left

	live    *live // nil where all is modelled
	ear     heard
	askings []*asking // in the order of their asking
	own     *asking   // the memory of the first one
	early   *asking   // the one before the commit; nil for none
	right   bool      // it was

	gather, held, tool, filler pipeline.SpanID
	spoken                     bool          // laid out to the ear
	replied                    bool          // the reply is heard
	waits                      int           // what else the end of the turn waits for
	audio, heardAt             time.Duration // first audible sample: at the agent, and at the ear
}

// left is what a turn leaves behind, in one piece of memory.
type left struct {
	trace    pipeline.Trace
	spans    [12]pipeline.Span
	marks    [1]pipeline.Mark
	requests [1]pipeline.Request
}

// turn returns a turn that has not begun.
func (s *Simulator) turn(session, index int) *turn {
	t := &turn{}
	if n := len(s.idle); n > 0 {
		t, s.idle = s.idle[n-1], s.idle[:n-1]
	}
	*t = turn{
		simulator: s, drawn: s.draw(session, index), of: s.call(session, index), left: &left{}, ear: heard{commit: t.ear.commit[:0]}, askings: t.askings[:0], own: t.own,
		gather: pipeline.NoSpan, held: pipeline.NoSpan, tool: pipeline.NoSpan, filler: pipeline.NoSpan,
	}
	if x := &s.config.Services; x.hears() || x.TTS != nil {
		t.live = &live{audio: pipeline.NoSpan}
	}
	t.trace = pipeline.Trace{Kind: pipeline.KindVoice, Session: session, Index: index}
	t.trace.Spans, t.trace.Marks = t.spans[:0], t.marks[:0]
	return t
}

func (t *turn) loop() pipeline.Scheduler { return t.simulator.config.Loop }

// fact notes what was decided.
func (t *turn) fact(name, value string) {
	t.trace.Facts = append(t.trace.Facts, pipeline.Fact{Name: name, Value: value})
}

// finish hands the trace over once nothing is left to wait for. The turn is idle
// then.
func (t *turn) finish() {
	if t.waits > 0 || t.spoken && !t.replied || !t.spoken && t.loop().Now() < t.ear.at || t.asking() {
		return
	}
	outcome, reason := t.outcome()
	t.tell()
	t.Finish(outcome, reason)
	t.simulator.idle = append(t.simulator.idle, t)
}

// asking reports whether a request is under way.
func (t *turn) asking() bool {
	for _, a := range t.askings {
		if !a.ended {
			return true
		}
	}
	return false
}

// outcome says how the turn ended, by the request that the reply is from. An answer that
// was given up since the user spoke into it ended well.
func (t *turn) outcome() (pipeline.Outcome, string) {
	if t.live != nil && t.live.outcome != pipeline.OK {
		return t.live.outcome, t.live.reason
	}
	if a := t.last(); a != nil {
		r := &a.call.Record
		if r.Outcome != pipeline.OK && !(r.Outcome == pipeline.Cancelled && t.of.interrupted) {
			return r.Outcome, r.Reason
		}
	}
	if !t.replied {
		return pipeline.Error, "the model answered without text"
	}
	return pipeline.OK, ""
}

// tell has the trace say what is known of the requests, and has the call remember what was
// said.
func (t *turn) tell() {
	t.of.history += t.userTokens() + t.drawn.reply
	if a := t.last(); a != nil {
		t.follow(&a.sentences)
	}
	for i := len(t.askings) - 1; i >= 0; i-- { // a divided span moves those after it
		if a := t.askings[i]; a.first != pipeline.NoSpan {
			t.divide(a)
		}
	}
	t.trace.Requests = t.requests[:0]
	for _, a := range t.askings {
		if a.first != pipeline.NoSpan {
			t.trace.Requests = append(t.trace.Requests, a.call.Record)
		}
	}
}

// divide splits the span until the first token into what the model's record tells apart.
func (t *turn) divide(a *asking) {
	r := &a.call.Record
	first := t.trace.Spans[a.first]
	if first.End == pipeline.Unknown {
		return
	}
	rest := pipeline.SpanLLMFirstToken
	if t.simulator.config.Stack.Model.Modelled && r.Simulated {
		rest = pipeline.SpanLLMPrefill
	}
	queued, thought := r.Scheduled, first.End
	if r.FirstText > r.FirstOutput || r.Simulated {
		thought = min(first.End, r.FirstOutput)
	}
	loaded := first.Start + max(0, r.Loading)
	t.trace.Divide(a.first, []pipeline.Part{
		{Name: pipeline.SpanLLMLoad, End: loaded}, {Name: pipeline.SpanLLMQueue, End: max(queued, loaded)},
		{Name: rest, End: thought}, {Name: pipeline.SpanLLMReasoning, End: first.End},
	})
}

// answerDirectly has a model answer that hears and speaks.
func (t *turn) answerDirectly() {
	r := t.chance("direct")
	k := t.simulator.config.Stack.Direct
	end := t.trace.Append(pipeline.SpanEndOfTurn, k.Silence.Draw(&r), true, t.ear.arrived)
	audio := t.trace.Append(pipeline.SpanModelAudio, k.FirstAudio.Draw(&r), true, end)
	t.ear.at = t.end(audio)
	t.play(audio, t.drawn.reply)
}

// reply returns how long the reply plays, by its tokens.
func (t *turn) reply() time.Duration {
	return time.Duration(t.drawn.reply) * t.simulator.config.Stack.SpeechPerToken
}
