package runner

import (
	"context"
	"net"
	"time"

	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/stage"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/listen"
	"halfsecond/pipeline/endpoint/speak"
	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/simulators/scenario"
	"halfsecond/simulators/voice"
	"halfsecond/simulators/voice/utterance"
)

// What users say in a recording, a recognizer of the mock's hears and a synthesizer of the
// mock's answers: on the loop of the simulator as on the mock's servers. Both forms have the
// same profiles, seed and streams, so that they agree to the nanosecond where nobody is late.

// audio returns how users say recordings; nil where they do not.
func (r *run) audio() *scenario.Audio {
	if r.scenario.Voice == nil {
		return nil
	}
	return r.scenario.Voice.Audio
}

// speechRate is how many samples a second the synthesizer makes, and audioModel what its
// servers call the recognizer and it. The mock serves any name with the same profile.
const (
	speechRate = 24_000
	audioModel = "halfsecond"
)

// wordGap is the time without words after which the recognizer says so: the client asks
// Deepgram's protocol for the least that there is.
const wordGap = time.Second

// Said returns a recording as users say it, with the detector that the agent hears it by.
// Text is what it says, "" where nobody knows.
func Said(v pipeline.Voice, text string) voice.Said {
	return voice.Said{Voice: v, Text: text, Detect: utterance.NewDetector(v).Detect}
}

// voices returns what users say.
func voices(a *scenario.Audio) (all []voice.Said) {
	for _, s := range a.Says {
		all = append(all, Said(s.Recording.Voice(), s.Text))
	}
	return all
}

// transcript returns what the recognizer hears: what is said, where that is one text, and
// words of the seed otherwise.
func transcript(a *scenario.Audio) []string {
	if len(a.Says) == 1 && a.Says[0].Text != "" {
		return []string{a.Says[0].Text}
	}
	return nil
}

// recognizer returns how the recognizer behaves.
func recognizer(v *scenario.Voice) speech.STT {
	turn := speech.Turn{Never: true}
	if v.Audio.Finals == scenario.FinalsTold {
		turn = speech.Turn{Silence: v.Audio.Silence}
	}
	return speech.STT{Name: audioModel, Final: v.STTTail.Dist, Interim: v.STTInterim.Dist, Turn: turn}
}

// synthesizer returns how the synthesizer behaves.
func synthesizer(v *scenario.Voice) speech.TTS {
	p := speech.TTS{Name: audioModel, FirstByte: v.TTSFirstAudio.Dist, Lead: v.LeadingSilence.Quantile(.5)}
	if v.TTSFactor > 0 {
		p.Speed = 1 / v.TTSFactor
	}
	return p
}

// hearOnLoop makes the services of who says recordings on the run's own loop: all of them on
// the simulator, those that are no endpoint's elsewhere.
func (r *run) hearOnLoop(loop pipeline.Scheduler) {
	a, v := r.audio(), r.scenario.Voice
	if a == nil {
		return
	}
	script := speech.Script{Texts: transcript(a)}
	r.services = voice.Services{
		STT: stage.NewSTT(loop, stage.STTConfig{
			Seed: r.settings.Seed, Profile: recognizer(v), Script: script,
			WordGap: wordGap, Frame: a.Frame, Asked: a.Finals == scenario.FinalsAsked, Trail: listen.UsualTrail,
		}),
		TTS: stage.NewTTS(loop, stage.TTSConfig{
			Seed: r.settings.Seed, Profile: synthesizer(v), Rate: speechRate, Whole: a.Speech == scenario.SpeechWhole,
		}),
		Voices: voices(a), Pieces: a.Speech == scenario.SpeechWhole,
	}
}

// mockSpeech returns where the mock's speech services are.
func (r *run) mockSpeech(address string, dial func(ctx context.Context, network, address string) (net.Conn, error)) Speech {
	a := r.audio()
	if a == nil {
		return Speech{}
	}
	at := talk.Config{URL: "http://" + address, DialContext: dial, SendStream: true}
	tts := &speak.Config{Config: at, Protocol: speak.DeepgramSpeak, Model: audioModel, Rate: speechRate, Eager: true}
	if a.Speech == scenario.SpeechWhole {
		tts.Protocol, tts.Voice = speak.OpenAISpeech, "alloy"
	}
	return Speech{
		STT: &listen.Config{
			Config: at, Protocol: listen.DeepgramListen, Model: audioModel, Frame: a.Frame, Format: true, Force: a.Finals == scenario.FinalsAsked,
		},
		TTS: tts, Voices: voices(a),
	}
}
