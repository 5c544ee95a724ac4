package voice

import (
	"strconv"
	"time"

	"halfsecond/pipeline"
)

// interruption is the user speaking into a reply.
type interruption struct {
	onset, noticed time.Duration // the first sound at the mouth, and when the agent would believe it
	short          bool          // it is over before that
	how            string        // FactBargeIn, if it is noticed
	buffer         time.Duration // audio that was sent ahead and not taken back
	begun          bool          // the user speaks
	sure           bool          // and will be noticed: the turn waits for that
}

// bargeIn has the user speak into the reply that is heard from now on, perhaps.
func (t *turn) bargeIn() {
	k := t.simulator.config.Stack.BargeIn
	if k == nil {
		return
	}
	r := t.chance("barge_in")
	happens, after, start, guard, long, buffer, mistaken := luck(&r, k.Share), k.After.Draw(&r), k.Start.Draw(&r), k.Guard.Draw(&r), k.For.Draw(&r), k.Buffer.Draw(&r), luck(&r, k.False)
	if !happens {
		return
	}
	believed, onset := max(start, guard), t.loop().Now()+after
	b := &interruption{onset: onset, noticed: onset + t.drawn.capture + t.drawn.uplink + t.drawn.jitter + believed, short: long < believed, how: "stopped", buffer: buffer}
	if mistaken {
		b.how = "false stop"
	}
	if k.Clear {
		b.buffer = 0
	}
	t.barge = b
	t.laterInput(b.onset, t.interrupt)
	t.interrupt()
}

// interrupt goes on with a user who speaks into the reply, or is to: where all of it is there
// already, what becomes of that is known, and otherwise not before its instants. A reply that is
// over is not spoken into.
func (t *turn) interrupt() {
	b, now := t.barge, t.loop().Now()
	if b == nil || t.stopped {
		return
	}
	over := pipeline.Unknown
	if t.there() {
		p := t.atEar(pipeline.Unknown)
		over = p.Over
	}
	if !b.begun {
		switch {
		case over == pipeline.Unknown && now < b.onset:
			return
		case over != pipeline.Unknown && over <= b.onset:
			t.barge = nil
			return
		}
		b.begun = true
		t.trace.Marks = append(t.trace.Marks, pipeline.Mark{Name: pipeline.MarkBargeIn, At: b.onset})
		if !b.short {
			t.laterInput(b.noticed, t.notice)
		}
	}
	switch {
	case b.short || over != pipeline.Unknown && b.noticed >= over:
		t.fact(pipeline.FactBargeIn, "unnoticed")
		t.barge = nil
	case over != pipeline.Unknown:
		b.sure = true
		t.waits++
		t.isStopped()
	}
}

// isStopped has the reply end where it is spoken into.
func (t *turn) isStopped() {
	t.fact(pipeline.FactBargeIn, t.barge.how)
	t.stopped = true
}

// notice has the agent notice that it is spoken into, unless the reply was over before.
func (t *turn) notice() {
	t.interrupt()
	if t.barge == nil {
		return
	}
	if t.barge.sure {
		t.waits--
	} else {
		t.isStopped()
	}
	t.stop()
}

// cutOff returns from when on nothing more of the reply comes to the ear; pipeline.Unknown
// where it was heard out.
func (t *turn) cutOff() time.Duration {
	if !t.stopped {
		return pipeline.Unknown
	}
	b := t.barge
	return b.noticed + min(t.wayOut(), b.buffer+t.drawn.playout)
}

// stop gives up what is still under way of a reply that was spoken into. The user hears what is
// on its way, and what was sent ahead, as far as it was made.
func (t *turn) stop() {
	t.Mark(pipeline.MarkNoticed)
	p := t.atEar(t.cutOff())
	t.silentAt = max(t.barge.onset, min(p.Over, t.barge.noticed+t.barge.buffer+t.drawn.playout))
	whole := t.atEar(pipeline.Unknown)
	t.heardOf = t.tokens(p.Heard(t.silentAt), &whole)
	t.trace.Marks = append(t.trace.Marks, pipeline.Mark{Name: pipeline.MarkSilence, At: t.silentAt})
	t.fact(pipeline.FactHeardTokens, strconv.Itoa(t.heardOf))
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

// last returns the request that the reply is from; nil of a model that hears and speaks.
func (t *turn) last() *asking {
	if len(t.askings) == 0 {
		return nil
	}
	return t.askings[len(t.askings)-1]
}
