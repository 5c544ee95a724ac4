package speak

import (
	"errors"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/talk"
)

// flight is one text under way.
type flight struct {
	client *Client
	saying *pipeline.Saying
	id     string // of a context

	// Of the goroutine that reads, until the conversation has ended.
	gather *gatherer
	opened time.Duration

	// wanted is how many requests to speak what there is must be done before all is said; 0
	// while that is not known. The loop sets it, who reads looks at it.
	wanted atomic.Int64

	// Of the loop.
	line       *talk.Line // nil before a post goes out
	text       string     // gathered for a post
	pieces     int64      // sent
	characters int
	finished   bool // all text is there
	cancelled  bool
	ended      bool
}

func (f *flight) loop() talk.Loop { return f.client.talk.Loop }

// start opens a WebSocket, or gathers the text of a post.
func (f *flight) start() {
	f.opened = pipeline.Unknown
	p := f.client.protocol
	if p.socket {
		ask, err := f.client.ask(f.saying)
		if err != nil {
			f.drop(err)
			return
		}
		f.line = f.client.talk.Dial(ask, f)
		if p.begin != nil {
			f.line.Send(talk.Frame{Data: encode(p.begin(&f.client.config))})
		}
	}
	if f.saying.Text != "" {
		f.say(f.saying.Text)
	}
	if !f.saying.More {
		f.finish()
	}
}

// say sends text, or keeps it for a post.
func (f *flight) say(text string) {
	if text == "" {
		return
	}
	f.characters += utf8.RuneCountInString(text)
	if f.line == nil {
		f.text += text
		return
	}
	if f.pieces++; f.pieces == 1 {
		f.line.Note(noteDue, f.saying.Record.Due, 0)
	}
	f.send(f.client.protocol.more(&f.client.config, f.id, text), true)
}

// finish says that all text is there.
func (f *flight) finish() {
	f.finished = true
	if f.characters == 0 {
		f.drop(errors.New("there is no text to be spoken"))
		return
	}
	p := f.client.protocol
	if !p.socket {
		f.post()
		return
	}
	f.line.Note(noteFinished, f.loop().Now(), int64(f.characters))
	f.send(p.finish(&f.client.config, f.id), false)
	f.line.Answering(true)
	if p.flushes {
		wanted := max(1, f.flushes())
		f.line.Note(noteFlushes, f.loop().Now(), wanted)
		f.wanted.Store(wanted)
		f.settle()
	}
}

// flushes returns how many requests to speak what there is were sent.
func (f *flight) flushes() int64 {
	if f.client.config.Eager {
		return f.pieces
	}
	return 1
}

// settle ends a conversation in which all was said before it was known that it was all.
func (f *flight) settle() {
	if f.said() {
		f.line.Hangup()
	}
}

// said reports whether all requests to speak are known, and done.
func (f *flight) said() bool {
	wanted := f.wanted.Load()
	return wanted > 0 && f.gather.flushed.Load() >= wanted
}

// send sends messages, the first of which may be text.
func (f *flight) send(messages []any, text bool) {
	for i, m := range messages {
		f.line.Send(talk.Frame{Data: encode(m), Payload: text && i == 0, Due: f.loop().Now()})
	}
}

// post sends the whole text.
func (f *flight) post() {
	ask, err := f.client.ask(f.saying)
	if err != nil {
		f.drop(err)
		return
	}
	ask.Setting = f.client.config.setting(f.text)
	ask.Body = encode(f.client.protocol.body(&f.client.config, f.text))
	f.line = f.client.talk.Post(ask, f)
}

// Opened implements talk.Listener.
func (f *flight) Opened(o talk.Opening) {
	f.opened = o.At
	if !f.client.protocol.socket {
		f.gather.open(o.Header)
	}
}

// Heard implements talk.Listener.
func (f *flight) Heard(m talk.Message) bool {
	if f.gather.failure != nil { // such as the content type
		return false
	}
	return f.gather.take(m) && !f.said()
}

// Ended implements talk.Listener.
func (f *flight) Ended(e talk.End) { f.loop().Post(e.At, func() { f.land(&e) }) }

// notify posts word of audio to the asker.
func (f *flight) notify(s pipeline.Sound) {
	if f.saying.Notify == nil {
		return
	}
	f.loop().Post(s.At, func() {
		if !f.cancelled {
			f.saying.Notify(s)
		}
	})
}

// cancel gives it up.
func (f *flight) cancel() {
	f.cancelled = true
	if f.line != nil {
		f.line.Cancel()
		return
	}
	at := f.loop().Now() // it has not gone out
	f.loop().Post(at, func() {
		f.saying.Record.End = at
		f.close(pipeline.Cancelled, talk.ErrCancelled.Error())
	})
}

// land completes the record when the conversation has ended.
func (f *flight) land(e *talk.End) {
	if f.ended {
		return
	}
	r := &f.saying.Record
	f.gather.last = f.gather.last || f.said()
	f.gather.finish(r, e)
	if f.client.protocol.socket {
		r.Ready = f.opened
	}
	o, reason := r.Outcome, r.Reason
	if f.cancelled {
		o, reason = pipeline.Cancelled, talk.ErrCancelled.Error()
	}
	f.close(o, reason)
}

// drop ends what cannot be sent. A WebSocket that was opened for it is closed.
func (f *flight) drop(reason error) {
	if f.line != nil {
		f.line.Cancel()
	}
	f.finished = true
	f.loop().Post(f.loop().Now(), func() { f.close(pipeline.Dropped, reason.Error()) })
}

func (f *flight) close(o pipeline.Outcome, reason string) {
	if f.ended {
		return
	}
	f.ended = true
	r := &f.saying.Record
	r.Characters = f.characters
	r.Outcome, r.Reason = o, f.client.config.Key.Tidy(reason)
	f.saying.Done()
}
