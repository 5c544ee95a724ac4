package converse

import (
	"encoding/json"
	"fmt"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/sound"
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

// Notes in a raw log of what the client did.
const (
	noteInterrupted = "interrupted" // the user began to speak into the answer
	noteTruncated   = "truncated"   // the server was told how much was played: N nanoseconds
	noteEnough      = "enough"      // the client had all it wanted; N is the messages it had heard
)

// Retell makes the record of a turn again from what was kept of it, and tells each of its
// events; each may be nil. It has the messages handled by what handles them when they come,
// with a loop that does not run and a line that leads nowhere.
func Retell(x *exchange.Exchange, each func(talk.Event)) (pipeline.Answered, error) {
	var s setting
	if err := json.Unmarshal([]byte(x.Setting), &s); err != nil {
		return pipeline.Answered{}, fmt.Errorf("conversation %d: setting: %w", x.Request, err)
	}
	told, err := talk.Retell(x)
	if err != nil {
		return pipeline.Answered{}, err
	}
	f := again(x, &s)
	f.tell(told, x, each)
	if n, ok := x.Noted(noteEnough); ok {
		f.finishing, f.record().End = true, n.At
	}
	f.cancelled = x.Stop == exchange.Cancelled
	f.land(&told.End)
	r := f.record()
	r.Reason = told.Reason(r.Outcome, r.Reason)
	return *r, nil
}

// again returns a turn of which nothing was heard.
func again(x *exchange.Exchange, s *setting) *flight {
	c := Config{Manual: s.Manual, Patient: s.Patient}.withDefaults()
	if s.Transcribes {
		c.Transcriber = "any"
	}
	client := &Client{config: c, talk: &talk.Client{Loop: pipeline.NewWall()}}
	turn := &pipeline.Turn{Record: pipeline.NewAnswered(x.Request, x.Due), Done: func() {}, Begin: pipeline.Unknown}
	turn.Voice = pipeline.Voice{Rate: realtime.PCMRate, SpeechEnd: time.Duration(s.Speech)}
	if s.Begin != nil {
		turn.Begin = time.Duration(*s.Begin)
	}
	if s.InterruptAfter != nil {
		turn.Interruption, turn.InterruptAfter = &pipeline.Voice{}, time.Duration(*s.InterruptAfter)
	}
	f := &flight{client: client, turn: turn, meter: sound.NewMeter(samples), line: &talk.Line{}, told: true}
	f.speechEnd, f.interrupted = pipeline.Unknown, pipeline.Unknown
	return f
}

// tell takes a conversation again, and what the client did in it.
func (f *flight) tell(told *talk.Retold, x *exchange.Exchange, each func(talk.Event)) {
	heard := len(told.Messages)
	if n, ok := x.Noted(noteEnough); ok {
		heard = max(0, min(heard, int(n.N)))
	}
	for _, m := range told.Messages[:heard] {
		if f.finishing {
			return
		}
		f.did(x, m.At)
		e, err := understand(m)
		f.take(&e, m.At)
		if each != nil {
			each(f.event(m, &e))
		}
		if err != nil {
			return
		}
	}
	f.did(x, told.End.At)
}

// did takes what the client did up to an instant.
func (f *flight) did(x *exchange.Exchange, upTo time.Duration) {
	r := f.record()
	if n, ok := x.Noted(noteInterrupted); ok && n.At <= upTo {
		f.interrupted, r.Interrupted = n.At, n.At
	}
	if n, ok := x.Noted(noteTruncated); ok && n.At <= upTo {
		f.truncating, r.Played = true, time.Duration(n.N)
	}
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
