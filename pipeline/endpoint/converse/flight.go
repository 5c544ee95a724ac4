package converse

import (
	"encoding/base64"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/endpoint/sound"
	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/pipeline/wire/realtime"
)

// flight is one turn under way. All of it belongs to the loop: what the server says is read
// where it comes in, and handled there.
type flight struct {
	client *Client
	turn   *pipeline.Turn
	line   *talk.Line

	microphone talk.Microphone
	timers     []pipeline.Timer
	speechEnd  time.Duration
	// interrupted is when the user began to speak into the answer; Unknown when not.
	interrupted time.Duration
	truncating  bool // the server was told how much of the answer was played

	meter     *sound.Meter // of the answer
	answer    string       // its response
	item      string       // its item of the conversation
	content   int          // and the part of that which is audio
	asked     string       // the item of what the user said
	over      bool         // the answer is
	done      response
	seen      map[string]bool // kinds of events
	failure   *reply.Failure
	taken     int  // messages that were handled
	told      bool // it is told again, from a raw log
	finishing bool
	cancelled bool
	ended     bool
}

func (f *flight) loop() talk.Loop            { return f.client.talk.Loop }
func (f *flight) record() *pipeline.Answered { return &f.turn.Record }
func (f *flight) send(event any)             { f.line.Send(talk.Frame{Data: encode(event)}) }
func (f *flight) say(kind string)            { f.send(map[string]any{"type": kind}) }

func (f *flight) start() error {
	ask, err := f.client.ask(f.turn)
	if err != nil {
		return err
	}
	f.line = f.client.talk.Dial(ask, f)
	f.line.Send(talk.Frame{Data: f.client.config.update()})
	return nil
}

// after has work done at an instant that is not past, after the audio that is due then.
func (f *flight) after(at time.Duration, work func()) {
	f.timers = append(f.timers, f.loop().At(max(at, f.loop().Now()), pipeline.RankStart, work))
}

// Opened implements talk.Listener.
func (f *flight) Opened(talk.Opening) {}

// Heard implements talk.Listener.
func (f *flight) Heard(m talk.Message) bool {
	e, err := understand(m)
	f.loop().Post(m.At, func() {
		if !f.finishing {
			f.taken++
			f.take(&e, m.At)
		}
	})
	return err == nil
}

// understand reads a message; one that cannot be read is a failure.
func understand(m talk.Message) (event, error) {
	e, err := read(m)
	if err != nil {
		e.failure = &reply.Failure{Kind: reply.BadLink, Cause: err}
	}
	return e, err
}

// Ended implements talk.Listener.
func (f *flight) Ended(e talk.End) { f.loop().Post(e.At, func() { f.land(&e) }) }

// speak begins to send audio: the session is as it was asked for.
func (f *flight) speak(at time.Duration) {
	if f.record().Ready != pipeline.Unknown {
		return
	}
	f.record().Ready = at
	f.line.Ready()
	begin := talk.Begins(f.turn.Begin, at, f.client.config.Patient)
	f.microphone = talk.Microphone{Loop: f.loop(), Voice: f.turn.Voice, Begin: begin, Frame: f.client.config.Frame, Pace: 1, Send: f.frame}
	f.speechEnd = f.microphone.At(f.turn.Voice.SpeechEnd)
	f.record().SpeechEnd = f.speechEnd
	f.microphone.Start()
	if c := &f.client.config; c.Manual {
		f.after(max(f.speechEnd+c.CommitAfter, f.microphone.Out(f.turn.Voice.SpeechEnd)), f.commit)
	}
	f.after(f.speechEnd+f.client.config.Trail, f.lose)
}

// commit makes the audio the user's turn and asks for the answer.
func (f *flight) commit() {
	f.say(realtime.BufferCommit)
	f.say(realtime.ResponseCreate)
}

// lose gives up on an answer that has not begun.
func (f *flight) lose() {
	if f.answer == "" {
		f.finish(f.loop().Now())
	}
}

func (f *flight) frame(pcm []byte, due time.Duration) {
	b := append([]byte(`{"type":"input_audio_buffer.append","audio":"`), base64.StdEncoding.EncodeToString(pcm)...)
	f.line.Send(talk.Frame{Data: append(b, `"}`...), Payload: true, Due: due})
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
	at := f.microphone.Say(f.turn.Interruption.Samples)
	f.interrupted, f.record().Interrupted = at, at
	f.line.Note(noteInterrupted, at, 0)
	if f.client.config.Manual {
		f.after(at, func() { f.truncate(f.loop().Now()) })
	}
}

// truncate tells the server how much of the answer was played until an instant.
func (f *flight) truncate(at time.Duration) {
	if f.truncating || f.item == "" || f.told {
		return
	}
	f.truncating = true
	r := f.record()
	r.Played = min(f.meter.Length(), max(0, at-f.meter.FirstAudio-f.meter.Stalled)).Truncate(time.Millisecond)
	f.line.Note(noteTruncated, at, int64(r.Played))
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

// finish closes the session.
func (f *flight) finish(at time.Duration) {
	if f.finishing || f.ended {
		return
	}
	f.finishing = true
	f.rest()
	f.record().End = at
	f.line.Note(noteEnough, at, int64(f.taken))
	f.line.Hangup()
}

// rest stops what the loop would still do.
func (f *flight) rest() {
	f.microphone.Stop()
	for _, t := range f.timers {
		t.Stop()
	}
}
