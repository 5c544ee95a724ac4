package voice

import (
	"time"

	"halfsecond/pipeline"
)

// speak hands the first piece of the reply to the voice and lays out its way to the ear.
// What was asked early is not said before the turn is committed.
func (t *turn) speak(text pipeline.SpanID) {
	if t.simulator.config.Services.TTS != nil {
		t.say(t.firstPiece(), text)
		return
	}
	d, k := &t.drawn, &t.simulator.config.Stack
	t.spoken = true
	causes := []pipeline.SpanID{text}
	early := t.end(text) < t.ear.at
	if early && !k.Guess.TTS {
		causes = append(causes, t.ear.commit...)
	}
	audio := t.voice(causes...)
	if early && k.Guess.TTS {
		audio = t.release(audio)
	}
	audio = t.stage(pipeline.SpanLeading, d.leading, audio)
	t.play(audio, d.reply)
}

// voice lays out the service's work until its first audio.
func (t *turn) voice(causes ...pipeline.SpanID) pipeline.SpanID {
	d, k := &t.drawn, &t.simulator.config.Stack
	start := time.Duration(0)
	for _, id := range causes {
		start = max(start, t.end(id))
	}
	if d.voiceConnect > 0 && k.TTS.Socket.due(t.of.spoke, start) {
		causes = []pipeline.SpanID{t.trace.Append(pipeline.SpanTTSConnect, d.voiceConnect, true, causes...)}
		start = t.end(causes[0])
	}
	if begins := t.simulator.desk.take(start, t.synthesis()); begins > start {
		causes = []pipeline.SpanID{t.trace.Append(pipeline.SpanTTSQueue, begins-start, true, causes...)}
	}
	t.of.spoke = start
	return t.trace.Append(pipeline.SpanTTSFirstAudio, d.tts, true, causes...)
}

// synthesis returns how long the voice works on the whole reply.
func (t *turn) synthesis() time.Duration {
	return t.drawn.tts + time.Duration(t.simulator.config.Stack.TTS.Factor*float64(t.reply()))
}

// release has audio that was made early wait for the committed turn.
func (t *turn) release(audio pipeline.SpanID) pipeline.SpanID {
	if t.end(audio) >= t.ear.at {
		return audio
	}
	return t.trace.Append(pipeline.SpanCommit, 0, true, append([]pipeline.SpanID{audio}, t.ear.commit...)...)
}

// play lays out the way from the first audible sample to the ear, and what comes after it.
func (t *turn) play(audio pipeline.SpanID, tokens int) {
	d := &t.drawn
	t.spoken = true
	at := t.stage(pipeline.SpanPostWait, d.post, audio)
	at = t.stage(pipeline.SpanPreBuffer, d.buffer, at)
	if t.filler != pipeline.NoSpan && t.end(t.filler) > t.end(at) {
		at = t.trace.Append(pipeline.SpanFillerWait, t.end(t.filler)-t.end(at), true, at)
	}
	at = t.stage(pipeline.SpanEgress, d.egress, at)
	at = t.trace.Append(pipeline.SpanPlayout, d.playout, true, at)
	t.audio, t.heardAt = t.end(audio), t.end(at)
	t.loop().At(t.end(at), pipeline.RankOutput, func() {
		t.Mark(pipeline.MarkReplyHeard)
		t.replied = true
		t.bargeIn(time.Duration(tokens) * t.simulator.config.Stack.SpeechPerToken)
		t.finish()
	})
}
