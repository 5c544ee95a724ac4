package listen

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/pipeline/exchange"
)

// setting is what a raw log keeps of what was asked for.
type setting struct {
	Format bool    `json:"format,omitempty"`
	Force  bool    `json:"force,omitempty"`
	Pace   float64 `json:"pace"`
	// Speech is where in the recording the last sample of speech ends; null is nowhere.
	// Begin is when the first sample was to be spoken; null is as soon as the session was
	// ready. Patient is that it was not to be spoken before that in any case.
	Speech *int64 `json:"speech_ns"`
	Begin  *int64 `json:"begin_ns"`

	Patient bool `json:"patient,omitempty"`
	// Due is when an upload should have begun: its own due instant is that of its sending.
	Due *int64 `json:"due_ns,omitempty"`
}

// setting returns that of a recording.
func (c *Config) setting(h *pipeline.Hearing) setting {
	return setting{Format: c.Format, Force: c.Force, Pace: c.Pace, Speech: known(h.Voice.SpeechEnd), Begin: known(h.Begin), Patient: c.Patient}
}

// uploaded returns the setting of an upload.
func (f *flight) uploaded() setting {
	s := f.client.config.setting(f.hearing)
	s.Begin, s.Due = known(f.microphone.Begin), known(f.hearing.Record.Due)
	return s
}

// Forced reports whether the client itself asked for the final text, by a raw log.
func Forced(x *exchange.Exchange) bool {
	var s setting
	return json.Unmarshal([]byte(x.Setting), &s) == nil && s.Force
}

// TimingOf returns where in a recording speech ends, by a raw log, and how long after the session
// was due it should have begun; Unknown is nowhere, and at once.
func TimingOf(x *exchange.Exchange) (speechEnd, begin time.Duration, err error) {
	var s setting
	if err := json.Unmarshal([]byte(x.Setting), &s); err != nil {
		return 0, 0, fmt.Errorf("conversation %d: setting: %w", x.Request, err)
	}
	speechEnd, begin = pipeline.Unknown, pipeline.Unknown
	due := x.Due
	if s.Due != nil {
		due = time.Duration(*s.Due)
	}
	if s.Speech != nil {
		speechEnd = time.Duration(*s.Speech)
	}
	if s.Begin != nil {
		begin = time.Duration(*s.Begin) - due
	}
	return speechEnd, begin, nil
}

func known(at time.Duration) *int64 {
	if at == pipeline.Unknown {
		return nil
	}
	n := int64(at)
	return &n
}

// spoken places the recording in time, whose service was ready at that instant.
func (s *setting) spoken(r *pipeline.Transcription, ready time.Duration) {
	if s.Speech == nil {
		return
	}
	due := pipeline.Unknown
	if s.Begin != nil {
		due = time.Duration(*s.Begin)
	}
	m := talk.Microphone{Begin: talk.Begins(due, ready, s.Patient), Pace: s.Pace}
	r.SpeechEnd = m.At(time.Duration(*s.Speech))
}

// Notes in a raw log of a session of several utterances. N is the messages that the client had
// heard by then, but where another meaning is given.
const (
	noteTurn      = "turn"       // another one began, which was due at that instant; N is the ID of its record
	noteStart     = "start"      // its first sample is spoken; N is the audio that was sent before it, in nanoseconds
	noteSpeechEnd = "speech_end" // and this is when its last sample of speech was spoken
	noteOver      = "over"       // the client had all it wanted of an utterance that others follow
)

// Retell makes the record of an utterance that was all of its session again from what was kept of
// that, and tells each of its events; each may be nil. Of a session of several it is the first.
func Retell(x *exchange.Exchange, each func(talk.Event)) (pipeline.Transcription, error) {
	all, err := RetellAll(x, each)
	if err != nil {
		return pipeline.Transcription{}, err
	}
	return all[0], nil
}

// RetellAll makes the records of all utterances of a session again: at least one. What was not
// said is not among them.
func RetellAll(x *exchange.Exchange, each func(talk.Event)) ([]pipeline.Transcription, error) {
	var s setting
	p, err := find(Protocol(x.Protocol))
	if err == nil && x.Setting != "" {
		err = json.Unmarshal([]byte(x.Setting), &s)
	}
	if err != nil {
		return nil, fmt.Errorf("conversation %d: %w", x.Request, err)
	}
	told, err := talk.Retell(x)
	if err != nil {
		return nil, err
	}
	r := retelling{protocol: p, setting: &s, decoder: p.decoder(&Config{Format: s.Format, Force: s.Force}), each: each, told: told, parts: told.Parts}
	r.begin(x.Request, x.Due)
	if s.Due != nil {
		r.gather.record.Due = time.Duration(*s.Due)
	}
	r.tell(x.Notes)
	if r.gather != nil {
		r.gather.finish(r.call().part(&told.End), p.last)
		r.keep(x.Stop == exchange.Cancelled)
	}
	return r.all, nil
}

// ended returns the record of a session that has ended.
func (g *gatherer) ended(cancelled bool) pipeline.Transcription {
	r := g.record
	if cancelled {
		r.Outcome, r.Reason = pipeline.Cancelled, talk.ErrCancelled.Error()
	}
	if r.Outcome != pipeline.OK && r.Outcome != pipeline.Truncated {
		r.Flags = []string{}
	}
	return r
}

// retelling is a session that is told again.
type retelling struct {
	protocol *protocol
	setting  *setting
	decoder  decoder
	told     *talk.Retold
	parts    []talk.Sent   // of those that went out, as far as they are still to come
	gather   *gatherer     // of the utterance under way; nil between two
	turns    int           // that began
	begun    time.Duration // the session did
	due      time.Duration // of the utterance that begins, and its record's ID
	id       int64
	from     time.Duration // where in all audio it does
	whose    talk.Turns
	settled  bool
	each     func(talk.Event)
	all      []pipeline.Transcription
}

// begin begins an utterance.
func (r *retelling) begin(id int64, due time.Duration) {
	r.gather = &gatherer{glue: r.protocol.glue, record: pipeline.NewTranscription(id, due)}
	if r.turns++; r.turns == 1 {
		r.begun, r.from = pipeline.Unknown, pipeline.Unknown
	}
	r.whose.Begin(r.from)
	r.settled = false
	r.gather.record.Ready = r.begun
}

// keep keeps the record of the utterance under way, which has ended.
func (r *retelling) keep(cancelled bool) {
	q := r.gather.ended(cancelled)
	q.Reason = r.told.Reason(q.Outcome, q.Reason)
	r.all, r.gather = append(r.all, q), nil
}

// call returns the session as far as it is known.
func (r *retelling) call() *call {
	c := &call{turns: r.turns}
	if r.told.Opening != nil {
		c.transport = r.told.Opening.Transport
	}
	return c
}

// part returns what went out in the next part.
func (r *retelling) part() talk.Sent {
	if len(r.parts) == 0 {
		return r.told.End.Part
	}
	p := r.parts[0]
	r.parts = r.parts[1:]
	return p
}

func (r *retelling) tell(notes []exchange.Note) {
	if !r.protocol.socket {
		r.setting.spoken(&r.gather.record, pipeline.Unknown)
	}
	if r.told.Opening != nil {
		r.open(r.told.Opening)
	}
	for i, m := range r.told.Messages {
		notes = r.did(notes, int64(i))
		s := step{}
		if r.gather == nil || r.gather.failure == nil {
			r.decoder.read(m, &s)
			r.take(&s, m)
		}
	}
	r.did(notes, int64(len(r.told.Messages)))
	if d, ok := r.decoder.(ender); ok && r.told.End.Whole && r.gather.failure == nil {
		s := step{}
		d.end(&s)
		r.take(&s, talk.Message{At: r.told.End.At, Binary: true})
	}
}

// did does again what the client did when it had heard so many messages. It returns what it did
// later.
func (r *retelling) did(notes []exchange.Note, heard int64) []exchange.Note {
	for len(notes) > 0 {
		n := &notes[0]
		switch {
		case (n.Name == noteSpeechEnd || n.Name == noteOver) && n.N > heard:
			return notes
		case n.Name == noteTurn:
			r.due, r.id, r.from = n.At, n.N, pipeline.Unknown
		case n.Name == noteStart:
			r.from = time.Duration(n.N)
		case n.Name == noteSpeechEnd && r.gather == nil:
			r.part() // what went out between
			r.begin(r.id, r.due)
			r.gather.record.SpeechEnd = n.At
		case n.Name == noteOver && r.gather != nil:
			r.gather.leave(n.At, r.part(), r.call().connection())
			r.whose.End(r.gather.unanswered(r.settled))
			r.keep(false)
		}
		notes = notes[1:]
	}
	return nil
}

// open hears that the server has accepted.
func (r *retelling) open(o *talk.Opening) {
	if d, ok := r.decoder.(*transcripts); ok {
		s := step{}
		d.typed(o.Header.Get("Content-Type"), &s)
		r.gather.take(&s, o.At)
	} else if r.protocol.awaits == "" {
		r.ready(o.At)
	}
}

// ready hears that the service takes audio.
func (r *retelling) ready(at time.Duration) {
	if r.begun == pipeline.Unknown && r.gather != nil {
		r.begun, r.gather.record.Ready = at, at
		r.setting.spoken(&r.gather.record, at)
	}
}

func (r *retelling) take(said *step, m talk.Message) {
	own := *said
	s := &own
	s.owned(&r.whose)
	if r.gather != nil {
		r.gather.take(s, m.At)
		r.settled = r.settled || s.settled && r.gather.record.SpeechEnd != pipeline.Unknown && m.At >= r.gather.record.SpeechEnd
	}
	if s.ready && r.protocol.awaits != "" {
		r.ready(m.At)
	}
	if r.each != nil && (len(m.Data) > 0 || len(said.finals) > 0) {
		r.each(said.told(m))
	}
}

// mostPartial is how many bytes of a partial text an event has: all so far of each would be
// too much of a long recording.
const mostPartial = 4 << 10

// beginning returns as much of a text.
func beginning(text string) string {
	if len(text) <= mostPartial {
		return text
	}
	return strings.ToValidUTF8(strings.Clone(text[:mostPartial]), "")
}

// told returns what a message said, as an event.
func (s *step) told(m talk.Message) talk.Event {
	e := talk.NewEvent(m)
	e.Settled = s.settled
	if s.turnEnd {
		e.Flag = strings.Join(s.events, " ")
	}
	switch {
	case s.failure != nil:
		e.Kind, e.Text = talk.KindError, s.failure.String()
	case len(s.finals) > 0:
		e.Kind = talk.KindFinal
		for _, f := range s.finals {
			e.Text, e.Of = e.Text+f.text, f.turn+f.span
		}
	case s.partial != "":
		e.Kind, e.Text = talk.KindPartial, beginning(s.partial)
	case s.ready:
		e.Kind = talk.KindReady
	case s.last:
		e.Kind = talk.KindEnd
	case s.turnEnd || len(s.events) > 0:
		e.Kind = talk.KindTurn
	}
	return e
}
