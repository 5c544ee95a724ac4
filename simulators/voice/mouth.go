package voice

import (
	"time"

	"halfsecond/pipeline"
)

// speak hands the first piece of the reply to the voice. What was asked early is not said
// before the turn is committed; where the voice may begin, its audio is held back.
func (t *turn) speak(text pipeline.SpanID) {
	services, g := &t.simulator.config.Services, t.simulator.config.Stack.Guess
	if !t.settled && (services.TTS != nil || !g.TTS) {
		t.earlyText = text
		return
	}
	t.handed = true
	if services.TTS != nil {
		t.say(t.firstPiece(), text)
		return
	}
	t.way = append(t.way[:0], text)
	if text == t.earlyText {
		t.way = append(t.way, t.ear.commit...)
	}
	t.reach()
}

// pass appends a stage on the way from the text to the ear. One without length leaves no
// span.
func (t *turn) pass(name string, length time.Duration) {
	if length > 0 {
		t.way = append(t.way[:0], t.tried(t.trace.Append(name, length, true, t.way...)))
	}
}

// reach has the text come to the voice, once there is a connection and a place.
func (t *turn) reach() {
	t.pass(pipeline.SpanTTSConnect, t.connect(t.latest(t.way)))
	at := t.latest(t.way)
	if t.simulator.config.Stack.TTS.Workers == 0 {
		t.voice(at)
		return
	}
	t.spoken = true // from here on the turn ends with the reply heard
	early := !t.settled
	t.later(at, func() {
		if early && t.settled && !t.right {
			return
		}
		t.seat = t.simulator.desk.come(t.synthesis(t.reply()), func() { t.voice(at) })
	})
}

// connect returns how long text that is there at an instant waits for a connection to the voice:
// for one that has to be opened, or for the rest of the opening of one that another text of the
// turn has begun.
func (t *turn) connect(at time.Duration) time.Duration {
	socket := t.simulator.config.Stack.TTS.Socket
	takes := t.drawn.voiceConnect
	if takes > 0 && (socket.Each || !t.filling.waits() && socket.due(t.of.spoke, at)) {
		t.opened = at + takes
		return takes
	}
	return max(0, t.opened-at)
}

// voice lays out the service's work until its first audio. It begins now, or where texts
// do not wait for each other at the instant at which the text is there.
func (t *turn) voice(there time.Duration) {
	began := max(there, t.loop().Now())
	t.pass(pipeline.SpanTTSQueue, began-there)
	t.began = began
	t.of.spoke = max(t.of.spoke, began+t.synthesis(t.reply()))
	audio := t.tried(t.trace.Append(pipeline.SpanTTSFirstAudio, t.drawn.tts, true, t.way...))
	if t.settled {
		t.play(audio, t.drawn.leading, true)
	} else {
		t.earlyAudio = audio
	}
}

// synthesis returns how long the voice works on a text that plays so long.
func (t *turn) synthesis(plays time.Duration) time.Duration {
	return t.drawn.tts + time.Duration(t.simulator.config.Stack.TTS.Factor*float64(plays))
}

// play lays out the way from the first audio, and the silence in it, to the ear, and what
// comes after it.
func (t *turn) play(audio pipeline.SpanID, leading time.Duration, simulated bool) {
	d := &t.drawn
	t.spoken = true
	t.way = append(t.way[:0], audio)
	if audio == t.earlyAudio {
		t.way = append(t.way, t.ear.commit...)
	}
	silence := func() {
		t.pass(pipeline.SpanLeading, leading)
		if leading > 0 {
			t.trace.Spans[t.way[0]].Simulated = simulated
		}
	}
	if t.filler == pipeline.NoSpan {
		silence()
	}
	t.pass(pipeline.SpanPostWait, d.post)
	t.pass(pipeline.SpanPreBuffer, d.buffer)
	if t.filler != pipeline.NoSpan { // the silence is played as all of the sound is, behind the filler
		t.afterFiller()
		silence()
	}
	t.pass(pipeline.SpanEgress, d.egress)
	ear := t.trace.Append(pipeline.SpanPlayout, d.playout, true, t.way...)
	ear = t.stage(pipeline.SpanPlayoutLoss, t.loseReply(), ear)
	t.heardAt = t.end(ear)
	t.loop().At(t.heardAt, pipeline.RankOutput, t.own.heard)
}

// afterFiller has the answer wait for the filler's end. How long it waits is told by a span
// of its own; what comes next waits for the filler itself, too, so that an answer that is
// there sooner is not heard sooner.
func (t *turn) afterFiller() {
	if wait := t.end(t.filler) - t.latest(t.way); wait > 0 {
		t.pass(pipeline.SpanFillerWait, wait)
	}
	t.way = append(t.way, t.filler)
}

// heard has the reply begin at the ear.
func (t *turn) heard() {
	t.Mark(pipeline.MarkReplyHeard)
	t.replied = true
	t.bargeIn()
	t.finish()
}
