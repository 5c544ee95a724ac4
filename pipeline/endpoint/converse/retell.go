package converse

import (
	"encoding/json"
	"fmt"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/pipeline/exchange"
	"halfsecond/pipeline/wire/realtime"
)

// setting is what a raw log keeps of what was asked for.
type setting struct {
	Transcribes bool `json:"transcribes,omitempty"`
	Manual      bool `json:"manual,omitempty"`
	// Speech is where in what the user says the last sample of speech ends, and Begin when
	// its first sample was to be spoken; null is as soon as the session was ready.
	Speech int64  `json:"speech_ns"`
	Begin  *int64 `json:"begin_ns"`
	// Patient is that it was not to be spoken before that in any case.
	Patient bool `json:"patient,omitempty"`
	// InterruptAfter is of a turn with an interruption.
	InterruptAfter *int64 `json:"interrupt_after_ns,omitempty"`
}

// setting returns that of a turn.
func (c *Config) setting(t *pipeline.Turn) setting {
	s := setting{Transcribes: c.Transcriber != "", Manual: c.Manual, Patient: c.Patient, Speech: int64(t.Voice.SpeechEnd)}
	if t.Begin != pipeline.Unknown {
		at := int64(t.Begin)
		s.Begin = &at
	}
	if t.Interruption != nil {
		after := int64(t.InterruptAfter)
		s.InterruptAfter = &after
	}
	return s
}

// TimingOf returns where in what the user says speech ends, by a raw log, and how long after the
// session was due it should have begun, Unknown being at once.
func TimingOf(x *exchange.Exchange) (speechEnd, begin time.Duration, err error) {
	var s setting
	if err := json.Unmarshal([]byte(x.Setting), &s); err != nil {
		return 0, 0, fmt.Errorf("conversation %d: setting: %w", x.Request, err)
	}
	begin = pipeline.Unknown
	if s.Begin != nil {
		begin = time.Duration(*s.Begin) - x.Due
	}
	return time.Duration(s.Speech), begin, nil
}

// Notes in a raw log of what the client did. N is the messages that it had heard by then, but
// where another meaning is given.
const (
	noteTurn        = "turn"        // another turn began, which was due at that instant; N is the ID of its record
	noteStart       = "start"       // its first sample is spoken; N is the audio that was sent before it, in nanoseconds
	noteSpeechEnd   = "speech_end"  // and this is when its last sample of speech was spoken
	noteInterrupted = "interrupted" // the user began to speak into the answer
	noteTruncated   = "truncated"   // the server was told how much was played: N nanoseconds
	noteOver        = "over"        // the client had all it wanted of a turn that others follow
	noteEnough      = "enough"      // the same of the last one
)

// Retell makes the record of a turn that was all of its session again from what was kept of it, and
// tells each of its events; each may be nil. Of a session of several turns it is the first.
func Retell(x *exchange.Exchange, each func(talk.Event)) (pipeline.Answered, error) {
	all, err := RetellAll(x, each)
	if err != nil {
		return pipeline.Answered{}, err
	}
	return all[0], nil
}

// RetellAll makes the records of all turns of a session again: at least one. What was not
// spoken is not among them. It has the messages handled by what handles them when they come,
// with a loop that does not run and a line that leads nowhere.
func RetellAll(x *exchange.Exchange, each func(talk.Event)) ([]pipeline.Answered, error) {
	var s setting
	if err := json.Unmarshal([]byte(x.Setting), &s); err != nil {
		return nil, fmt.Errorf("conversation %d: setting: %w", x.Request, err)
	}
	told, err := talk.Retell(x)
	if err != nil {
		return nil, err
	}
	r := &retelling{call: again(x, &s), told: told, notes: x.Notes, each: each}
	r.tell()
	if f := r.call.now; f != nil {
		f.cancelled = x.Stop == exchange.Cancelled
		r.call.land(&told.End)
	}
	return r.all, nil
}

// again returns a session of which nothing was heard.
func again(x *exchange.Exchange, s *setting) *call {
	c := Config{Manual: s.Manual, Patient: s.Patient}.withDefaults()
	if s.Transcribes {
		c.Transcriber = "any"
	}
	client := &Client{config: c, talk: &talk.Client{Loop: pipeline.NewWall()}}
	turn := &pipeline.Turn{Record: pipeline.NewAnswered(x.Request, x.Due), Begin: pipeline.Unknown}
	turn.Voice = pipeline.Voice{Rate: realtime.PCMRate, SpeechEnd: time.Duration(s.Speech)}
	if s.Begin != nil {
		turn.Begin = time.Duration(*s.Begin)
	}
	if s.InterruptAfter != nil {
		turn.Interruption, turn.InterruptAfter = &pipeline.Voice{}, time.Duration(*s.InterruptAfter)
	}
	on := newCall(client)
	on.told, on.line = true, &talk.Line{}
	on.enter(newFlight(client, turn))
	return on
}

// retelling is a session that is told again.
type retelling struct {
	call  *call
	told  *talk.Retold
	notes []exchange.Note // that are still to come
	due   time.Duration   // of the turn that begins, and its record's ID
	id    int64
	start time.Duration // and its first sample, and where that is in all audio
	from  time.Duration
	each  func(talk.Event)
	all   []pipeline.Answered
}

// tell takes a conversation again, and what the client did in it.
func (r *retelling) tell() {
	c := r.call
	c.now.turn.Done = r.keep(c.now)
	c.parts = r.told.Parts
	if r.told.Opening != nil {
		c.transport = r.told.Opening.Transport
	}
	for i, m := range r.told.Messages {
		r.did(int64(i), m.At)
		if c.hungUp {
			return
		}
		e, err := understand(m)
		f := c.now
		c.take(&e, m.At)
		if r.each != nil && f != nil {
			r.each(f.event(m, &e))
		}
		if err != nil {
			return
		}
	}
	r.did(int64(len(r.told.Messages)), r.told.End.At)
}

// keep returns what keeps the record of a turn that is over.
func (r *retelling) keep(f *flight) func() {
	return func() {
		q := *f.record()
		q.Reason = r.told.Reason(q.Outcome, q.Reason)
		r.all = append(r.all, q)
	}
}

// did does again what the client did up to an instant, when it had heard so many messages.
func (r *retelling) did(heard int64, upTo time.Duration) {
	for len(r.notes) > 0 {
		n := r.notes[0]
		switch n.Name {
		case noteSpeechEnd, noteOver, noteEnough:
			if n.N > heard {
				return
			}
		case noteInterrupted, noteTruncated:
			if n.At > upTo {
				return
			}
		}
		r.notes = r.notes[1:]
		r.note(&n)
	}
}

// note does again what the client noted.
func (r *retelling) note(n *exchange.Note) {
	c, f := r.call, r.call.now
	switch n.Name {
	case noteTurn:
		r.due, r.id, r.start, r.from = n.At, n.N, pipeline.Unknown, pipeline.Unknown
	case noteStart:
		r.start, r.from = n.At, time.Duration(n.N)
	case noteSpeechEnd:
		if f == nil {
			r.begin(n.At)
		}
	case noteInterrupted:
		if f != nil {
			f.interrupted, f.record().Interrupted = n.At, n.At
		}
	case noteTruncated:
		if f != nil {
			f.truncating, f.record().Played = true, time.Duration(n.N)
		}
	case noteOver:
		if f != nil {
			f.record().End = n.At
			c.leave(f, n.At)
		}
	case noteEnough:
		if f != nil {
			f.finishing, f.record().End = true, n.At
		}
		c.hungUp = true
	}
}

// begin begins a later turn, whose speech ends at an instant.
func (r *retelling) begin(speechEnd time.Duration) {
	f := newFlight(r.call.client, &pipeline.Turn{Record: pipeline.NewAnswered(r.id, r.due)})
	f.turn.Done = r.keep(f)
	f.start, f.from = r.start, r.from
	r.call.part(speechEnd) // what went out between
	r.call.enter(f)
	f.speechEnd, f.record().SpeechEnd, f.record().Ready = speechEnd, speechEnd, r.call.ready
}

// event returns what a message said.
func (f *flight) event(m talk.Message, e *event) talk.Event {
	t := talk.NewEvent(m)
	t.Text = e.text
	switch {
	case e.failure != nil:
		t.Kind, t.Text = talk.KindError, e.failure.String()
	case e.kind == realtime.EventSessionUpdated:
		t.Kind = talk.KindReady
	case e.kind == realtime.EventSpeechStarted, e.kind == realtime.EventSpeechStopped, e.kind == realtime.EventCommitted:
		t.Kind = talk.KindTurn
	case e.kind == realtime.EventTranscriptionCompleted:
		t.Kind = talk.KindFinal
	case len(e.audio) > 0:
		t.Kind, t.Samples = talk.KindAudio, len(e.audio)*8/samples.Bits()
		t.Audible, t.Noisy = f.meter.FirstAudible == m.At, f.meter.Noisy()
	case e.text != "":
		t.Kind = talk.KindText
	case e.kind == realtime.EventResponseDone:
		t.Kind, t.Text = talk.KindEnd, e.response.words()
	}
	return t
}
