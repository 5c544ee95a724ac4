package voice

import (
	"slices"
	"strconv"
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
	own *own

	live      *live // nil where all is modelled
	ear       heard
	settled   bool      // the turn is committed
	onLine    bool      // the detectors hear this turn alone of its call
	askings   []*asking // in the order of their asking
	early     *asking   // the one before the commit; nil for none
	right     bool      // it was
	vain      []vain    // those still to come at pauses inside the turn
	lost      int       // tokens of requests that were for nothing; UnknownCount where there was none
	uncounted bool      // nobody knows all of them

	gather, look, held, tool, filler pipeline.SpanID

	handed   bool              // text of the answer was handed to the voice
	spoken   bool              // laid out to the ear
	replied  bool              // the reply is heard
	stopped  bool              // and was spoken into, so that it ended there
	waits    int               // what else the end of the turn waits for
	way      []pipeline.SpanID // what the next stage to the ear waits for
	seat     *seat             // at the voice; nil for none
	fills    pipeline.Timer    // until there is a filler
	filling  filling           // the filler at the voice
	opened   time.Duration     // the last connection to the voice that the turn opened is open; 0 for none
	began    time.Duration     // the voice worked on the first piece from then on
	heardAt  time.Duration     // first audible sample at the ear
	barge    *interruption     // nil for none, or none any more
	silentAt time.Duration     // the last that was heard of a reply that was stopped
	heardOf  int               // tokens of it that were heard

	// What an early request came to before the turn was committed; NoSpan for nothing.
	earlyText, earlyAudio pipeline.SpanID
	earlyCall             *asking // its answer called a tool
	guessed               []pipeline.SpanID
}

// own is memory that serves turn after turn.
type own struct {
	askings   []*asking
	alone     call // of sessions of one turn
	committed func()
	heard     func()
	serial    int // of the turn
}

// left is what a turn leaves behind, in one piece of memory.
type left struct {
	trace    pipeline.Trace
	spans    [12]pipeline.Span
	after    [16]pipeline.SpanID
	marks    [1]pipeline.Mark
	requests [1]pipeline.Request
}

// turn returns a turn that has not begun.
func (s *Simulator) turn(session, index int) *turn {
	t := &turn{}
	if n := len(s.idle); n > 0 {
		t, s.idle = s.idle[n-1], s.idle[:n-1]
	} else {
		t.own = &own{committed: func() { t.waits--; t.committed() }, heard: func() { t.heard() }}
	}
	*t = turn{
		simulator: s, drawn: s.draw(session, index), left: &left{}, own: t.own,
		ear:     heard{stopped: pipeline.NoSpan, final: pipeline.NoSpan, timer: pipeline.NoSpan, early: pipeline.Unknown, commit: t.ear.commit[:0]},
		askings: t.askings[:0], way: t.way[:0], guessed: t.guessed[:0], vain: t.vain[:0], lost: pipeline.UnknownCount,
		gather: pipeline.NoSpan, look: pipeline.NoSpan, held: pipeline.NoSpan, tool: pipeline.NoSpan, filler: pipeline.NoSpan,
		earlyText: pipeline.NoSpan, earlyAudio: pipeline.NoSpan,
	}
	t.own.serial++
	if x := &s.config.Services; x.hears() || x.TTS != nil {
		t.live = &live{audio: pipeline.NoSpan, lead: pipeline.Unknown}
	}
	t.trace = pipeline.Trace{Kind: pipeline.KindVoice, Session: session, Index: index}
	t.trace.Spans, t.trace.Marks = t.spans[:0], t.marks[:0]
	t.trace.Room(t.after[:])
	t.enter(session, index)
	return t
}

// enter has the turn go on with its session's call.
func (t *turn) enter(session, index int) {
	if t.simulator.config.Stack.Context.Alone {
		t.own.alone = newCall(0)
		t.of = &t.own.alone
	} else {
		t.of = t.simulator.callOf(session, index)
	}
}

func (t *turn) loop() pipeline.Scheduler { return t.simulator.config.Loop }

// later has something done at an instant at which the turn may be over, and its memory
// serve another.
func (t *turn) later(at time.Duration, f func()) {
	t.laterAs(pipeline.RankTimer, at, f)
}

// laterInput is later for what comes from outside.
func (t *turn) laterInput(at time.Duration, f func()) { t.laterAs(pipeline.RankInput, at, f) }

func (t *turn) laterAs(rank pipeline.Rank, at time.Duration, f func()) {
	serial := t.own.serial
	t.loop().At(at, rank, func() {
		if t.own.serial == serial {
			f()
		}
	})
}

// fact notes what was decided.
func (t *turn) fact(name, value string) {
	if t.trace.Facts == nil {
		t.trace.Facts = make([]pipeline.Fact, 0, 4)
	}
	t.trace.Facts = append(t.trace.Facts, pipeline.Fact{Name: name, Value: value})
}

// number returns which turn of its call it is, from 1.
func (t *turn) number() int {
	if n := t.simulator.config.Stack.Context.Turns; n > 0 {
		return t.trace.Index%n + 1
	}
	return t.trace.Index + 1
}

// finish hands the trace over once nothing is left to wait for. The turn is idle
// then.
func (t *turn) finish() {
	if t.waits > 0 || t.spoken && !t.replied || !t.spoken && t.loop().Now() < t.ear.at || t.asking() {
		return
	}
	t.fills.Stop()
	t.filling.giveUp()
	outcome, reason := t.outcome()
	t.tell()
	t.hearsOut()
	t.hangUp()
	t.leave()
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
		if r.Outcome != pipeline.OK && !(r.Outcome == pipeline.Cancelled && t.stopped) {
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
	c := &t.simulator.config.Stack.Context
	if c.Turns > 0 {
		t.fact(pipeline.FactTurn, strconv.Itoa(t.number()))
	}
	if c.breaks() {
		t.tellCache()
	}
	if c.Grows {
		t.keep()
	}
	t.keepHeard()
	if t.last() != nil && t.replied {
		t.follow()
	}
	for i := len(t.askings) - 1; i >= 0; i-- { // a divided span moves those after it
		if a := t.askings[i]; a.first != pipeline.NoSpan && !a.wrong {
			t.divide(a)
		}
	}
	t.forget()
	if t.lost != pipeline.UnknownCount && !t.uncounted {
		t.fact(pipeline.FactWasted, strconv.Itoa(t.lost))
	}
	t.trace.Requests = t.requests[:0]
	for _, a := range t.askings {
		if a.first != pipeline.NoSpan || a.vain {
			t.trace.Requests = append(t.trace.Requests, a.call.Record)
		}
	}
}

// forget leaves out the spans of a wrong guess but for the one that tells how long it
// lasted. Nothing waited for them, and all of them came before any that is divided.
func (t *turn) forget() {
	if t.early == nil || t.right {
		return
	}
	for _, id := range slices.Backward(t.guessed) {
		t.trace.Remove(id)
	}
}

// divide splits the span until the first token into what the model's record tells apart.
func (t *turn) divide(a *asking) {
	r := &a.call.Record
	first := t.trace.Spans[a.first]
	if first.End == pipeline.Unknown {
		return
	}
	modelled := t.simulator.config.Stack.Model.Modelled && r.Simulated
	queued, rest := pipeline.Unknown, pipeline.SpanLLMFirstToken
	switch {
	case modelled:
		rest = pipeline.SpanLLMPrefill
	case r.Whole():
		rest = pipeline.SpanLLMWhole
	}
	if modelled || !r.Simulated {
		queued = r.Scheduled
	}
	thought := first.End
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
	t.settled, t.ear.at = true, t.end(end)
	t.play(audio, t.drawn.leading, true)
}

// reply returns how long the reply plays, by its tokens.
func (t *turn) reply() time.Duration {
	return time.Duration(t.drawn.reply) * t.simulator.config.Stack.SpeechPerToken
}
