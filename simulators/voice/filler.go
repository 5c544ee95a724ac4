package voice

import (
	"time"

	"halfsecond/pipeline"
)

// filling is a filler that was handed to the voice. The zero value is none.
type filling struct {
	seat *seat // where voices are few; nil elsewhere
}

// waits reports whether the voice has a filler that it has not begun with.
func (f filling) waits() bool { return f.seat != nil && !f.seat.begun && !f.seat.left }

// giveUp takes back a filler that waits for a place: its turn is over.
func (f filling) giveUp() {
	if f.waits() {
		f.seat.leave()
	}
}

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
		t.sayFiller(long)
		return
	}
	t.fills = t.loop().After(after, pipeline.RankTimer, func() { t.sayFiller(long) })
}

// sayFiller hands a filler to the voice now, unless that has text of the answer: over a
// connection, which it may have to open, and once there is a place.
func (t *turn) sayFiller(long time.Duration) {
	if t.handed {
		return
	}
	at := t.loop().Now()
	at += t.connect(at)
	t.of.spoke = max(t.of.spoke, at)
	if t.simulator.config.Stack.TTS.Workers == 0 {
		t.voiceFiller(at, long)
		return
	}
	t.fills = t.loop().At(at, pipeline.RankTimer, func() {
		t.filling.seat = t.simulator.desk.come(t.synthesis(long), func() { t.voiceFiller(t.loop().Now(), long) })
	})
}

// voiceFiller lays out a filler that the voice begins with at an instant. It is sent as the
// answer is, once the agent has waited and gathered, and silence comes first in it, too: its
// sound is over at the ear when the next can begin there, and not before all of it is made.
func (t *turn) voiceFiller(began, long time.Duration) {
	d := &t.drawn
	made := began + t.synthesis(long)
	t.of.spoke = max(t.of.spoke, made)
	sent := began + d.tts + d.post + d.buffer
	ready := t.trace.Append(pipeline.SpanFiller, sent-t.latest(t.ear.commit), true, t.ear.commit...)
	t.filler = t.trace.Append(pipeline.SpanFillerPlays, max(d.leading+long, made-sent), true, ready)
	t.trace.Marks = append(t.trace.Marks, pipeline.Mark{Name: pipeline.MarkFillerHeard, At: sent + d.leading + t.wayOut()})
}
