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
	t.ear.behind = t.stage(pipeline.SpanVADBacklog, t.lag(), t.ear.arrived)
	t.detect()
	_, final := t.needs()
	if !final {
		t.decide()
	}
	t.transcribe()
	if final && t.simulator.config.Services.STT == nil {
		t.decide()
	}
	t.commit()
}

// lag returns how far the voice activity detectors are behind: work that comes faster than
// it is done piles up from the start of the run.
func (t *turn) lag() time.Duration {
	over := t.simulator.config.Stack.VADLoad - 1
	if over <= 0 {
		return 0
	}
	return time.Duration(over * float64(t.end(t.ear.arrived)))
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
	d, k := &t.drawn, &t.simulator.config.Stack
	if stop, _ := t.needs(); stop || k.STTFrom == FromVADStop || k.STTTimer > 0 || k.Guess != nil && k.Guess.From == OnStop {
		t.ear.stopped = t.trace.Append(pipeline.SpanVADWait, d.grid+d.vad+d.compute, true, t.ear.behind)
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
		t.fact(pipeline.FactCutIn, yesNo(end.CutIn))
		if final && end.VADWait+end.FinalWait >= known {
			from[1], from[2] = t.ear.final, t.ear.timer
		}
	}
	t.ear.early = end.Early
	decided := t.trace.Append(pipeline.SpanEndOfTurn, end.EndOfTurn, true, from[:]...)
	t.ear.commit = append(t.ear.commit, t.stage(pipeline.SpanPolicyWait, end.PolicyWait+t.drawn.policy, decided))
}

// since returns how long after the end of speech at the agent a span ends; 0 for none.
func (t *turn) since(id pipeline.SpanID) time.Duration {
	if id == pipeline.NoSpan {
		return 0
	}
	return t.end(id) - t.end(t.ear.arrived)
}

// transcribe lays out how the words become final. When those of a service are, nobody
// knows beforehand.
func (t *turn) transcribe() {
	k := &t.simulator.config.Stack
	from := t.ear.arrived
	if k.STTFrom == FromVADStop {
		from = t.ear.stopped
	}
	if t.simulator.config.Services.STT != nil {
		t.ear.final = t.trace.Add(pipeline.Span{Name: pipeline.SpanSTTTail, Start: t.end(t.ear.arrived), End: pipeline.Unknown}, t.ear.arrived)
	} else {
		t.ear.final = t.trace.Append(pipeline.SpanSTTTail, t.drawn.stt, true, from)
	}
	t.ear.commit = append(t.ear.commit, t.ear.final)
	if k.STTTimer > 0 {
		t.ear.timer = t.trace.Append(pipeline.SpanSTTTimer, k.STTTimer, true, t.ear.stopped)
		t.ear.commit = append(t.ear.commit, t.ear.timer)
	}
}

// commit has the turn committed once all that it waits for has passed.
func (t *turn) commit() {
	if t.simulator.config.Services.STT != nil {
		t.commitLive()
		return
	}
	t.settle()
	t.guess()
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
