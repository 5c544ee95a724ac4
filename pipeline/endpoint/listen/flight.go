package listen

import (
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/talk"
)

// flight is one utterance under way.
type flight struct {
	client  *Client
	hearing *pipeline.Hearing
	line    *talk.Line

	// Of the goroutine that reads, until the session has ended.
	decoder decoder
	gather  gatherer
	step    step

	// Of the loop.
	microphone talk.Microphone
	timers     []pipeline.Timer
	ready      time.Duration
	speechEnd  time.Duration
	lingers    bool // all text of a turn came since the end of speech
	settled    bool // and long enough ago
	finishing  bool
	cancelled  bool
	ended      bool
}

func (f *flight) loop() talk.Loop { return f.client.talk.Loop }

// start opens the session, or waits for the recording to be over that is to be uploaded.
func (f *flight) start() {
	f.ready, f.speechEnd = pipeline.Unknown, pipeline.Unknown
	if !f.client.protocol.socket {
		f.record()
		return
	}
	ask, err := f.client.ask(f.hearing)
	if err != nil {
		f.loop().Post(f.loop().Now(), func() { f.drop(err) })
		return
	}
	f.line = f.client.talk.Dial(ask, f)
	for _, b := range f.begin() {
		f.line.Send(talk.Frame{Data: b})
	}
}

// begin returns what the client says first.
func (f *flight) begin() [][]byte {
	if p := f.client.protocol; p.begin != nil {
		return p.begin(&f.client.config)
	}
	return nil
}

// after has work done at an instant, or now when that is past.
func (f *flight) after(at time.Duration, work func()) {
	f.timers = append(f.timers, f.loop().At(max(at, f.loop().Now()), pipeline.RankTimer, work))
}

// set places the recording in time, whose service is ready at that instant.
func (f *flight) set(ready time.Duration) {
	c := &f.client.config
	f.microphone = talk.Microphone{Loop: f.loop(), Voice: f.hearing.Voice, Begin: talk.Begins(f.hearing.Begin, ready, c.Patient), Frame: c.Frame, Pace: c.Pace, Send: f.frame}
	if at := f.hearing.Voice.SpeechEnd; at != pipeline.Unknown {
		f.speechEnd = f.microphone.At(at)
	}
}

// record waits until what is to be uploaded has been spoken.
func (f *flight) record() {
	c, v := &f.client.config, f.hearing.Voice
	f.set(f.loop().Now())
	upTo := v.Length()
	if c.Force && v.SpeechEnd != pipeline.Unknown {
		upTo = min(upTo, v.SpeechEnd+c.ForceAfter)
	}
	due := f.microphone.At(upTo)
	f.after(due, func() { f.upload(upTo, due) })
}

// upload sends the recording.
func (f *flight) upload(upTo, due time.Duration) {
	ask, err := f.client.ask(f.hearing)
	if err == nil {
		ask.Body, err = upload(&f.client.config, f.hearing.Voice, upTo)
	}
	if err != nil {
		f.loop().Post(f.loop().Now(), func() { f.drop(err) })
		return
	}
	ask.Due, ask.Setting = due, f.uploaded()
	ask.Header.Set("Content-Type", "multipart/form-data; boundary="+boundary)
	f.line = f.client.talk.Post(ask, f)
}

// Opened implements talk.Listener.
func (f *flight) Opened(o talk.Opening) {
	if d, ok := f.decoder.(*transcripts); ok {
		d.typed(o.Header.Get("Content-Type"), &f.step)
		f.gather.take(&f.step, o.At)
		return
	}
	if f.client.protocol.awaits == "" {
		f.loop().Post(o.At, func() { f.speak(o.At) })
	}
}

// Heard implements talk.Listener.
func (f *flight) Heard(m talk.Message) bool {
	if f.gather.failure != nil { // such as the content type
		return false
	}
	f.step = step{}
	f.decoder.read(m, &f.step)
	return f.take(m.At)
}

// take takes what a message said. It reports whether more can follow.
func (f *flight) take(at time.Duration) bool {
	s := f.step
	f.gather.take(&s, at)
	if s.ready && f.client.protocol.awaits != "" {
		f.loop().Post(at, func() { f.speak(at) })
	}
	if s.settled {
		f.loop().Post(at, func() { f.settle(at) })
	}
	return !s.last && s.failure == nil
}

// Ended implements talk.Listener.
func (f *flight) Ended(e talk.End) {
	if d, ok := f.decoder.(ender); ok && e.Whole && f.gather.failure == nil {
		f.step = step{}
		d.end(&f.step)
		f.take(e.At)
	}
	f.loop().Post(e.At, func() { f.land(&e) })
}

// notify posts what was heard to the asker.
func (f *flight) notify(h pipeline.Heard) {
	if f.hearing.Notify == nil {
		return
	}
	f.loop().Post(h.At, func() {
		if !f.cancelled {
			f.hearing.Notify(h)
		}
	})
}

// speak begins to send audio, once.
func (f *flight) speak(at time.Duration) {
	if f.ready != pipeline.Unknown || f.ended {
		return
	}
	f.ready = at
	f.line.Ready()
	c := &f.client.config
	f.set(at)
	f.microphone.Start()
	f.stayAlive()
	if c.Force && f.speechEnd != pipeline.Unknown {
		f.force(max(f.speechEnd+c.ForceAfter, f.microphone.Out(f.hearing.Voice.SpeechEnd)))
	}
}

// force asks for the final text at an instant, after the audio that is due then, unless the
// session is being ended.
func (f *flight) force(at time.Duration) {
	ask := func() {
		if !f.finishing {
			f.line.Send(talk.Frame{Data: f.client.protocol.force})
		}
	}
	f.timers = append(f.timers, f.loop().At(max(at, f.loop().Now()), pipeline.RankStart, ask))
}

// stayAlive keeps the session open until the first frame goes out.
func (f *flight) stayAlive() {
	next := f.loop().Now() + keepAlive
	if alive := f.client.protocol.alive; alive != nil && next < f.microphone.Begin && f.asksForLife() {
		f.after(next, func() {
			f.line.Send(talk.Frame{Data: alive})
			f.stayAlive()
		})
	}
}

// asksForLife reports whether the service wants a session to be kept open: AssemblyAI only
// when it was told to close one that is not.
func (f *flight) asksForLife() bool {
	return f.client.config.Protocol != AssemblyAI || f.client.config.Query.Get("inactivity_timeout") != ""
}

// frame sends a frame of audio, and ends when there is nothing more to be said or waited
// for.
func (f *flight) frame(pcm []byte, due time.Duration) {
	out := talk.Frame{Binary: true, Data: pcm}
	if p := f.client.protocol; p.audio != nil {
		out = p.audio(pcm)
	}
	out.Payload, out.Due = true, due
	f.line.Send(out)
	if f.microphone.Over() && (f.settled || f.speechEnd == pipeline.Unknown || due >= f.lastSilence()) {
		f.finish()
	}
}

// lastSilence returns when the silence after the recording has lasted long enough.
func (f *flight) lastSilence() time.Duration {
	return f.microphone.At(f.hearing.Voice.Length()) + f.client.config.Trail
}

// settle hears that all text of a turn is there.
func (f *flight) settle(at time.Duration) {
	if f.speechEnd == pipeline.Unknown || at < f.speechEnd || !f.client.protocol.socket || f.lingers {
		return
	}
	if wait := f.client.config.Linger; wait > 0 {
		f.lingers = true
		f.after(at+wait, f.enough)
		return
	}
	f.enough()
}

// enough ends the session once the recording is over.
func (f *flight) enough() {
	f.settled = true
	if f.microphone.Over() {
		f.finish()
	}
}

// finish ends the session as the service wants it, and by itself when it does not.
func (f *flight) finish() {
	if f.finishing || f.ended {
		return
	}
	f.finishing = true
	f.microphone.Stop()
	command := f.client.protocol.finish
	if command == nil {
		f.line.Hangup()
		return
	}
	f.line.Send(talk.Frame{Data: command})
	f.after(f.loop().Now()+closing, f.line.Hangup)
}

// cancel gives it up.
func (f *flight) cancel() {
	f.cancelled = true
	if f.line != nil {
		f.line.Cancel()
		return
	}
	f.rest() // it has not gone out
	at := f.loop().Now()
	f.loop().Post(at, func() { f.close(pipeline.Cancelled, talk.ErrCancelled.Error(), at) })
}

// rest stops what the loop would still do.
func (f *flight) rest() {
	f.microphone.Stop()
	for _, t := range f.timers {
		t.Stop()
	}
}

// land completes the record when the session has ended.
func (f *flight) land(e *talk.End) {
	g := &f.gather
	g.record.Ready, g.record.SpeechEnd = f.ready, f.speechEnd
	g.finish(e, f.client.protocol.last)
	r := g.ended(f.cancelled)
	f.hearing.Record = r
	f.close(r.Outcome, r.Reason, e.At)
}

// drop ends what was not sent.
func (f *flight) drop(reason error) { f.close(pipeline.Dropped, reason.Error(), pipeline.Unknown) }

func (f *flight) close(o pipeline.Outcome, reason string, at time.Duration) {
	if f.ended {
		return
	}
	f.ended = true
	f.rest()
	r := &f.hearing.Record
	key := f.client.config.Key
	r.Outcome, r.Reason, r.End, r.Text = o, key.Tidy(reason), at, key.Mask(r.Text)
	for i := range r.Events {
		r.Events[i].Name = key.Mask(r.Events[i].Name)
	}
	f.hearing.Done()
}
