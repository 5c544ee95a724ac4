package voicetest

import (
	"time"

	"halfsecond/mockllm/speech"
	"halfsecond/pipeline/dist"
)

const ms = time.Millisecond

// Patient is a recognizer that is as fast whatever its name: 300 ms for a final, 40 ms
// for an interim result each second.
func Patient(string) speech.STT {
	return speech.STT{
		Final: dist.Constant(300 * ms), Interim: dist.Constant(40 * ms), Every: time.Second, MaxSpan: 5 * time.Second,
		Turn: speech.Turn{Silence: 200 * ms},
	}
}

// Verbal is Patient with an interim result for each word.
func Verbal(string) speech.STT {
	p := Patient("")
	p.Every, p.MaxSpan = 0, 0
	return p
}

// Steady is a voice whose every instant can be told: the first chunk of 100 ms after
// 200 ms, and another every 50 ms. "ab" plays .3 s: 50 ms of silence, two characters of
// 100 ms, and 50 ms of silence.
func Steady(model string) speech.TTS {
	return speech.TTS{Name: model, FirstByte: dist.Constant(200 * ms), Speed: 2, Chunk: 100 * ms, Lead: 50 * ms, Tail: 50 * ms, Pace: 10}
}
