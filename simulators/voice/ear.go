package voice

import (
	"time"

	"halfsecond/pipeline"
	"halfsecond/simulators/voice/ending"
)

// heard is what is known of the user's turn once its last sample is at the agent: spans
// that are laid out to their ends, which may lie ahead.
type heard struct {
	arrived, behind pipeline.SpanID   // the last sample is at the agent, and at the detector
	stopped         pipeline.SpanID   // the detector's stop; NoSpan where nothing waits for it
	final, timer    pipeline.SpanID   // the final transcript, and the timer that stands for one; NoSpan for none
	commit          []pipeline.SpanID // the turn is committed when the last of them has ended
	at              time.Duration     // that is, at this instant
	early           time.Duration     // from the end of speech at the agent to an early end of the turn; Unknown for none
	waits           bool              // the utterance waits for a recognizer, and when the turn is committed nobody knows
}

// stage appends a stage that may not be there: one without length leaves no span, and what
// it waited for is what the next one waits for.
func (t *turn) stage(name string, length time.Duration, after pipeline.SpanID) pipeline.SpanID {
	if length == 0 {
		return after
	}
	return t.trace.Append(name, length, true, after)
}

// arrive lays out the way of the last sample to the agent.
func (t *turn) arrive() pipeline.SpanID {
	at := t.stage(pipeline.SpanCapture, t.drawn.capture, pipeline.NoSpan)
	at = t.trace.Append(pipeline.SpanUplink, t.drawn.uplink, true, at)
	at = t.stage(pipeline.SpanUplinkLoss, t.loseSpeech(), at)
	return t.stage(pipeline.SpanJitterBuffer, t.drawn.jitter, at)
}

// listen lays out everything up to the commit of the turn: the user's last sample travels,
// then the silence and the decision run beside the transcript, and the turn is committed
// when all have ended.
func (t *turn) listen() {
	t.ear.arrived = t.arrive()
	if t.simulator.config.Stack.Direct != nil {
		t.answerDirectly()
		return
	}
	t.remember()
	t.simulator.dial(t.trace.Session)
	lag, queue := t.simulator.detectors.wait(t.loop().Now()), t.behind()
	t.load()
	t.ear.behind = t.stage(pipeline.SpanVADBacklog, lag, t.ear.arrived)
	t.guessInVain()
	t.detect()
	_, final := t.needs()
	if !final {
		t.decide()
	}
	switch {
	case t.simulator.config.Services.STT != nil:
		t.hearLive()
		t.commitLive()
	case t.simulator.hearing.places > 0:
		t.queueUp()
	default:
		t.transcribe(t.stage(pipeline.SpanSTTQueue, queue, t.ear.arrived))
		t.settle()
		t.guess()
	}
}

// needs returns what the decision waits for: the detector's stop, the final transcript.
func (t *turn) needs() (stop, final bool) {
	if e := t.simulator.config.Stack.Ending; e != nil {
		return e.Waits()
	}
	return true, false
}

// detect lays out the detector's stop, where something waits for it.
func (t *turn) detect() {
	k := &t.simulator.config.Stack
	if stop, _ := t.needs(); stop || k.STTFrom == FromVADStop || k.STTTimer > 0 || k.Guess != nil && k.Guess.From == OnStop {
		t.ear.stopped = t.trace.Append(pipeline.SpanVADWait, t.silence(), true, t.ear.behind)
		t.tellSilence()
	}
}

// tellSilence has the trace say what silence the detector is set to, where it reports the
// stop at another time than that after the end of speech.
func (t *turn) tellSilence() {
	if set := t.drawn.vad; t.trace.Spans[t.ear.stopped].For() != set {
		t.fact(pipeline.FactVADSilence, set.String())
	}
}

// decide lays out how the end of the turn is found. What that waits for is laid out
// before.
func (t *turn) decide() {
	k := &t.simulator.config.Stack
	end := Decision{Decision: ending.Decision{EndOfTurn: t.drawn.endOfTurn, Early: pipeline.Unknown}}
	stop, final := t.needs()
	from := [3]pipeline.SpanID{t.ear.arrived, pipeline.NoSpan, pipeline.NoSpan}
	if stop {
		from[0] = t.ear.stopped
	}
	if k.Ending != nil {
		known := time.Duration(0)
		if final {
			known = max(t.since(t.ear.final), t.since(t.ear.timer))
		}
		end = k.Ending.Decide(t.simulator.config.Seed, t.trace.Session, t.trace.Index, t.since(t.ear.stopped), known)
		t.tellEnding(&end)
		if final && end.VADWait+end.FinalWait >= known {
			from[1], from[2] = t.ear.final, t.ear.timer
		}
	}
	t.ear.early = end.Early
	decided := t.trace.Append(pipeline.SpanEndOfTurn, end.EndOfTurn, true, from[:]...)
	t.ear.commit = append(t.ear.commit, t.stage(pipeline.SpanPolicyWait, end.PolicyWait+t.drawn.policy, decided))
}

// tellEnding has the trace say how the end of the turn was found. Who speaks audio says
// other words than those that the decision is tried on, and when their text is final is known
// later.
func (t *turn) tellEnding(end *Decision) {
	if t.simulator.config.Services.STT == nil {
		t.fact(pipeline.FactCutIn, yesNo(end.CutIn))
	}
	if end.Words != "" && !t.simulator.config.Services.hears() {
		t.fact(pipeline.FactWords, end.Words)
	}
	if end.FromSpeech {
		t.fact(pipeline.FactCountsFrom, pipeline.CountsFromSpeech)
	}
}

// since returns how long after the end of speech at the agent a span ends; 0 for none.
func (t *turn) since(id pipeline.SpanID) time.Duration {
	if id == pipeline.NoSpan {
		return 0
	}
	return t.end(id) - t.end(t.ear.arrived)
}

// hearLive begins the wait for the words of a service: when they are final nobody knows
// beforehand.
func (t *turn) hearLive() {
	t.ear.final = t.trace.Add(pipeline.Span{Name: pipeline.SpanSTTTail, Start: t.end(t.ear.arrived), End: pipeline.Unknown}, t.ear.arrived)
	t.awaitFinal()
}

// transcribe lays out how the words become final, from where a recognizer has all that was
// said, and the decision where that waits for them.
func (t *turn) transcribe(heard pipeline.SpanID) {
	from := [2]pipeline.SpanID{heard, pipeline.NoSpan}
	if t.simulator.config.Stack.STTFrom == FromVADStop {
		from = [2]pipeline.SpanID{t.ear.stopped, t.queued(heard)}
	}
	t.ear.final = t.trace.Append(pipeline.SpanSTTTail, t.drawn.stt, true, from[:]...)
	t.awaitFinal()
	if _, final := t.needs(); final {
		t.decide()
	}
}

// queued returns the wait for a recognizer, or NoSpan where there was none: the last sample
// at the agent is no reason of its own for what the detector's stop begins.
func (t *turn) queued(heard pipeline.SpanID) pipeline.SpanID {
	if heard == t.ear.arrived || heard == t.ear.stopped {
		return pipeline.NoSpan
	}
	return heard
}

// awaitFinal has the commit wait for the words, and for the timer that stands for them.
func (t *turn) awaitFinal() {
	t.ear.commit = append(t.ear.commit, t.ear.final)
	if timer := t.simulator.config.Stack.STTTimer; timer > 0 {
		t.ear.timer = t.trace.Append(pipeline.SpanSTTTimer, timer, true, t.ear.stopped)
		t.ear.commit = append(t.ear.commit, t.ear.timer)
	}
}

// queueUp has the utterance wait for a recognizer, which hears it when it is over, or at the
// detector's stop. Until one is free nobody knows when the turn is committed.
func (t *turn) queueUp() {
	from := t.ear.arrived
	if t.simulator.config.Stack.STTFrom == FromVADStop {
		from = t.ear.stopped
	}
	early := t.guessesBeforeFinal()
	t.ear.waits = true
	t.waits++
	t.loop().At(t.end(from), pipeline.RankTimer, func() {
		t.simulator.hearing.come(t.drawn.stt, func() {
			t.waits--
			t.ear.waits = false
			t.transcribe(t.stage(pipeline.SpanSTTQueue, t.loop().Now()-t.end(from), from))
			t.settle()
			if !early {
				t.guess()
			}
		})
	})
	if early {
		t.guess()
	}
}

// guessesBeforeFinal reports whether the model is asked early at an instant that does not
// depend on the final transcript.
func (t *turn) guessesBeforeFinal() bool {
	g := t.simulator.config.Stack.Guess
	_, final := t.needs()
	return g != nil && g.From != OnFinal && !(final && g.From == OnEarly)
}

// settle has the model asked when the turn is committed: all that it waits for is laid
// out.
func (t *turn) settle() {
	if hook := t.drawn.hook; hook > 0 {
		t.ear.commit = append(t.ear.commit[:0], t.trace.Append(pipeline.SpanHook, hook, true, t.ear.commit...))
	}
	t.ear.at = t.latest(t.ear.commit)
	t.waits++
	t.loop().At(t.ear.at, pipeline.RankTimer, t.own.committed)
}

// end returns when a span ends.
func (t *turn) end(id pipeline.SpanID) time.Duration { return t.trace.Spans[id].End }

// latest returns when the last of some spans ends; the due instant for none.
func (t *turn) latest(ids []pipeline.SpanID) time.Duration {
	at := t.trace.Due
	for _, id := range ids {
		if id != pipeline.NoSpan {
			at = max(at, t.end(id))
		}
	}
	return at
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}
