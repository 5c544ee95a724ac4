package deepgram

import (
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"time"
	"unicode/utf8"

	"halfsecond/mockllm/server/voice/mouth"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/deepgram"
)

// speakSession is a conversation of /v1/speak: text and commands one way, raw audio the
// other. Text is held until a Flush asks for it, however much there is: the documents
// say that audio is obtained so, and users have measured that there is none without
// (public repositories, read 2026-11-29).
type speakSession struct {
	talk.Visit
	mouth   *mouth.Mouth
	held    strings.Builder
	last    int    // number of the last text that was handed to the mouth
	waiting []int  // of each Flush that is not done, the text that it waits for
	notices int    // sent
	flushes recent // in the last FlushWindow
	letters recent // characters in the last ThroughputWindow
	limit   pipeline.Timer
	closing bool
}

func newSpeakSession(v talk.Visit, mouths *mouth.Models, o speakOptions) *speakSession {
	s := &speakSession{Visit: v, flushes: recent{span: deepgram.FlushWindow * time.Second}, letters: recent{span: deepgram.ThroughputWindow * time.Second}}
	s.mouth = mouths.Mouth(&s.Entry, o.model, o.speed, o.output, s.tell)
	s.Say(deepgram.SpeakMetadata{
		Type: deepgram.TypeSpeakMetadata, RequestID: s.Entry.ID,
		ModelName: o.model, ModelVersion: modelInfo(o.model).Version, ModelUUID: talk.UUID(o.model),
	})
	s.limit = s.Loop.After(deepgram.MaxSpeakSession*time.Minute, pipeline.RankTimer, func() {
		s.fail(talk.CloseInternal, deepgram.ReasonTimeExceeded)
	})
	return s
}

// Binary implements talk.Session.
func (s *speakSession) Binary([]byte) iter.Seq[func()] {
	return talk.Once(func() { s.fail(talk.CloseUnsupported, deepgram.ReasonNotText) })
}

// Text implements talk.Session.
func (s *speakSession) Text(b []byte) iter.Seq[func()] {
	var c deepgram.SpeakCommand
	if json.Unmarshal(b, &c) != nil {
		c.Type = ""
	}
	characters := utf8.RuneCountInString(c.Text)
	return talk.Once(func() { s.take(c, characters) })
}

// take takes a command of the client, whose text has so many characters.
func (s *speakSession) take(c deepgram.SpeakCommand, characters int) {
	if s.closing {
		return
	}
	switch c.Type {
	case deepgram.TypeSpeak:
		s.hold(c.Text, characters)
	case deepgram.TypeFlush:
		s.flush()
	case deepgram.TypeClear:
		s.clear()
	case deepgram.TypeClose:
		s.stop()
		s.Settle(pipeline.OK, "")
		s.Close(talk.CloseNormal, "")
	default:
		s.fail(talk.ClosePolicy, deepgram.ReasonNoCommand)
	}
}

// hold keeps a text of n characters until the next Flush.
func (s *speakSession) hold(text string, n int) {
	if n > deepgram.MaxSpeakText {
		s.fail(talk.CloseTooBig, deepgram.ReasonLongText)
		return
	}
	if s.letters.add(s.Loop.Now(), n) > deepgram.MaxThroughput {
		s.fail(talk.ClosePolicy, deepgram.ReasonThroughput)
		return
	}
	s.held.WriteString(text)
}

// flush asks for the audio of what is held. A Flush of nothing is done when those
// before it are.
func (s *speakSession) flush() {
	if s.flushes.total(s.Loop.Now()) >= deepgram.MaxFlushes {
		s.warn(deepgram.CodeExcessiveFlush, fmt.Sprintf("at most %d Flush messages are processed in %d seconds: this one was not", deepgram.MaxFlushes, deepgram.FlushWindow))
		return
	}
	s.flushes.add(s.Loop.Now(), 1)
	if mouth.Speakable(s.held.String()) {
		s.last = s.mouth.Say(s.held.String())
		s.held.Reset()
	}
	if !s.mouth.Busy() {
		s.notice(deepgram.TypeFlushed)
		return
	}
	s.waiting = append(s.waiting, s.last)
}

// clear drops all text and audio that has not been sent. No Flushed comes for it.
func (s *speakSession) clear() {
	s.mouth.Clear()
	s.held.Reset()
	s.waiting = nil
	s.notice(deepgram.TypeCleared)
}

// tell sends audio, and says which Flushes are done with it.
func (s *speakSession) tell(v mouth.Sound) {
	s.BinaryLater(v.Weight, v.Encode)
	for v.Last && len(s.waiting) > 0 && s.waiting[0] == v.Job {
		s.waiting = s.waiting[1:]
		s.notice(deepgram.TypeFlushed)
	}
}

// notice says that a command is done. Notices are counted from 0, both kinds together;
// the documents show only a first one of each.
func (s *speakSession) notice(kind string) {
	s.Say(deepgram.SpeakNotice{Type: kind, SequenceID: s.notices})
	s.notices++
}

func (s *speakSession) warn(code, description string) {
	s.Say(deepgram.SpeakWarning{Type: deepgram.TypeWarning, Code: code, Description: description, WarnCode: code, WarnMessage: description})
}

// fail ends the conversation because of an error.
func (s *speakSession) fail(code int, reason string) {
	if s.closing {
		return
	}
	s.stop()
	s.Settle(pipeline.Error, reason)
	s.Close(code, reason)
}

func (s *speakSession) stop() {
	s.closing = true
	s.limit.Stop()
	s.mouth.Clear()
}

// Gone says that the connection has ended. A client that has all that it asked for
// needs no Close.
func (s *speakSession) Gone() {
	if !s.mouth.Busy() {
		s.Settle(pipeline.OK, "")
	}
	s.stop()
	s.Leave(0)
}

// recent counts what happened in a span of time until now.
type recent struct {
	span   time.Duration
	counts []count
}

type count struct {
	at time.Duration
	n  int
}

// add counts n more, and returns the total.
func (r *recent) add(now time.Duration, n int) int {
	r.counts = append(r.counts, count{now, n})
	return r.total(now)
}

func (r *recent) total(now time.Duration) (sum int) {
	for len(r.counts) > 0 && r.counts[0].at <= now-r.span {
		r.counts = r.counts[1:]
	}
	for _, c := range r.counts {
		sum += c.n
	}
	return sum
}
