package listen

import (
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/talk"
)

// An upload is a recording that is sent whole, once it has been spoken.

// record waits until what is to be uploaded has been spoken.
func (f *flight) record() {
	c, v := &f.client.config, f.hearing.Voice
	f.decoder = f.client.protocol.decoder(c)
	f.set(f.loop().Now())
	f.ready = pipeline.Unknown
	upTo := v.Length()
	if c.Force && v.SpeechEnd != pipeline.Unknown {
		upTo = min(upTo, v.SpeechEnd+f.forceAfter())
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
		var s step
		d.typed(o.Header.Get("Content-Type"), &s)
		f.gather.take(&s, o.At)
	}
}

// Heard implements talk.Listener.
func (f *flight) Heard(m talk.Message) bool {
	if f.gather.failure != nil { // such as the content type
		return false
	}
	var s step
	f.decoder.read(m, &s)
	f.gather.take(&s, m.At)
	return !s.last && s.failure == nil
}

// Ended implements talk.Listener.
func (f *flight) Ended(e talk.End) {
	if d, ok := f.decoder.(ender); ok && e.Whole && f.gather.failure == nil {
		var s step
		d.end(&s)
		f.gather.take(&s, e.At)
	}
	f.loop().Post(e.At, func() {
		f.know()
		f.gather.finish(&e, f.client.protocol.last)
		f.landed(e.At)
	})
}
