package converse

import (
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/endpoint/sound"
	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/pipeline/wire/realtime"
)

// flight is one turn under way in a session.
type flight struct {
	client *Client
	call   *call
	turn   *pipeline.Turn

	timers []pipeline.Timer
	// When the first sample is spoken and the last of speech is, and where in all audio that
	// is sent the first one is: Unknown in a session's first turn.
	start, speechEnd, from time.Duration
	// interrupted is when the user began to speak into the answer, Unknown when not, and
	// spokenUp when that was said.
	interrupted time.Duration
	spokenUp    time.Duration
	handed      bool // the client has made the audio a turn
	truncating  bool // the server was told how much of the answer was played

	meter     *sound.Meter  // of the answer
	answer    string        // its response
	item      string        // its item of the conversation
	content   int           // and the part of that which is audio
	cutIns    []cutIn       // what began too early to be one
	hushed    time.Duration // when one that began too early was played no more, if it is the answer as yet
	asked     string        // the item of what the user said, or the last of those that are of parts of it
	committed bool          // the server has taken audio of the turn for one
	other     bool          // an answer came that is taken for that to a turn before
	over      bool          // the answer is
	done      response
	seen      map[string]bool // kinds of events
	failure   *reply.Failure
	finishing bool
	cancelled bool
	ended     bool
}

// newFlight returns a turn that has not begun.
func newFlight(c *Client, t *pipeline.Turn) *flight {
	u := pipeline.Unknown
	return &flight{client: c, turn: t, meter: sound.NewMeter(samples), start: u, speechEnd: u, from: u, interrupted: u, spokenUp: u, hushed: u}
}

func (f *flight) loop() talk.Loop            { return f.client.talk.Loop }
func (f *flight) record() *pipeline.Answered { return &f.turn.Record }
func (f *flight) send(event any)             { f.call.line.Send(talk.Frame{Data: encode(event)}) }
func (f *flight) say(kind string)            { f.send(map[string]any{"type": kind}) }

// after has work done at an instant that is not past, after the audio that is due then.
func (f *flight) after(at time.Duration, work func()) {
	f.timers = append(f.timers, f.loop().At(max(at, f.loop().Now()), pipeline.RankStart, work))
}

// understand reads a message; one that cannot be read is a failure.
func understand(m talk.Message) (event, error) {
	e, err := read(m)
	if err != nil {
		e.failure, e.unread = &reply.Failure{Kind: reply.BadLink, Cause: err}, true
	}
	return e, err
}

// speak begins the first turn of a session, which is as it was asked for.
func (f *flight) speak(at time.Duration) {
	if f.call.ready != pipeline.Unknown {
		return
	}
	f.call.start(f, at)
	f.start, f.record().Ready = f.call.microphone.Begin, at
	f.spoken(f.call.microphone.At(f.turn.Voice.SpeechEnd))
}

// speakOn has the user begin to speak in a later turn.
func (f *flight) speakOn() {
	m := &f.call.microphone
	f.start = m.Say(f.turn.Voice.Samples)
	f.from = f.start - m.Begin - f.call.skipped
}

// Begins implements talk.Follower.
func (f *flight) Begins() time.Duration { return f.turn.Begin }

// GoOn implements talk.Follower: it begins a later turn.
func (f *flight) GoOn() {
	c, v := f.call, &f.turn.Voice
	f.speakOn()
	c.enter(f)
	c.part(f.loop().Now())
	c.line.Again(f.start, v.Length()+f.client.config.Trail)
	c.line.Note(noteTurn, f.record().Due, f.record().ID)
	c.line.Note(noteStart, f.start, int64(f.from))
	c.line.Note(noteSpeechEnd, f.start+v.SpeechEnd, int64(c.taken))
	f.record().Ready = c.ready
	f.spoken(f.start + v.SpeechEnd)
}

// spoken waits for the answer to what the user says until an instant.
func (f *flight) spoken(speechEnd time.Duration) {
	m := &f.call.microphone
	f.speechEnd, f.record().SpeechEnd = speechEnd, speechEnd
	if c := &f.client.config; c.Manual {
		f.after(max(speechEnd+c.CommitAfter, m.Out(speechEnd-m.Begin)), f.commit)
	}
	f.after(speechEnd+f.client.config.Trail, f.lose)
}

// commit makes the audio the user's turn and asks for the answer.
func (f *flight) commit() {
	f.handed = true
	f.say(realtime.BufferCommit)
	f.say(realtime.ResponseCreate)
}

// clear has the server forget what it holds of a turn that is over before the client made it one:
// it would be of the next.
func (f *flight) clear() {
	if f.client.config.Manual && !f.handed {
		f.say(realtime.BufferClear)
	}
}

// lose gives up on an answer that has not begun.
func (f *flight) lose() {
	if f.answer == "" || f.early() {
		f.finish(f.loop().Now())
	}
}

// interruptAt has the user interrupt the answer at an instant, unless it was none by then.
func (f *flight) interruptAt(at time.Duration) {
	answer := f.answer
	f.after(at, func() {
		if f.answer == answer {
			f.interrupt()
		}
	})
}

// interrupt has the user speak into the answer.
func (f *flight) interrupt() {
	at := f.call.microphone.Say(f.turn.Interruption.Samples)
	f.interrupted, f.record().Interrupted = at, at
	f.spokenUp = at + f.turn.Interruption.Length()
	f.call.line.Note(noteInterrupted, at, 0)
	if f.client.config.Manual {
		f.after(at, func() { f.truncate(f.loop().Now()) })
	}
}

// truncate tells the server how much of the answer was played until an instant.
func (f *flight) truncate(at time.Duration) {
	if f.truncating || f.item == "" || f.call.told {
		return
	}
	f.truncating = true
	r := f.record()
	r.Played = min(f.meter.Length(), max(0, at-f.meter.FirstAudio-f.meter.Stalled)).Truncate(time.Millisecond)
	f.call.line.Note(noteTruncated, at, int64(r.Played))
	if f.client.config.Manual && !f.over {
		f.say(realtime.ResponseCancel)
	}
	f.send(map[string]any{
		"type": realtime.ItemTruncate, "item_id": f.item, "content_index": f.content, "audio_end_ms": r.Played.Milliseconds(),
	})
}

// settle ends the turn once nothing is left to wait for: the answer is over, what the user
// said is written down, and an interruption is confirmed or cannot be any more.
func (f *flight) settle(at time.Duration) {
	r, c := f.record(), &f.client.config
	if !f.over || c.Transcriber != "" && r.HeardAt == pipeline.Unknown {
		return
	}
	if f.turn.Interruption != nil && f.meter.Audible() {
		if f.interrupted == pipeline.Unknown && f.meter.PlayedUp() > f.meter.FirstAudible+f.turn.InterruptAfter {
			return // it is still to come
		}
		if f.interrupted != pipeline.Unknown && r.Truncated == pipeline.Unknown {
			return
		}
	}
	f.finish(at)
}

// finish ends the turn, and the session with its last one. One that is told again has notes
// that say so.
func (f *flight) finish(at time.Duration) {
	if f.finishing || f.ended || f.call.told {
		return
	}
	f.finishing = true
	f.rest()
	f.record().End = at
	if f.turn.More {
		f.call.leave(f, at)
		return
	}
	f.call.hangUp(at)
}

// Unspoken implements talk.Follower: it ends a turn that was not begun.
func (f *flight) Unspoken(why error) {
	if f.cancelled {
		f.record().End = f.loop().Now()
		f.close(pipeline.Cancelled, talk.ErrCancelled.Error())
		return
	}
	f.close(pipeline.Dropped, why.Error())
}

// rest stops what the loop would still do.
func (f *flight) rest() {
	for _, t := range f.timers {
		t.Stop()
	}
}
