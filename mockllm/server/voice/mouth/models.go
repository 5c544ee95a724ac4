// Package mouth is what speaks on the loop, whatever the protocol.
//
// Read mouth.go for one that speaks texts one after the other, and recital.go for the
// answer to one HTTP request. What is spoken, and when, is package speech.
package mouth

import (
	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
)

// Models are the models that speak.
type Models struct {
	Host *talk.Host
	// TTS returns how a model of that name behaves.
	TTS func(model string) speech.TTS
}

// Mouth returns a mouth of a model, whose pace is multiplied by the speed; 0 is 1. The
// output must be one that can be written. A text's audio ends with its last chunk; of a
// text with nothing to say that is the only one.
func (m *Models) Mouth(entry *ledger.Entry, model string, speed float64, o audio.Output, tell func(Sound)) *Mouth {
	h := m.Host
	mouth := &Mouth{profile: hurried(m.TTS(model), speed), loop: h.Loop, entry: entry, output: o, tell: tell}
	mouth.inner = speech.NewSynthesizer(h.Loop, speech.Speaking{
		Rate: o.Format.Rate, Profile: mouth.profile, Seed: h.Seed, Stream: h.Synthesizer(entry.Stream),
	}, mouth.told)
	return mouth
}

// hurried returns a profile at a speed.
func hurried(p speech.TTS, speed float64) speech.TTS {
	if p.Pace <= 0 {
		usual, _ := speech.FindTTS(speech.DefaultTTS)
		p.Pace = usual.Pace
	}
	if speed > 0 {
		p.Pace *= speed
	}
	return p
}
