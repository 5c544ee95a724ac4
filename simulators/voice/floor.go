package voice

import (
	"strconv"
	"time"

	"halfsecond/pipeline"
)

// fill has something said that is no answer, at the committed turn or later.
func (t *turn) fill() {
	f := t.simulator.config.Stack.Filler
	if f == nil || f.Tools && !t.usesTool() {
		return
	}
	r := t.chance("filler")
	if !luck(&r, f.Share) {
		return
	}
	after, long := f.After.Draw(&r), f.For.Draw(&r)
	if after == 0 {
		t.sayFiller(after, long)
		return
	}
	t.fills = t.loop().After(after, pipeline.RankTimer, func() { t.sayFiller(after, long) })
}

// sayFiller has a filler said that was handed to the voice so long after the commit, which is
// now, unless there is text of the answer.
func (t *turn) sayFiller(after, long time.Duration) {
	if t.handed {
		return
	}
	d := &t.drawn
	ready := t.trace.Append(pipeline.SpanFiller, after+d.tts, true, t.ear.commit...)
	heard := t.end(ready) + d.leading + d.post + d.buffer + d.egress + d.playout
	t.filler = t.trace.Append(pipeline.SpanFillerPlays, long, true, ready)
	t.trace.Marks = append(t.trace.Marks, pipeline.Mark{Name: pipeline.MarkFillerHeard, At: heard})
}

// bargeIn has the user speak into a reply that plays for so long, perhaps.
func (t *turn) bargeIn(plays time.Duration) {
	k := t.simulator.config.Stack.BargeIn
	if k == nil {
		return
	}
	r := t.chance("barge_in")
	happens, after, start, guard, long, buffer, mistaken := luck(&r, k.Share), k.After.Draw(&r), k.Start.Draw(&r), k.Guard.Draw(&r), k.For.Draw(&r), k.Buffer.Draw(&r), luck(&r, k.False)
	if !happens || after >= plays {
		return
	}
	now := t.loop().Now()
	onset, over := now+after, now+plays
	t.trace.Marks = append(t.trace.Marks, pipeline.Mark{Name: pipeline.MarkBargeIn, At: onset})
	believed := max(start, guard)
	noticed := onset + t.drawn.capture + t.drawn.uplink + t.drawn.jitter + believed
	if long < believed || noticed >= over {
		t.fact(pipeline.FactBargeIn, "unnoticed")
		return
	}
	how := "stopped"
	if mistaken {
		how = "false stop"
	}
	t.fact(pipeline.FactBargeIn, how)
	if k.Clear {
		buffer = 0
	}
	t.stopped = true
	t.silentAt = min(over, noticed+buffer+t.drawn.playout)
	t.waits++
	t.loop().At(noticed, pipeline.RankInput, t.stop)
}

// stop gives up what is still under way of a reply that was spoken into.
func (t *turn) stop() {
	t.waits--
	t.Mark(pipeline.MarkNoticed)
	t.trace.Marks = append(t.trace.Marks, pipeline.Mark{Name: pipeline.MarkSilence, At: t.silentAt})
	t.fact(pipeline.FactHeardTokens, strconv.Itoa(t.heardTokens()))
	if t.seat != nil {
		t.seat.leave()
	}
	t.of.spoke = min(t.of.spoke, t.loop().Now())
	if t.live != nil {
		t.hush()
	}
	if a := t.last(); a != nil && !a.ended {
		t.simulator.config.LLM.Cancel(&a.call)
		return // the turn ends with it
	}
	t.finish()
}

// heardTokens returns how many tokens of a reply that was spoken into were heard.
func (t *turn) heardTokens() int {
	return min(t.drawn.reply, int((t.silentAt-t.heardAt)/max(1, t.simulator.config.Stack.SpeechPerToken)))
}

// last returns the request that the reply is from; nil of a model that hears and speaks.
func (t *turn) last() *asking {
	if len(t.askings) == 0 {
		return nil
	}
	return t.askings[len(t.askings)-1]
}
