package voice

import (
	"strconv"
	"time"

	"halfsecond/pipeline"
	"halfsecond/simulators/voice/transport"
)

// frames returns how many frames a length of sound is, the last of them perhaps in part.
func frames(line *transport.Line, sound time.Duration) int {
	return int((sound + line.Frame - 1) / line.Frame)
}

// loseSpeech returns how much later the end of the user's speech is at the agent, since
// frames of it were lost, and has the trace say how much of it was not heard. A jitter buffer
// gives each frame on so long after it would have come: it hides what is later by less.
func (t *turn) loseSpeech() time.Duration {
	line := t.simulator.config.Stack.Line
	if line == nil || t.simulator.config.Services.hears() {
		return 0
	}
	r := t.chance("loss/speech")
	f := line.End(frames(line, t.drawn.utterance), &r)
	t.fact(pipeline.FactSpeechClipped, strconv.FormatFloat(f.Share(), 'g', 6, 64))
	return max(0, f.Late-t.drawn.jitter)
}

// loseReply is loseSpeech for the beginning of the reply at the ear.
func (t *turn) loseReply() time.Duration {
	line := t.simulator.config.Stack.Line
	if line == nil {
		return 0
	}
	r := t.chance("loss/reply")
	f := line.First(max(1, frames(line, t.reply())), &r)
	t.fact(pipeline.FactReplyClipped, strconv.FormatFloat(f.Share(), 'g', 6, 64))
	return f.Late
}
