package listen

import (
	"errors"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/talk"
)

// call is one session over a WebSocket, and the utterances in it. What the service says is
// decoded where it comes in; all else belongs to the loop.
type call struct {
	client  *Client
	line    *talk.Line
	decoder decoder // of who reads

	microphone talk.Microphone
	frameDue   time.Duration // when the last frame was that was handed over
	ready      time.Duration // the service takes audio
	transport  pipeline.Transport
	now        *flight // the utterance under way; nil between two
	order      talk.Order
	timer      pipeline.Timer // of what keeps the session open
	skipped    time.Duration  // audio that did not go out between utterances
	whose      talk.Turns
	settled    bool // all text of the one under way came after its end
	turns      int  // that began
	taken      int  // messages that were handled
}

// errBusy is the error of what is to be said before it is known what was said before.
var errBusy = errors.New("the session has an utterance under way")

// newCall returns a session that is not open.
func newCall(c *Client) *call {
	return &call{client: c, order: talk.Order{Loop: c.talk.Loop, Busy: errBusy}, decoder: c.protocol.decoder(&c.config), ready: pipeline.Unknown, frameDue: pipeline.Unknown}
}

func (c *call) loop() talk.Loop { return c.client.talk.Loop }

// open opens the session for a first utterance.
func (c *call) open(f *flight) error {
	ask, err := c.client.ask(f.hearing)
	if err != nil {
		return err
	}
	c.enter(f)
	c.whose.Begin(pipeline.Unknown)
	c.line = c.client.talk.Dial(ask, c)
	if p := c.client.protocol; p.begin != nil {
		for _, b := range p.begin(&c.client.config) {
			c.line.Send(talk.Frame{Data: b})
		}
	}
	return nil
}

// follow has the next thing said, once the recording before is over.
func (c *call) follow(f *flight) error {
	f.call = c
	return c.order.Follow(f, c.now != nil)
}

// enter makes an utterance the one under way.
func (c *call) enter(f *flight) {
	f.call, c.now = c, f
	c.turns++
}

// Opened implements talk.Listener.
func (c *call) Opened(o talk.Opening) {
	c.loop().Post(o.At, func() {
		c.transport = o.Transport
		if c.client.protocol.awaits == "" {
			c.start(o.At)
		}
	})
}

// Heard implements talk.Listener.
func (c *call) Heard(m talk.Message) bool {
	var s step
	c.decoder.read(m, &s)
	more := !s.last && s.failure == nil // before the loop has it
	c.loop().Post(m.At, func() { c.take(&s, m.At) })
	return more
}

// Ended implements talk.Listener.
func (c *call) Ended(e talk.End) { c.loop().Post(e.At, func() { c.land(&e) }) }

// take takes what a message said. Between utterances it is of interest to none, but that it is no
// longer to come.
func (c *call) take(s *step, at time.Duration) {
	c.taken++
	s.owned(&c.whose)
	if c.now != nil {
		c.now.gather.take(s, at)
	}
	if s.ready && c.client.protocol.awaits != "" {
		c.start(at)
	}
	if c.now != nil && s.settled {
		c.settled = c.settled || c.now.speechEnd != pipeline.Unknown && at >= c.now.speechEnd
		c.now.settle(at)
	}
}

// start begins to send audio, once.
func (c *call) start(at time.Duration) {
	f := c.now
	if c.ready != pipeline.Unknown || f == nil {
		return
	}
	c.ready = at
	c.line.Ready()
	f.set(at)
	c.microphone = f.microphone
	c.microphone.Send = c.frame
	c.microphone.Start()
	c.stayAlive()
	f.begun()
}

// stayAlive keeps the session open until the first frame goes out.
func (c *call) stayAlive() {
	next := c.loop().Now() + keepAlive
	if alive := c.client.protocol.alive; alive != nil && next < c.microphone.Begin && c.asksForLife() {
		c.timer = c.loop().At(next, pipeline.RankTimer, func() {
			c.line.Send(talk.Frame{Data: alive})
			c.stayAlive()
		})
	}
}

// asksForLife reports whether the service wants a session to be kept open: AssemblyAI only
// when it was told to close one that is not.
func (c *call) asksForLife() bool {
	return c.client.config.Protocol != AssemblyAI || c.client.config.Query.Get("inactivity_timeout") != ""
}

// frame sends a frame of audio. A client that says where utterances end sends none between them.
func (c *call) frame(pcm []byte, due time.Duration) {
	c.frameDue = due
	if c.now == nil && c.client.config.Force && c.client.protocol.manual {
		c.skipped += c.client.config.Frame
		return
	}
	out := talk.Frame{Binary: true, Data: pcm}
	if p := c.client.protocol; p.audio != nil {
		out = p.audio(pcm)
	}
	out.Payload, out.Due = true, due
	c.line.Send(out)
	if c.now != nil {
		c.now.sent(due)
	}
}

// leave ends an utterance that others follow.
func (c *call) leave(f *flight, at time.Duration) {
	f.rest()
	c.line.Note(noteOver, at, int64(c.taken))
	sent := c.line.Part(at)
	c.line.Rest()
	c.order.Quiet, c.now = f.lastFrame, nil
	f.know()
	f.gather.leave(at, sent, c.connection())
	c.whose.End(f.gather.unanswered(c.settled))
	f.landed(at)
}

// connection returns what is known of the connection for the utterance: a later one finds it
// open.
func (c *call) connection() pipeline.Transport {
	if c.turns > 1 {
		return talk.Open(c.transport)
	}
	return c.transport
}

// finish ends the session as the service wants it, and by itself when it does not.
func (c *call) finish(f *flight) {
	c.order.Over = errFinished
	c.rest()
	command := c.client.protocol.finish
	if command == nil {
		c.line.Hangup()
		return
	}
	c.line.Send(talk.Frame{Data: command})
	f.after(c.loop().Now()+closing, c.line.Hangup)
}

var errFinished = errors.New("the session is over: the last of it was said")

// rest stops what the loop would still do.
func (c *call) rest() {
	c.microphone.Stop()
	c.timer.Stop()
	c.order.Rest()
}

// land ends what is under way when the session has ended.
func (c *call) land(e *talk.End) {
	c.rest()
	c.order.End(errors.New("the session ended before the turn: " + e.Ended("the service said that nothing follows, or what cannot be read")))
	if f := c.now; f != nil {
		c.now = nil
		f.know()
		f.gather.finish(c.part(e), c.client.protocol.last)
		f.landed(e.At)
	}
}

// part returns the end of the session as that of the utterance under way.
func (c *call) part(e *talk.End) *talk.End {
	if c.turns <= 1 {
		return e
	}
	own := *e
	own.Sent = e.Part
	own.Transport = talk.Open(own.Transport)
	return &own
}
