package listen

import (
	"cmp"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/talk"
)

// flight is one utterance under way, in a session or as an upload of its own.
type flight struct {
	client  *Client
	hearing *pipeline.Hearing
	call    *call // nil for an upload
	gather  gatherer

	// Of an upload, until its response has ended.
	line    *talk.Line
	decoder decoder

	microphone talk.Microphone
	timers     []pipeline.Timer
	ready      time.Duration
	speechEnd  time.Duration
	lastFrame  time.Duration // when the frame is due that has the last of the recording
	lastQuiet  time.Duration // until when silence goes out after it
	lingers    bool          // all text of a turn came since the end of speech
	settled    bool          // and long enough ago
	finishing  bool
	cancelled  bool
	ended      bool
}

// newFlight returns an utterance that has not begun.
func newFlight(c *Client, h *pipeline.Hearing) *flight {
	f := &flight{client: c, hearing: h, ready: pipeline.Unknown, speechEnd: pipeline.Unknown}
	f.gather = gatherer{glue: c.protocol.glue, record: h.Record, notify: f.notify}
	return f
}

func (f *flight) loop() talk.Loop { return f.client.talk.Loop }

// after has work done at an instant, or now when that is past.
func (f *flight) after(at time.Duration, work func()) {
	f.timers = append(f.timers, f.loop().At(max(at, f.loop().Now()), pipeline.RankTimer, work))
}

// set places the recording in time, whose service is ready at that instant.
func (f *flight) set(ready time.Duration) {
	c := &f.client.config
	f.ready = ready
	f.microphone = talk.Microphone{Loop: f.loop(), Voice: f.hearing.Voice, Begin: talk.Begins(f.hearing.Begin, ready, c.Patient), Frame: c.Frame, Pace: c.Pace}
	f.lastFrame = f.microphone.Out(f.hearing.Voice.Length())
	f.lastQuiet = f.microphone.At(f.hearing.Voice.Length()) + c.Trail
	if at := f.hearing.Voice.SpeechEnd; at != pipeline.Unknown {
		f.speechEnd = f.microphone.At(at)
	}
}

// begun has the final text of a first utterance asked for.
func (f *flight) begun() { f.ask(f.microphone.Out(f.hearing.Voice.SpeechEnd)) }

// Begins implements talk.Follower.
func (f *flight) Begins() time.Duration { return f.hearing.Begin }

// GoOn implements talk.Follower: it begins a later utterance of a session.
func (f *flight) GoOn() {
	c, v, m := f.call, &f.hearing.Voice, &f.call.microphone
	c.enter(f)
	now := f.loop().Now()
	c.line.Part(now)
	start := m.Say(v.Samples)
	from := start - m.Begin - c.skipped
	c.whose.Begin(from)
	c.settled = false
	if start-now <= pipeline.SamplesLast(1, v.Rate) {
		start = now // but for the grid of the samples
	}
	offset := start - m.Begin
	f.ready, f.speechEnd = c.ready, start+v.SpeechEnd
	f.lastFrame, f.lastQuiet = m.Out(offset+v.Length()), start+v.Length()+f.client.config.Trail
	c.line.Again(start, v.Length()+f.client.config.Trail)
	c.line.Note(noteTurn, f.hearing.Record.Due, f.hearing.Record.ID)
	c.line.Note(noteStart, start, int64(from))
	c.line.Note(noteSpeechEnd, f.speechEnd, int64(c.taken))
	f.ask(m.Out(offset + v.SpeechEnd))
}

// ask has the final text asked for, where the client does that, and not before all of the speech
// is out.
func (f *flight) ask(out time.Duration) {
	if f.client.config.Force && f.speechEnd != pipeline.Unknown {
		f.force(max(f.speechEnd+f.forceAfter(), out))
	}
}

// forceAfter returns how long after the end of speech the final text is asked for.
func (f *flight) forceAfter() time.Duration {
	return cmp.Or(f.hearing.Stop, f.client.config.ForceAfter)
}

// force asks for the final text at an instant, after the audio that is due then, unless the
// utterance is over.
func (f *flight) force(at time.Duration) {
	ask := func() {
		if !f.finishing {
			f.call.line.Send(talk.Frame{Data: f.client.protocol.force})
		}
	}
	f.timers = append(f.timers, f.loop().At(max(at, f.loop().Now()), pipeline.RankStart, ask))
}

// notify tells the asker what was heard.
func (f *flight) notify(h pipeline.Heard) {
	switch {
	case f.hearing.Notify == nil:
	case f.call == nil: // it is not on the loop
		f.loop().Post(h.At, func() { f.tell(h) })
	default:
		f.tell(h)
	}
}

func (f *flight) tell(h pipeline.Heard) {
	if !f.cancelled {
		f.hearing.Notify(h)
	}
}

// sent hears that a frame went out, and ends when there is nothing more to be said or waited
// for.
func (f *flight) sent(due time.Duration) {
	if due >= f.lastFrame && (f.settled || f.speechEnd == pipeline.Unknown || due >= f.lastQuiet) {
		f.finish()
	}
}

// settle hears that all text of a turn is there.
func (f *flight) settle(at time.Duration) {
	if f.speechEnd == pipeline.Unknown || at < f.speechEnd || f.lingers {
		return
	}
	if wait := f.client.config.Linger; wait > 0 {
		f.lingers = true
		f.after(at+wait, f.enough)
		return
	}
	f.enough()
}

// enough ends the utterance once the recording is over.
func (f *flight) enough() {
	f.settled = true
	if f.call.frameDue >= f.lastFrame {
		f.finish()
	}
}

// finish ends the utterance, and the session with its last one.
func (f *flight) finish() {
	if f.finishing || f.ended {
		return
	}
	f.finishing = true
	if f.hearing.More {
		f.call.leave(f, f.loop().Now())
		return
	}
	f.call.finish(f)
}

// cancel gives it up.
func (f *flight) cancel() {
	f.cancelled = true
	switch {
	case f.call != nil && f.call.line != nil:
		f.call.line.Cancel()
	case f.line != nil:
		f.line.Cancel()
	default:
		f.rest() // it has not gone out
		at := f.loop().Now()
		f.loop().Post(at, func() { f.close(pipeline.Cancelled, talk.ErrCancelled.Error(), at) })
	}
}

// rest stops what the loop would still do.
func (f *flight) rest() {
	f.microphone.Stop()
	for _, t := range f.timers {
		t.Stop()
	}
}

// know has the record say what is known of the speech.
func (f *flight) know() { f.gather.record.Ready, f.gather.record.SpeechEnd = f.ready, f.speechEnd }

// landed hands the record over.
func (f *flight) landed(at time.Duration) {
	r := f.gather.ended(f.cancelled)
	f.hearing.Record = r
	f.close(r.Outcome, r.Reason, at)
}

// Unspoken implements talk.Follower: it ends what was not said.
func (f *flight) Unspoken(why error) {
	if f.cancelled {
		f.close(pipeline.Cancelled, talk.ErrCancelled.Error(), f.loop().Now())
		return
	}
	f.drop(why)
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
	r.Outcome, r.Reason, r.End, r.Text = o, key.Tidy(reason), at, key.MaskText(r.Text)
	for i := range r.Events {
		r.Events[i].Name = key.MaskText(r.Events[i].Name)
	}
	f.hearing.Done()
}
