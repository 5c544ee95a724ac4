package phone

import (
	"errors"
	"fmt"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/pipeline/wire/twilio"
)

// Utterance is something that the caller says in a call, and the answer to it.
type Utterance struct {
	Voice pipeline.Voice
	// Begin is the earliest instant at which the first sample is spoken; Unknown is as soon
	// as the bot is through. Of an interruption it means nothing.
	Begin time.Duration

	Notify func(pipeline.Sound) // tells of the answer's audio as it comes; it may be nil
	// Done is called once, after the last Notify, with Record complete. It may have the
	// caller say the next thing.
	Done func()

	Record Record // filled by the Call; the asker makes it with NewRecord
}

// Call is one call of several turns. Its methods and callbacks run on the loop.
type Call struct {
	// Greeted is called once when the greeting is over, or none came; Ended when the call is,
	// after the last Done. Either may be nil; they are set when the call is opened.
	Greeted func(*Record)
	Ended   func()
	Record  CallRecord // complete when Ended is called; before that it has nothing but ID and Due

	client    *Client
	line      *talk.Line
	transport pipeline.Transport // as far as it is known when the stream begins
	end       *talk.End          // of the stream; nil before that
	story     story
	mic       talk.Microphone
	sids      sids
	number    int // of the last message
	frames    int

	waiting *Utterance // that is to be said
	cutting *Utterance // that is to be said into the answer
	after   time.Duration
	marks   []*mark
	timers  []pipeline.Timer // of what comes next
	settles bool
	over    bool // nothing comes any more: the caller has hung up
	ended   bool
}

// Open calls the bot. ID and due are those of the call in the records.
func (c *Client) Open(id int64, due time.Duration) (*Call, error) {
	return c.open(id, due, pipeline.Unknown)
}

func (c *Client) open(id int64, due, begins time.Duration) (*Call, error) {
	address, err := c.config.address()
	if err != nil {
		return nil, err
	}
	call := &Call{client: c, sids: sids{sid("AC"), sid("CA"), sid("MZ")}, Record: CallRecord{ID: id, Due: due}}
	call.story.setting = c.config.setting(call.sids.stream)
	call.line = c.talk.Dial(talk.Ask{
		ID: id, Due: due, Protocol: Name, URL: address, Header: c.config.header(), Begins: max(begins, 0),
		Plays: c.config.Whole, Setting: call.story.setting,
	}, wire{call})
	call.say(twilio.Connected{Event: twilio.EventConnected, Protocol: "Call", Version: "1.0.0"}, pipeline.Unknown)
	call.send(twilio.Message{Event: twilio.EventStart, Start: &twilio.Start{
		AccountSid: call.sids.account, StreamSid: call.sids.stream, CallSid: call.sids.call, Tracks: []string{twilio.Inbound},
		MediaFormat: twilio.MuLaw, CustomParameters: c.config.parameters(),
	}}, pipeline.Unknown)
	return call, nil
}

func (c *Config) parameters() map[string]string {
	if c.Parameters == nil {
		return map[string]string{}
	}
	return c.Parameters
}

// Errors of what cannot be said.
var (
	errOver    = errors.New("the call is over")
	errBusy    = errors.New("the caller has something else to say")
	errNothing = errors.New("there is no answer to cut into: nothing is said")
	errTwice   = errors.New("the caller cuts into the answer already")
	errDone    = errors.New("the answer was over before the caller would have cut in")
)

// Say has the caller say something as soon as the bot is through: with its greeting, or with
// the answer before. One thing waits at a time.
func (c *Call) Say(u *Utterance) error {
	switch err := check(&u.Voice); {
	case err != nil:
		return err
	case c.over:
		return c.whyOver()
	case c.waiting != nil:
		return errBusy
	}
	c.waiting = u
	c.later()
	return nil
}

// Interrupt has the caller say something into the answer to what was said, or waits to be,
// so long after that is first heard, or when it is heard again after that: not in a pause
// between words, and not before the caller has finished. The answer's record has how it stopped; the utterance's is that of a turn of
// its own. An answer that is over before ends the utterance as Dropped.
func (c *Call) Interrupt(u *Utterance, after time.Duration) error {
	switch err := check(&u.Voice); {
	case err != nil:
		return err
	case after < 0:
		return errors.New("an interruption before the answer is heard: want a time after it")
	case c.over:
		return errOver
	case c.cutting != nil || c.story.barging != nil:
		return errTwice
	case c.waiting == nil && (c.story.now == nil || !c.story.now.speaks):
		return errNothing
	}
	c.cutting, c.after = u, after
	c.later()
	return nil
}

// whyOver is the error of what cannot be said any more.
func (c *Call) whyOver() error {
	switch r := &c.Record; {
	case c.ended && r.Reason != "":
		return fmt.Errorf("%w: %s", errOver, r.Reason)
	case c.ended && !c.story.hungUp:
		return fmt.Errorf("%w: the bot closed the stream before the turn", errOver)
	}
	return errOver
}

// HangUp ends the call from the caller's side. What is under way ends as Cancelled.
func (c *Call) HangUp() {
	if c.over {
		return
	}
	c.over, c.story.hungUp = true, true
	c.rest()
	c.note(noteHungUp, c.loop().Now(), int64(c.story.taken))
	c.send(twilio.Message{Event: twilio.EventStop, Stop: &twilio.Stop{AccountSid: c.sids.account, CallSid: c.sids.call}}, pipeline.Unknown)
	c.line.Hangup()
}

// Cancel breaks the call off.
func (c *Call) Cancel() {
	if !c.ended {
		c.line.Cancel()
	}
}

func (c *Call) loop() talk.Loop { return c.client.talk.Loop }

func (c *Call) note(name string, at time.Duration, n int64) { c.line.Note(name, at, n) }

// wire is told what comes of the bot.
type wire struct{ call *Call }

// Opened implements talk.Listener.
func (w wire) Opened(o talk.Opening) {
	w.call.loop().Post(o.At, func() {
		w.call.transport = o.Transport
		w.call.begin(o.At)
	})
}

// Heard implements talk.Listener.
func (w wire) Heard(m talk.Message) bool {
	c := w.call
	in := read(m, c.sids.stream)
	in.why = c.client.config.Key.Tidy(in.why)
	c.loop().Post(m.At, func() { c.take(&in, m.At) })
	return true
}

// Ended implements talk.Listener.
func (w wire) Ended(e talk.End) { w.call.loop().Post(e.At, func() { w.call.land(&e) }) }

// begin begins the stream: the microphone is open.
func (c *Call) begin(at time.Duration) {
	c.story.begin(at)
	if c.over {
		return
	}
	c.mic = talk.Microphone{Loop: c.loop(), Voice: pipeline.Voice{Rate: rate}, Begin: at, Frame: span, Pace: 1, Send: c.frame}
	c.mic.Start()
	c.settle()
}

// take takes a message of the bot.
func (c *Call) take(m *message, at time.Duration) {
	if c.over {
		return
	}
	samples, t := c.story.take(m, at)
	if samples > 0 && t.asked != nil && t.asked.Notify != nil {
		t.asked.Notify(pipeline.Sound{At: at, Samples: samples, Audible: t.opening() >= 0, Voiced: pipeline.Unknown})
	}
	switch m.event {
	case twilio.EventMark:
		c.mark(m.name, at)
	case twilio.EventClear:
		c.pass(len(c.marks))
	}
	c.settle()
}

// later settles when what is under way is done.
func (c *Call) later() {
	if !c.settles && c.story.begun {
		c.timers = append(c.timers, c.loop().At(c.loop().Now(), pipeline.RankStart, c.settle))
	}
}

// at has the call settled again at an instant.
func (c *Call) at(at time.Duration) {
	c.timers = append(c.timers, c.loop().At(max(at, c.loop().Now()), pipeline.RankStart, c.settle))
}

// settle does what is due, and waits for what is to come.
func (c *Call) settle() {
	if c.settles {
		return
	}
	c.settles = true
	for !c.over && c.next() {
	}
	c.settles = false
}

// next does one thing that is due, if there is one.
func (c *Call) next() bool {
	for _, t := range c.timers {
		t.Stop()
	}
	c.timers = c.timers[:0]
	now, s := c.loop().Now(), &c.story
	end := s.settled()
	if end > now {
		c.at(end)
		return c.cutIn(now)
	}
	switch {
	case s.now.speaks:
		c.finish(now)
		return true
	case s.now.greets:
		c.greeted(now)
		return true
	case c.waiting != nil && c.waiting.Begin > now:
		c.at(c.waiting.Begin)
	case c.waiting != nil:
		u := c.waiting
		c.waiting = nil
		c.speak(u, noteSaid)
		return true
	}
	return false
}

// cutIn has the caller cut into the answer when that is due and it is not over before.
func (c *Call) cutIn(now time.Duration) bool {
	s := &c.story
	if c.cutting == nil || !s.now.speaks {
		return false
	}
	voiced := s.voiced()
	if voiced == pipeline.Unknown {
		return false
	}
	at := s.now.heardFrom(max(voiced+c.after, s.now.end))
	if at == pipeline.Unknown {
		return false // there is no more of it, yet
	}
	if at > now {
		c.at(at)
		return false
	}
	u := c.cutting
	c.cutting = nil
	c.speak(u, noteInterrupted)
	return true
}

// speak has the caller speak.
func (c *Call) speak(u *Utterance, note string) {
	t := newTurn(pipeline.Unknown)
	t.start = c.mic.Say(u.Voice.Samples)
	t.onset, t.end = t.start+onset(&u.Voice), t.start+u.Voice.SpeechEnd
	t.asked, t.id, t.due = u, u.Record.ID, u.Record.Due
	if note == noteSaid {
		c.line.Again(t.start, c.client.config.Whole)
	}
	c.note(note, t.start, int64(c.story.taken))
	c.note(noteOnset, t.onset, t.id)
	c.note(noteSpeechEnd, t.end, int64(t.due))
	c.story.said(t)
}

// finish ends a turn.
func (c *Call) finish(at time.Duration) {
	c.note(noteOver, at, int64(c.story.taken))
	t, r := c.story.over(at)
	if c.story.now.speaks { // what was said into the answer is waited for from now on
		c.line.Again(at, c.client.config.Whole)
	} else {
		c.line.Rest()
	}
	if u := c.cutting; u != nil {
		c.cutting = nil
		c.done(u, dropped(u, at))
	}
	c.done(t.asked, r)
}

// dropped returns the record of an interruption that was not said.
func dropped(u *Utterance, at time.Duration) *Record {
	r := u.Record
	r.Outcome, r.Reason, r.End = pipeline.Dropped, errDone.Error(), at
	return &r
}

// done hands a record over.
func (c *Call) done(u *Utterance, r *Record) {
	r.Reason = c.client.config.Key.Tidy(r.Reason)
	u.Record = *r
	u.Done()
}

// greeted ends the greeting.
func (c *Call) greeted(at time.Duration) {
	c.note(noteOver, at, int64(c.story.taken))
	_, r := c.story.over(at)
	c.line.Rest()
	if c.Greeted != nil {
		c.Greeted(r)
	}
	if r.Outcome != pipeline.OK {
		c.HangUp()
	}
}

// rest stops what the loop would still do.
func (c *Call) rest() {
	c.mic.Stop()
	for _, t := range c.timers {
		t.Stop()
	}
	for _, m := range c.marks {
		m.timer.Stop()
	}
}

// land completes the records when the stream has ended.
func (c *Call) land(e *talk.End) {
	if c.ended {
		return
	}
	c.over, c.ended = true, true
	c.end = e
	c.rest()
	for _, left := range c.story.land(e) {
		c.done(left.turn.asked, left.record)
	}
	for _, u := range []*Utterance{c.waiting, c.cutting} {
		if u != nil {
			r := u.Record
			r.Outcome, r.Reason = c.story.unspoken(e)
			r.End = e.At
			c.done(u, &r)
		}
	}
	c.waiting, c.cutting = nil, nil
	c.Record = c.story.callRecord(c.Record.ID, c.Record.Due, e)
	c.Record.Reason = c.client.config.Key.Tidy(c.Record.Reason)
	if c.Ended != nil {
		c.Ended()
	}
}
