package voice

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/wyoming"
)

// wyomingTTS is the voice that speaks when the client names none, the usual one of Home
// Assistant, and wyomingRate the rate of its voices of medium quality.
const (
	wyomingTTS  = "piper"
	wyomingRate = 22_050
)

// wyomingText is a text to be spoken by a voice: as one piece of audio.
type wyomingText struct {
	voice, text string
	last        bool // of a stream of texts, which may have nothing to say
	stream      bool
}

// wyomingStream is texts that come in pieces.
type wyomingStream struct {
	voice, pending string
}

// wyomingSpeaking is a voice that speaks.
type wyomingSpeaking struct {
	talk  *wyomingTalk
	voice string
	inner *speech.Synthesizer
	jobs  []*wyomingJob // under way, in order
}

// wyomingJob is a text that is being spoken.
type wyomingJob struct {
	wyomingText
	entry  ledger.Entry
	begun  bool
	length time.Duration // spoken
}

// synthesize handles a text. While texts come in pieces it is one that is meant for
// servers that cannot take those.
func (t *wyomingTalk) synthesize(e wyoming.Event) error {
	var v wyoming.Speak
	if err := e.Decode(&v); err != nil {
		return err
	}
	if t.stream == nil {
		t.speak(wyomingText{voice: voiceOf(v), text: v.Text})
	}
	return nil
}

func voiceOf(v wyoming.Speak) string {
	if v.Voice == nil || v.Voice.Name == "" {
		return wyomingTTS
	}
	return v.Voice.Name
}

// synthesizeStart handles the start of texts in pieces.
func (t *wyomingTalk) synthesizeStart(e wyoming.Event) error {
	var v wyoming.Speak
	if err := e.Decode(&v); err != nil {
		return err
	}
	if t.stream != nil {
		return errors.New("synthesize-start came before synthesize-stop of the texts before")
	}
	t.stream = &wyomingStream{voice: voiceOf(v)}
	return nil
}

// wyomingEnd finds the end of a sentence.
var wyomingEnd = regexp.MustCompile(`[.!?…]["'”’)\]]*\s|[。！？\n]`)

// synthesizeChunk handles a piece of text: sentences that it completes are spoken.
func (t *wyomingTalk) synthesizeChunk(e wyoming.Event) error {
	var v wyoming.Text
	if err := e.Decode(&v); err != nil {
		return err
	}
	s := t.stream
	if s == nil {
		return errors.New("synthesize-chunk came without synthesize-start")
	}
	if s.pending += v.Text; len(s.pending) > mostText {
		return fmt.Errorf("the text has %d bytes without the end of a sentence, want at most %d", len(s.pending), mostText)
	}
	for end := wyomingEnd.FindStringIndex(s.pending); end != nil; end = wyomingEnd.FindStringIndex(s.pending) {
		t.speak(wyomingText{voice: s.voice, text: s.pending[:end[1]], stream: true})
		s.pending = s.pending[end[1]:]
	}
	return nil
}

// synthesizeStop handles the end of texts in pieces: what is left is spoken.
func (t *wyomingTalk) synthesizeStop(wyoming.Event) error {
	s := t.stream
	if s == nil {
		return errors.New("synthesize-stop came without synthesize-start")
	}
	t.stream = nil
	t.speak(wyomingText{voice: s.voice, text: s.pending, stream: true, last: true})
	return nil
}

// speak speaks a text after those before. Another voice begins when the one before has
// finished.
func (t *wyomingTalk) speak(text wyomingText) {
	if len(t.waiting) > 0 || t.speaking != nil && t.speaking.voice != text.voice && len(t.speaking.jobs) > 0 {
		t.waiting = append(t.waiting, text)
		return
	}
	if t.speaking == nil || t.speaking.voice != text.voice {
		t.speaking = &wyomingSpeaking{talk: t, voice: text.voice}
		t.speaking.inner = speech.NewSynthesizer(t.loop, speech.Speaking{
			Rate: wyomingRate, Profile: t.service.config.TTS(text.voice), Seed: t.service.config.Seed, Stream: t.service.stream(),
		}, t.speaking.chunk)
	}
	t.speaking.add(text)
}

// add speaks a text of this voice.
func (s *wyomingSpeaking) add(text wyomingText) {
	now := s.talk.loop.Now()
	s.jobs = append(s.jobs, &wyomingJob{wyomingText: text, entry: ledger.Entry{
		Protocol: "wyoming tts", Model: s.voice, Arrived: now, Started: now, First: pipeline.Unknown, Left: pipeline.Unknown,
		Characters: len([]rune(text.text)),
	}})
	s.inner.Speak(text.text)
}

// chunk tells audio of the first text.
func (s *wyomingSpeaking) chunk(c speech.Chunk) {
	t, j := s.talk, s.jobs[0]
	format := wyoming.Audio{Rate: wyomingRate, Width: 2, Channels: 1}
	if silent := j.stream && c.Last && c.Length == 0 && !j.begun; !silent {
		s.open(j, format)
	}
	at := int(j.length / time.Millisecond)
	format.Timestamp = &at
	if c.Length > 0 {
		t.out.put(frame{due: t.loop.Now(), weight: 2 * c.Length, make: func() []byte {
			return wyomingEvent(wyoming.AudioChunk, format, audio.Encode(nil, c.Samples(), audio.S16LE))
		}})
		j.length += audio.Duration(c.Length, wyomingRate)
	}
	if c.Last {
		s.done(j)
	}
}

// open begins the audio of a text.
func (s *wyomingSpeaking) open(j *wyomingJob, format wyoming.Audio) {
	if j.begun {
		return
	}
	j.begun, j.entry.First = true, s.talk.loop.Now()
	zero := 0
	format.Timestamp = &zero
	s.talk.say(wyoming.AudioStart, format)
}

// done ends the audio of a text.
func (s *wyomingSpeaking) done(j *wyomingJob) {
	t := s.talk
	if j.begun {
		end := int(j.length / time.Millisecond)
		t.say(wyoming.AudioStop, wyoming.Moment{Timestamp: &end})
		s.record(j)
	}
	if j.last {
		t.say(wyoming.SynthesizeStopped, nil)
	}
	s.jobs = s.jobs[1:]
	if len(s.jobs) == 0 {
		waiting := t.waiting
		t.waiting = nil
		for _, text := range waiting {
			t.speak(text)
		}
	}
}

// record tells the ledger.
func (s *wyomingSpeaking) record(j *wyomingJob) {
	j.entry.Ended, j.entry.AudioOut = s.talk.loop.Now(), j.length
	s.talk.service.config.Ledger.Add(j.entry)
}

// leave ends the texts of a client that is gone.
func (s *wyomingSpeaking) leave() {
	s.inner.Clear()
	for _, j := range s.jobs {
		j.entry.Left = s.talk.loop.Now()
		j.entry.Outcome, j.entry.Reason = pipeline.Cancelled, "the client closed the connection"
		s.record(j)
	}
	s.jobs = nil
}
