package wyoming

import (
	"errors"
	"fmt"
	"regexp"
	"time"
	"unicode/utf8"

	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/server/voice/mouth"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline/wire/wyoming"
)

// usualTTS is the voice that speaks when the client names none, the usual one of Home
// Assistant, and voiceRate the rate of its voices of medium quality.
const (
	usualTTS  = "piper"
	voiceRate = 22_050
)

// utterance is a text to be spoken by a voice: as one piece of audio.
type utterance struct {
	voice, text string
	event       string // that it came with
	last        bool   // of a stream of texts, which may have nothing to say
	stream      bool
}

// The most of texts: how many may wait to be spoken, and the bytes of a sentence. Both are
// ours; the protocol has no limits.
const (
	mostTexts       = 10_000
	longestSentence = 32 << 10
)

// pieces is texts that come in pieces.
type pieces struct {
	voice, pending string
}

// speaking is a voice that speaks.
type speaking struct {
	conn  *session
	voice string
	inner *speech.Synthesizer
	jobs  []*job // under way, in order
}

// job is a text that is being spoken.
type job struct {
	utterance
	entry  ledger.Entry
	begun  bool
	length time.Duration // spoken
}

// synthesize handles a text. While texts come in pieces it is one that is meant for
// servers that cannot take those.
func (t *session) synthesize(e wyoming.Event) error {
	var v wyoming.Speak
	if err := e.Decode(&v); err != nil {
		return err
	}
	if t.stream == nil {
		return t.speak(utterance{voice: voiceOf(v), text: v.Text, event: e.Type})
	}
	return nil
}

func voiceOf(v wyoming.Speak) string {
	if v.Voice == nil || v.Voice.Name == "" {
		return usualTTS
	}
	return v.Voice.Name
}

// synthesizeStart handles the start of texts in pieces.
func (t *session) synthesizeStart(e wyoming.Event) error {
	var v wyoming.Speak
	if err := e.Decode(&v); err != nil {
		return err
	}
	if t.stream != nil {
		return errors.New("synthesize-start came before synthesize-stop of the texts before")
	}
	t.stream = &pieces{voice: voiceOf(v)}
	return nil
}

// sentenceEnd finds the end of a sentence.
var sentenceEnd = regexp.MustCompile(`[.!?…]["'”’)\]]*\s|[。！？\n]`)

// synthesizeChunk handles a piece of text: sentences that it completes are spoken.
func (t *session) synthesizeChunk(e wyoming.Event) error {
	var v wyoming.Text
	if err := e.Decode(&v); err != nil {
		return err
	}
	s := t.stream
	if s == nil {
		return errors.New("synthesize-chunk came without synthesize-start")
	}
	s.pending += v.Text
	for end := sentenceEnd.FindStringIndex(s.pending); end != nil; end = sentenceEnd.FindStringIndex(s.pending) {
		if err := t.speak(utterance{voice: s.voice, text: s.pending[:end[1]], event: e.Type, stream: true}); err != nil {
			return err
		}
		s.pending = s.pending[end[1]:]
	}
	if n := len(s.pending); n > longestSentence {
		return fmt.Errorf("the text has %d bytes without the end of a sentence, want at most %d", n, longestSentence)
	}
	return nil
}

// synthesizeStop handles the end of texts in pieces: what is left is spoken.
func (t *session) synthesizeStop(e wyoming.Event) error {
	s := t.stream
	if s == nil {
		return errors.New("synthesize-stop came without synthesize-start")
	}
	t.stream = nil
	return t.speak(utterance{voice: s.voice, text: s.pending, event: e.Type, stream: true, last: true})
}

// speak speaks a text after those before, unless too much waits already.
func (t *session) speak(text utterance) error {
	waiting := len(t.waiting)
	if t.speaking != nil {
		waiting += len(t.speaking.jobs)
	}
	t.queued += len(text.text)
	if waiting >= mostTexts || t.queued > mouth.MostQueued {
		return fmt.Errorf("%d texts of %d bytes wait to be spoken, want at most %d of %d", waiting+1, t.queued, mostTexts, mouth.MostQueued)
	}
	t.queue(text)
	return nil
}

// queue speaks a text after those before. Another voice begins when the one before has
// finished.
func (t *session) queue(text utterance) {
	if len(t.waiting) > 0 || t.speaking != nil && t.speaking.voice != text.voice && len(t.speaking.jobs) > 0 {
		t.waiting = append(t.waiting, text)
		return
	}
	if t.speaking == nil || t.speaking.voice != text.voice {
		t.speaking = &speaking{conn: t, voice: text.voice}
		t.speaking.inner = speech.NewSynthesizer(t.Loop, speech.Speaking{
			Rate: voiceRate, Profile: t.service.Mouths.TTS(text.voice), Seed: t.service.Seed, Stream: t.service.Synthesizer(0),
		}, t.speaking.chunk)
	}
	t.speaking.add(text)
}

// add speaks a text of this voice.
func (s *speaking) add(text utterance) {
	j := &job{utterance: text, entry: talk.Begin("wyoming tts", s.conn.service.NewID(""), text.event, s.voice, s.conn.Loop.Now())}
	j.entry.Characters = utf8.RuneCountInString(text.text)
	s.jobs = append(s.jobs, j)
	s.inner.Speak(text.text)
}

// chunk tells audio of the first text.
func (s *speaking) chunk(c speech.Chunk) {
	t, j := s.conn, s.jobs[0]
	format := wyoming.Audio{Rate: voiceRate, Width: 2, Channels: 1}
	if silent := j.stream && c.Last && c.Length == 0 && !j.begun; !silent {
		s.open(j, format)
	}
	at := int(j.length / time.Millisecond)
	format.Timestamp = &at
	if c.Length > 0 {
		t.Later(2*c.Length, func() []byte {
			return encoded(wyoming.AudioChunk, format, audio.Encode(nil, c.Samples(), audio.S16LE))
		})
		j.length += audio.Duration(c.Length, voiceRate)
	}
	if c.Last {
		s.done(j)
	}
}

// open begins the audio of a text.
func (s *speaking) open(j *job, format wyoming.Audio) {
	if j.begun {
		return
	}
	j.begun, j.entry.First = true, s.conn.Loop.Now()
	zero := 0
	format.Timestamp = &zero
	s.conn.say(wyoming.AudioStart, format)
}

// done ends the audio of a text.
func (s *speaking) done(j *job) {
	t := s.conn
	t.queued -= len(j.text)
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
			t.queue(text)
		}
	}
}

// record tells the ledger.
func (s *speaking) record(j *job) {
	j.entry.Ended, j.entry.AudioOut = s.conn.Loop.Now(), j.length
	s.conn.service.Ledger.Add(j.entry)
}

// leave ends the texts of a client that is gone.
func (s *speaking) leave() {
	s.inner.Clear()
	for _, j := range s.jobs {
		talk.Abandon(&j.entry, s.conn.Loop.Now())
		s.record(j)
	}
	s.jobs = nil
}
