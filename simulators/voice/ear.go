package voice

import (
	"time"

	"halfsecond/pipeline"
)

// heard is what is known of the user's turn once its last sample is at the agent: spans
// that are laid out to their ends, which may lie ahead.
type heard struct {
	arrived, stopped, final pipeline.SpanID
	commit                  []pipeline.SpanID // the turn is committed when the last of them has ended
	at                      time.Duration     // that is, at this instant
	early                   time.Duration     // an early end of the turn; Unknown for none
}

// stage appends a stage that may not be there: one without length leaves no span, and what
// it waited for is what the next one waits for.
func (t *turn) stage(name string, length time.Duration, after pipeline.SpanID) pipeline.SpanID {
	if length == 0 {
		return after
	}
	return t.trace.Append(name, length, true, after)
}

// listen lays out everything up to the commit of the turn: the user's last sample travels,
// then the silence and the decision run beside the transcript, and the turn is committed
// when all have ended.
func (t *turn) listen() {
	d, k := &t.drawn, &t.simulator.config.Stack
	at := t.stage(pipeline.SpanCapture, d.capture, pipeline.NoSpan)
	at = t.trace.Append(pipeline.SpanUplink, d.uplink, true, at)
	t.ear.arrived = t.stage(pipeline.SpanJitterBuffer, d.jitter, at)
	if k.Direct != nil {
		t.answerDirectly()
		return
	}
	t.decide()
	t.transcribe()
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

// decide lays out how the end of the turn is found.
func (t *turn) decide() {
	d, k := &t.drawn, &t.simulator.config.Stack
	behind := t.stage(pipeline.SpanVADBacklog, t.lag(), t.ear.arrived)
	stop := d.grid + d.vad + d.compute
	end := Decision{Stop: stop, Decided: stop + d.endOfTurn, Early: pipeline.Unknown}
	if k.Ending != nil {
		end = k.Ending.Decide(t.trace.Session, t.trace.Index, stop, d.stt)
		t.fact(pipeline.FactCutIn, yesNo(end.CutIn))
	}
	t.ear.stopped = t.trace.Append(pipeline.SpanVADWait, end.Stop, true, behind)
	t.ear.early = pipeline.Unknown
	if end.Early != pipeline.Unknown {
		t.ear.early = t.end(behind) + end.Early
	}
	decided := t.trace.Append(pipeline.SpanEndOfTurn, end.Decided-end.Stop, true, t.ear.stopped)
	t.ear.commit = append(t.ear.commit[:0], t.stage(pipeline.SpanPolicyWait, d.policy, decided))
}

// transcribe lays out how the words become final.
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
		t.ear.commit = append(t.ear.commit, t.trace.Append(pipeline.SpanSTTTimer, k.STTTimer, true, t.ear.stopped))
	}
}

// commit has the turn committed once all that it waits for has passed. When a service's
// transcript is final nobody knows beforehand.
func (t *turn) commit() {
	if t.simulator.config.Services.STT == nil {
		t.settle()
		return
	}
	for _, id := range t.ear.commit {
		t.live.known = max(t.live.known, t.end(id))
	}
	if t.live.final { // while the user still spoke
		t.finalText()
	}
	t.waits++
	t.loop().At(t.live.known, pipeline.RankTimer, func() {
		t.waits--
		t.join()
		t.finish()
	})
}

// settle has the model asked when the turn is committed, and perhaps before.
func (t *turn) settle() {
	if hook := t.drawn.hook; hook > 0 {
		t.ear.commit = append(t.ear.commit[:0], t.trace.Append(pipeline.SpanHook, hook, true, t.ear.commit...))
	}
	for _, id := range t.ear.commit {
		t.ear.at = max(t.ear.at, t.end(id))
	}
	t.guess()
	t.waits++
	t.loop().At(t.ear.at, pipeline.RankTimer, func() {
		t.waits--
		t.committed()
	})
}

// end returns when a span ends.
func (t *turn) end(id pipeline.SpanID) time.Duration { return t.trace.Spans[id].End }

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}
