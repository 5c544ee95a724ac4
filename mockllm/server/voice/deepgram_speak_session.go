package voice

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gorilla/websocket"

	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/deepgram"
)

// speakSession is a conversation of /v1/speak: text and commands one way, raw audio the
// other. Text is held until a Flush asks for it, however much there is: the documents
// say that audio is obtained so, and users have measured that there is none without
// (public repositories, read 2026-11-29).
type speakSession struct {
	visit
	mouth   *mouth
	held    strings.Builder
	last    int    // number of the last text that was handed to the mouth
	waiting []int  // of each Flush that is not done, the text that it waits for
	notices int    // sent
	flushes recent // in the last FlushWindow
	letters recent // characters in the last ThroughputWindow
	limit   pipeline.Timer
	closing bool
}

func newSpeakSession(v visit, o speakOptions) *speakSession {
	s := &speakSession{visit: v, flushes: recent{span: deepgram.FlushWindow * time.Second}, letters: recent{span: deepgram.ThroughputWindow * time.Second}}
	s.mouth = v.service.mouth(&s.entry, o.model, o.speed, o.output, s.tell)
	s.say(deepgram.SpeakMetadata{
		Type: deepgram.TypeSpeakMetadata, RequestID: s.entry.ID,
		ModelName: o.model, ModelVersion: deepgramInfo(o.model).Version, ModelUUID: uuidOf(o.model),
	})
	s.limit = s.loop.After(deepgram.MaxSpeakSession*time.Minute, pipeline.RankTimer, func() {
		s.fail(websocket.CloseInternalServerErr, deepgram.ReasonTimeExceeded)
	})
	return s
}

func (s *speakSession) binary([]byte) {
	s.fail(websocket.CloseUnsupportedData, deepgram.ReasonNotText)
}

func (s *speakSession) text(b []byte) {
	if s.closing {
		return
	}
	var c deepgram.SpeakCommand
	if json.Unmarshal(b, &c) != nil {
		c.Type = ""
	}
	switch c.Type {
	case deepgram.TypeSpeak:
		s.hold(c.Text)
	case deepgram.TypeFlush:
		s.flush()
	case deepgram.TypeClear:
		s.clear()
	case deepgram.TypeClose:
		s.stop()
		s.settle(pipeline.OK, "")
		s.close(websocket.CloseNormalClosure, "")
	default:
		s.fail(websocket.ClosePolicyViolation, deepgram.ReasonNoCommand)
	}
}

// hold keeps a text until the next Flush.
func (s *speakSession) hold(text string) {
	n := utf8.RuneCountInString(text)
	if n > deepgram.MaxSpeakText {
		s.fail(websocket.CloseMessageTooBig, deepgram.ReasonLongText)
		return
	}
	if s.letters.add(s.loop.Now(), n) > deepgram.MaxThroughput {
		s.fail(websocket.ClosePolicyViolation, deepgram.ReasonThroughput)
		return
	}
	s.held.WriteString(text)
}

// flush asks for the audio of what is held. A Flush of nothing is done when those
// before it are.
func (s *speakSession) flush() {
	if s.flushes.total(s.loop.Now()) >= deepgram.MaxFlushes {
		s.warn(deepgram.CodeExcessiveFlush, fmt.Sprintf("at most %d Flush messages are processed in %d seconds: this one was not", deepgram.MaxFlushes, deepgram.FlushWindow))
		return
	}
	s.flushes.add(s.loop.Now(), 1)
	if speakable(s.held.String()) {
		s.last = s.mouth.say(s.held.String())
		s.held.Reset()
	}
	if !s.mouth.busy() {
		s.notice(deepgram.TypeFlushed)
		return
	}
	s.waiting = append(s.waiting, s.last)
}

// clear drops all text and audio that has not been sent. No Flushed comes for it.
func (s *speakSession) clear() {
	s.mouth.inner.Clear()
	s.held.Reset()
	s.waiting = nil
	s.notice(deepgram.TypeCleared)
}

// tell sends audio, and says which Flushes are done with it.
func (s *speakSession) tell(v sound) {
	s.later(true, v.weight, v.encode)
	for v.Last && len(s.waiting) > 0 && s.waiting[0] == v.Job {
		s.waiting = s.waiting[1:]
		s.notice(deepgram.TypeFlushed)
	}
}

// notice says that a command is done. Notices are counted from 0, both kinds together;
// the documents show only a first one of each.
func (s *speakSession) notice(kind string) {
	s.say(deepgram.SpeakNotice{Type: kind, SequenceID: s.notices})
	s.notices++
}

func (s *speakSession) warn(code, description string) {
	s.say(deepgram.SpeakWarning{Type: deepgram.TypeWarning, Code: code, Description: description, WarnCode: code, WarnMessage: description})
}

// fail ends the conversation because of an error.
func (s *speakSession) fail(code int, reason string) {
	if s.closing {
		return
	}
	s.stop()
	s.settle(pipeline.Error, reason)
	s.close(code, reason)
}

func (s *speakSession) stop() {
	s.closing = true
	s.limit.Stop()
	s.mouth.inner.Clear()
}

// gone says that the connection has ended. A client that has all that it asked for
// needs no Close.
func (s *speakSession) gone() {
	if !s.mouth.busy() {
		s.settle(pipeline.OK, "")
	}
	s.stop()
	s.leave(0)
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
