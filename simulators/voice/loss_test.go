package voice

import (
	"strconv"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/simulators/voice/transport"
)

// TestLostFrames: what is lost of one turn is what the line says of its frames, 2 s of speech
// and 10 s of reply in frames of 20 ms; the spans carry how late that makes it, and the
// facts how much of it is clipped.
func TestLostFrames(t *testing.T) {
	late := 0
	for _, repair := range []transport.Repair{transport.Concealed, transport.FEC, transport.Resent} {
		k := plain
		k.Line = &transport.Line{Frame: 20 * ms, Loss: transport.Loss{Share: .3, Burst: 2, Repair: repair, RoundTrip: constant(100 * ms)}}
		for session := range 20 {
			tr := newBench(k).turn(t, 0, session, 0)
			up, down := dist.Stream(1, "voice/loss/speech", session, 0), dist.Stream(1, "voice/loss/reply", session, 0)
			speech, reply := k.Line.End(100, &up), k.Line.First(500, &down)
			if got := spanFor(tr, pipeline.SpanUplinkLoss); got != speech.Late {
				t.Errorf("%s, turn %d: the speech is late by %s, want %s", repair, session, got, speech.Late)
			}
			if got := spanFor(tr, pipeline.SpanPlayoutLoss); got != reply.Late {
				t.Errorf("%s, turn %d: the reply is late by %s, want %s", repair, session, got, reply.Late)
			}
			if got := heardAfter(tr); got != 795*ms+speech.Late+reply.Late {
				t.Errorf("%s, turn %d: heard after %s, want 795ms, %s and %s", repair, session, got, speech.Late, reply.Late)
			}
			for name, f := range map[string]transport.Fate{pipeline.FactSpeechClipped: speech, pipeline.FactReplyClipped: reply} {
				if got, err := strconv.ParseFloat(tr.Fact(name), 64); err != nil || got < f.Share()-1e-6 || got > f.Share()+1e-6 {
					t.Errorf("%s, turn %d: %s is %q, want %g", repair, session, name, tr.Fact(name), f.Share())
				}
			}
			if speech.Late > 0 && reply.Late > 0 {
				late++
			}
		}
	}
	if late < 3 {
		t.Errorf("%d turns are late on both ways: the test sees too few", late)
	}
	if tr := newBench(plain).turn(t, 0, 0, 0); tr.Fact(pipeline.FactSpeechClipped) != "" || tr.Fact(pipeline.FactReplyClipped) != "" {
		t.Errorf("a line that loses nothing: %q", factsOf(tr))
	}
}

// TestFrames: a frame begins where the one before it is full.
func TestFrames(t *testing.T) {
	line := &transport.Line{Frame: 20 * ms}
	for sound, want := range map[time.Duration]int{0: 0, 1: 1, 20 * ms: 1, 20*ms + 1: 2, 2 * time.Second: 100} {
		if got := frames(line, sound); got != want {
			t.Errorf("%s is %d frames, want %d", sound, got, want)
		}
	}
}

// TestJitterBufferHidesLoss: frames that are sent again, late by 125 ms and more, are late by what
// a jitter buffer does not hide.
func TestJitterBufferHidesLoss(t *testing.T) {
	for _, buffer := range []time.Duration{0, 50 * ms, 200 * ms, time.Second} {
		k := plain
		k.JitterBuffer = constant(buffer)
		k.Line = &transport.Line{Frame: 20 * ms, Loss: transport.Loss{Share: .3, Burst: 2, Repair: transport.Resent, RoundTrip: constant(100 * ms)}}
		late := 0
		for session := range 40 {
			r := dist.Stream(1, "voice/loss/speech", session, 0)
			lost := k.Line.End(100, &r).Late
			tr := newBench(k).turn(t, 0, session, 0)
			if got := spanFor(tr, pipeline.SpanUplinkLoss); got != max(0, lost-buffer) {
				t.Errorf("a buffer of %s: %s late, want %s", buffer, got, max(0, lost-buffer))
			}
			if lost > buffer {
				late++
			}
		}
		if (late > 0) != (buffer < time.Second) {
			t.Errorf("a buffer of %s: %d turns are late", buffer, late)
		}
	}
}
