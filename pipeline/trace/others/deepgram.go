package others

import (
	"cmp"
	"time"

	"halfsecond/pipeline"
)

// latencyReport reads a message of Deepgram's voice agent, one a turn: seconds, each of them
// optional. Source: developers.deepgram.com/docs/voice-agent-latency-report, read 2026-11-30.
// It does not say how long the end of the turn took, so that is part of the wait before the
// model; ttt_thinking_latency and ttt_tool_latency lie inside the time to the first text.
func (im *Importer) latencyReport(o object, at place) error {
	if err := im.use(deepgramAgent, at); err != nil {
		return err
	}
	t := newTurn(cmp.Or(im.deepgram, callOf(o, at.file)), "")
	var parts [5]time.Duration
	for i, key := range []string{"total_latency", "stt_latency", "ttt_text_latency", "ttt_token_latency", "tts_latency"} {
		d, err := o.span(key, time.Second)
		if err != nil {
			return at.errorf("%v", err)
		}
		parts[i] = d
	}
	first := parts[2]
	if first == unknown {
		first = parts[3]
	}
	t.sent = parts[0]
	t.lay([][]step{{{pipeline.SpanSTTTail, parts[1]}}}, []step{{pipeline.SpanLLMFirstToken, first}, {pipeline.SpanTTSFirstAudio, parts[4]}})
	for _, key := range []string{"ttt_thinking_latency", "ttt_tool_latency"} {
		if d, err := o.span(key, time.Second); err != nil {
			return at.errorf("%v", err)
		} else if d != unknown {
			t.fact(key, d.String())
		}
	}
	return im.add(t, at)
}
