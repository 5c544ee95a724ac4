package stage

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"halfsecond/mockllm/speech"
	"halfsecond/pipeline"
)

// TTSConfig sets up a TTS.
type TTSConfig struct {
	Seed    uint64
	Profile speech.TTS
	Rate    int // samples a second
	// Whole says that a text is taken as a whole: what has More of it waits for its end.
	Whole bool
}

// TTS speaks texts, as a pipeline.TTS. Each Saying has a synthesizer of its own, which speaks
// every piece of text at once, one after the other.
type TTS struct {
	loop   pipeline.Scheduler
	config TTSConfig
}

// NewTTS returns a TTS that runs on the loop.
func NewTTS(loop pipeline.Scheduler, c TTSConfig) *TTS { return &TTS{loop, c} }

// saying is a text under way.
type saying struct {
	tts         *TTS
	s           *pipeline.Saying
	synthesizer *speech.Synthesizer
	measure     measure
	held        strings.Builder // text without anything to say so far, or of a whole
	characters  int
	jobs        int // asked for and not told to the end
	finished    bool
	ended       bool
}

// Start implements pipeline.TTS.
func (t *TTS) Start(s *pipeline.Saying) {
	x := &saying{tts: t, s: s, measure: newMeasure(t.config.Rate)}
	s.State = x
	s.Record.Simulated = true
	if !t.config.Whole {
		s.Record.Ready = t.loop.Now()
		x.open()
	}
	x.say(s.Text)
	if !s.More {
		x.finish()
	}
}

// open makes the synthesizer, as a connection does.
func (x *saying) open() {
	c := &x.tts.config
	x.synthesizer = speech.NewSynthesizer(x.tts.loop, speech.Speaking{Rate: c.Rate, Profile: c.Profile, Seed: c.Seed, Stream: x.s.Stream}, x.tell)
}

// Say implements pipeline.TTS.
func (t *TTS) Say(s *pipeline.Saying, text string) {
	if x, ok := s.State.(*saying); ok && !x.finished {
		x.say(text)
	}
}

// Finish implements pipeline.TTS.
func (t *TTS) Finish(s *pipeline.Saying) {
	if x, ok := s.State.(*saying); ok && !x.finished {
		x.finish()
	}
}

// Cancel implements pipeline.TTS.
func (t *TTS) Cancel(s *pipeline.Saying) {
	x, ok := s.State.(*saying)
	if !ok || x.ended {
		return
	}
	x.finished = true
	if x.synthesizer != nil {
		x.synthesizer.Clear()
	}
	x.later(func() { x.end(pipeline.Cancelled, "cancelled by the asker") })
}

// say takes text, and has it spoken unless it is a part of a whole.
func (x *saying) say(text string) {
	if text == "" {
		return
	}
	x.characters += utf8.RuneCountInString(text)
	x.held.WriteString(text)
	if !x.tts.config.Whole {
		x.note()
		x.speak()
	}
}

// note notes that text goes out.
func (x *saying) note() {
	now := x.tts.loop.Now()
	first(&x.s.Record.Sent, now)
	x.s.Record.LastSent = now
}

// speak has what is held spoken, if there is anything to say in it.
func (x *saying) speak() {
	if text := x.held.String(); strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		x.held.Reset()
		x.jobs++
		x.synthesizer.Speak(text)
	}
}

// finish says that no more text comes.
func (x *saying) finish() {
	x.finished = true
	switch {
	case x.characters == 0:
		x.later(func() { x.end(pipeline.Dropped, "there is no text to be spoken") })
		return
	case x.tts.config.Whole:
		x.open()
		x.note()
		x.speak()
	}
	if x.jobs == 0 {
		x.later(x.over)
	}
}

// tell passes on a chunk.
func (x *saying) tell(c speech.Chunk) {
	now := x.tts.loop.Now()
	x.measure.take(c, now)
	sound := x.measure.sound(c, now)
	if c.Last {
		x.jobs--
	}
	x.later(func() {
		if x.ended {
			return
		}
		if x.s.Notify != nil && c.Length > 0 {
			x.s.Notify(sound)
		}
		if c.Last && x.jobs == 0 && x.finished {
			x.over()
		}
	})
}

// over ends what was spoken to its end.
func (x *saying) over() {
	if x.measure.samples == 0 {
		x.end(pipeline.Error, "no audio came")
		return
	}
	x.end(pipeline.OK, "")
}

// later does something as an input of this instant, as a client does what it reads.
func (x *saying) later(f func()) { x.tts.loop.At(x.tts.loop.Now(), pipeline.RankInput, f) }

// end completes the record.
func (x *saying) end(o pipeline.Outcome, reason string) {
	if x.ended {
		return
	}
	x.ended = true
	r, m := &x.s.Record, &x.measure
	r.FirstByte, r.FirstAudio, r.FirstAudible, r.LastAudio, r.End = m.first, m.first, m.audible, m.last, x.tts.loop.Now()
	r.Lead, r.Voiced, r.Samples, r.Rate, r.Channels, r.Bits, r.Bytes = m.lead, m.voiced, m.samples, m.rate, 1, bits, m.samples*bits/8
	r.Underruns, r.Stalled, r.Characters, r.Outcome, r.Reason, r.Flags = m.waits, m.stalled, x.characters, o, reason, []string{}
	x.s.Done()
}

// bits is how many a sample has.
const bits = 16
