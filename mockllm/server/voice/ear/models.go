// Package ear is what hears on the loop, whatever the protocol: streams of audio by way
// of an Ear, and files.
//
// Read models.go for what is heard, source.go for what the bytes of a client mean,
// stretch.go for how audio gets to the loop, ear.go for what hears it there, and words.go
// for how words are written. How speech is heard, and when, is package speech.
package ear

import (
	"time"

	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline/dist"
)

// Models are the models that hear, and what they do.
type Models struct {
	Host *talk.Host
	// STT returns how a model of that name behaves.
	STT func(model string) speech.STT
	// Transcript is what is heard, an utterance each, from the start again after the
	// last; an empty one leaves the words to the mock. Every stream and every upload
	// hears it from the start.
	Transcript []string
}

// Dictated is the query parameter, and the form field of an upload, with which a client
// tells the mock what it shall hear, an utterance each time that it is given; services
// ignore it as they do what they do not know. It is our addition.
const Dictated = "mock_answer"

// Hearing returns what another recognizer of a model hears for a request: the given texts, else
// the Transcript from the first on, whatever other streams have heard.
func (m *Models) Hearing(e *ledger.Entry, model string, texts []string) speech.Hearing {
	if len(texts) == 0 {
		texts = m.Transcript
	}
	return speech.Hearing{Profile: m.STT(model), Script: speech.Script{Texts: texts}, Seed: m.Host.Seed, Stream: m.Host.Recognizer(e.Stream)}
}

// HearingAfter returns what a recognizer hears when so many utterances of the Transcript
// have been heard before.
func (m *Models) HearingAfter(e *ledger.Entry, model string, utterances int) speech.Hearing {
	return m.Hearing(e, model, rotated(m.Transcript, utterances))
}

// rotated returns texts with the first n of them at the end.
func rotated(texts []string, n int) []string {
	if len(texts) == 0 {
		return nil
	}
	n %= len(texts)
	return append(append([]string{}, texts[n:]...), texts[:n]...)
}

// Heard is what was heard in a clip.
type Heard struct {
	speech.Transcript
	Entry   ledger.Entry
	Latency time.Duration // from the arrival to the transcript
}

// Listen hears a clip that came with a request.
func Listen(c audio.Clip, h speech.Hearing, e ledger.Entry) Heard {
	e.AudioIn = c.Duration()
	r := dist.Stream(h.Seed, "voice/upload", h.Stream)
	return Heard{speech.Transcribe(c, h), e, h.Profile.Latency(&r)}
}

// Window is how much audio Whisper hears at once (openai/whisper audio.py, CHUNK_LENGTH,
// read 2026-11-29); a segment is not longer.
const Window = 30 * time.Second
