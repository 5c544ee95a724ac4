package voice

import (
	"strconv"
	"time"

	"halfsecond/pipeline"
)

// fill has something said at the committed turn that is no answer.
func (t *turn) fill() {
	k := &t.simulator.config.Stack
	f := k.Filler
	if f == nil || f.Tools && !t.usesTool() {
		return
	}
	r := t.chance("filler")
	if !luck(&r, f.Share) {
		return
	}
	ready := t.trace.Append(pipeline.SpanFiller, f.After.Draw(&r)+t.drawn.tts, true, t.ear.commit...)
	heard := t.end(ready) + t.drawn.post + t.drawn.buffer + t.drawn.egress + t.drawn.playout
	t.filler = t.trace.Append(pipeline.SpanFillerPlays, f.For.Draw(&r), true, ready)
	t.loop().At(heard, pipeline.RankOutput, func() { t.Mark(pipeline.MarkFillerHeard) })
}

// bargeIn has the user speak into a reply that plays for so long, perhaps.
func (t *turn) bargeIn(plays time.Duration) {
	k := t.simulator.config.Stack.BargeIn
	t.of.interrupted = false
	if k == nil {
		return
	}
	r := t.chance("barge_in")
	happens, after, start, guard, long, buffer, mistaken := luck(&r, k.Share), k.After.Draw(&r), k.Start.Draw(&r), k.Guard.Draw(&r), k.For.Draw(&r), k.Buffer.Draw(&r), luck(&r, k.False)
	if !happens || after >= plays {
		return
	}
	onset := t.loop().Now() + after
	t.trace.Marks = append(t.trace.Marks, pipeline.Mark{Name: pipeline.MarkBargeIn, At: onset})
	believed := max(start, guard)
	if long < believed {
		t.fact(pipeline.FactBargeIn, "unnoticed")
		return
	}
	if mistaken {
		t.fact(pipeline.FactBargeIn, "false stop")
	} else {
		t.fact(pipeline.FactBargeIn, "stopped")
	}
	noticed := onset + t.drawn.capture + t.drawn.uplink + t.drawn.jitter + believed
	if k.Clear {
		buffer = 0
	}
	over := t.loop().Now() + plays
	silent := min(over, noticed+buffer+t.drawn.playout)
	t.of.interrupted = true
	t.waits++
	t.loop().At(noticed, pipeline.RankInput, func() { t.stop(silent) })
}

// stop gives up what is still under way of a reply that was spoken into; the ear hears it
// until an instant.
func (t *turn) stop(silent time.Duration) {
	t.waits--
	t.trace.Marks = append(t.trace.Marks, pipeline.Mark{Name: pipeline.MarkSilence, At: silent})
	heard := min(t.drawn.reply, int((silent-t.heardAt)/max(1, t.simulator.config.Stack.SpeechPerToken)))
	t.fact(pipeline.FactHeardTokens, strconv.Itoa(heard))
	if a := t.last(); a != nil && !a.ended {
		t.simulator.config.LLM.Cancel(&a.call)
	}
	t.finish()
}

// last returns the request that the reply is from; nil of a model that hears and speaks.
func (t *turn) last() *asking {
	if len(t.askings) == 0 {
		return nil
	}
	return t.askings[len(t.askings)-1]
}
