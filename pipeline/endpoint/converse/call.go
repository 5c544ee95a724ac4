package converse

import (
	"encoding/base64"
	"errors"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/sound"
	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/pipeline/wire/realtime"
)

// call is one session, and the turns in it. All of it belongs to the loop: what the server
// says is read where it comes in, and handled there.
type call struct {
	client *Client
	line   *talk.Line

	microphone talk.Microphone
	ready      time.Duration // the session is as it was asked for
	format     sound.Format  // of the answers
	transport  pipeline.Transport
	now        *flight // the turn under way; nil between two
	order      talk.Order
	skipped    time.Duration // audio that did not go out between turns
	whose      talk.Turns
	commits    bool              // the server says which audio it takes for a turn
	behind     bool              // but not before it answers that, as far as the last turn tells
	follows    map[string]string // the item before each that was added
	turns      int               // that began
	taken      int               // messages that were handled
	told       bool              // it is told again, from a raw log
	parts      []talk.Sent       // what went out in each part then
	hungUp     bool              // by the client: no turn follows
}

// errBusy is the error of a turn before the answer to which another one is asked for.
var errBusy = errors.New("the session has a turn under way")

// newCall returns a session that is not open.
func newCall(c *Client) *call {
	return &call{client: c, order: talk.Order{Loop: c.talk.Loop, Busy: errBusy}, ready: pipeline.Unknown, format: samples, follows: map[string]string{}}
}

func (c *call) loop() talk.Loop { return c.client.talk.Loop }

// open opens the session for a first turn.
func (c *call) open(f *flight) error {
	ask, err := c.client.ask(f.turn)
	if err != nil {
		return err
	}
	c.enter(f)
	c.line = c.client.talk.Dial(ask, c)
	c.line.Send(talk.Frame{Data: c.client.config.update()})
	return nil
}

// follow has the user say the next thing, once what was said and answered before has been played.
func (c *call) follow(f *flight) error {
	f.call = c
	return c.order.Follow(f, c.now != nil)
}

// enter makes a turn the one under way.
func (c *call) enter(f *flight) {
	f.call, c.now = c, f
	f.meter = sound.NewMeter(c.format)
	c.whose.Begin(f.from)
	c.turns++
}

// Opened implements talk.Listener.
func (c *call) Opened(o talk.Opening) { c.loop().Post(o.At, func() { c.transport = o.Transport }) }

// Heard implements talk.Listener.
func (c *call) Heard(m talk.Message) bool {
	e, err := understand(m)
	c.loop().Post(m.At, func() { c.take(&e, m.At) })
	return err == nil
}

// Ended implements talk.Listener.
func (c *call) Ended(e talk.End) { c.loop().Post(e.At, func() { c.land(&e) }) }

// take handles an event of the server. What it says between turns is of interest to none, but
// that it is no longer to come.
func (c *call) take(e *event, at time.Duration) {
	if c.hungUp {
		return
	}
	c.taken++
	switch e.kind {
	case realtime.EventSpeechStopped, realtime.EventCommitted:
		own := c.whose.Own(e.itemID, e.upTo)
		if e.kind == realtime.EventCommitted {
			c.commits = true
			if own && !c.now.committed { // the first of each turn tells
				c.behind = c.now.begun()
			}
		}
	case realtime.EventItemAdded:
		c.follows[e.itemID] = e.follows
	case realtime.EventResponseCreated:
		if c.now == nil {
			c.whose.Paid()
		}
	}
	if c.now != nil {
		c.now.take(e, at)
	}
}

// start begins to send audio: the session is as it was asked for.
func (c *call) start(f *flight, at time.Duration) {
	c.ready = at
	c.line.Ready()
	begin := talk.Begins(f.turn.Begin, at, c.client.config.Patient)
	c.microphone = talk.Microphone{Loop: c.loop(), Voice: f.turn.Voice, Begin: begin, Frame: c.client.config.Frame, Pace: 1, Send: c.frame}
	c.microphone.Start()
}

// frame sends a frame of audio. A client that says where a turn ends sends none between turns.
func (c *call) frame(pcm []byte, due time.Duration) {
	if c.now == nil && c.client.config.Manual {
		c.skipped += c.client.config.Frame
		return
	}
	b := append([]byte(`{"type":"input_audio_buffer.append","audio":"`), base64.StdEncoding.EncodeToString(pcm)...)
	c.line.Send(talk.Frame{Data: append(b, `"}`...), Payload: true, Due: due})
}

// part returns what went out since the last time.
func (c *call) part(at time.Duration) talk.Sent {
	if !c.told {
		return c.line.Part(at)
	}
	if len(c.parts) == 0 {
		return talk.Sent{First: pipeline.Unknown, Last: pipeline.Unknown, Late: pipeline.Unknown}
	}
	part := c.parts[0]
	c.parts = c.parts[1:]
	return part
}

// leave ends a turn that others follow. What is left of it is not spoken, or it would be heard under
// the next one, or behind it; an interruption is spoken to its end, which the next one waits for.
func (c *call) leave(f *flight, at time.Duration) {
	f.mayBeNone()
	if f.interrupted == pipeline.Unknown {
		c.microphone.Hush()
	}
	f.clear()
	c.line.Note(noteOver, at, int64(c.taken))
	sent := c.part(at)
	c.line.Rest()
	c.order.Quiet = max(at, f.meter.PlayedUp(), f.spokenUp)
	c.now = nil
	o, reason := f.verdict()
	c.whose.End(f.failure == nil && !f.over)
	f.landed(sent, 0, f.connection(), o, reason)
}

// hangUp ends the session after its last turn.
func (c *call) hangUp(at time.Duration) {
	c.hungUp, c.order.Over = true, errHungUp
	c.rest()
	c.line.Note(noteEnough, at, int64(c.taken))
	c.line.Hangup()
}

// rest stops what the loop would still do.
func (c *call) rest() {
	c.microphone.Stop()
	c.order.Rest()
}

// Why nothing can be said in a session.
var errHungUp = errors.New("the session is over: its last turn was spoken")

// land ends what is under way when the session has ended.
func (c *call) land(e *talk.End) {
	c.rest()
	c.order.End(errors.New("the session ended before the turn: " + e.Ended("what the server said cannot be read")))
	if f := c.now; f != nil {
		c.now = nil
		sent, transport := e.Sent, e.Transport
		if c.turns > 1 {
			sent, transport = e.Part, f.connection()
			transport.RetryAfter = e.Transport.RetryAfter
		}
		set(&f.record().End, e.At)
		f.mayBeNone()
		o, reason := f.outcome(e)
		f.landed(sent, e.Code, transport, o, reason)
	}
}
