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

// Retell makes the record of a session again from what was kept of it, and tells each of
// its events; each may be nil.
func Retell(x *exchange.Exchange, each func(talk.Event)) (pipeline.Transcription, error) {
	var s setting
	p, err := find(Protocol(x.Protocol))
	if err == nil && x.Setting != "" {
		err = json.Unmarshal([]byte(x.Setting), &s)
	}
	if err != nil {
		return pipeline.Transcription{}, fmt.Errorf("conversation %d: %w", x.Request, err)
	}
	told, err := talk.Retell(x)
	if err != nil {
		return pipeline.Transcription{}, err
	}
	r := retelling{protocol: p, setting: &s, decoder: p.decoder(&Config{Format: s.Format, Force: s.Force}), each: each}
	r.gather = gatherer{glue: p.glue, record: pipeline.NewTranscription(x.Request, x.Due)}
	if s.Due != nil {
		r.gather.record.Due = time.Duration(*s.Due)
	}
	r.tell(told)
	r.gather.finish(&told.End, p.last)
	again := r.gather.ended(x.Stop == exchange.Cancelled)
	again.Reason = told.Reason(again.Outcome, again.Reason)
	return again, nil
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
	gather   gatherer
	each     func(talk.Event)
}

func (r *retelling) tell(told *talk.Retold) {
	if !r.protocol.socket {
		r.setting.spoken(&r.gather.record, pipeline.Unknown)
	}
	if told.Opening != nil {
		r.open(told.Opening)
	}
	for _, m := range told.Messages {
		s := step{}
		if r.gather.failure == nil {
			r.decoder.read(m, &s)
			r.take(&s, m)
		}
	}
	if d, ok := r.decoder.(ender); ok && told.End.Whole && r.gather.failure == nil {
		s := step{}
		d.end(&s)
		r.take(&s, talk.Message{At: told.End.At, Binary: true})
	}
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
	if r.gather.record.Ready == pipeline.Unknown {
		r.gather.record.Ready = at
		r.setting.spoken(&r.gather.record, at)
	}
}

func (r *retelling) take(s *step, m talk.Message) {
	r.gather.take(s, m.At)
	if s.ready && r.protocol.awaits != "" {
		r.ready(m.At)
	}
	if r.each != nil && (len(m.Data) > 0 || len(s.finals) > 0) {
		r.each(s.told(m))
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
