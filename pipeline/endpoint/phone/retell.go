package phone

import (
	"encoding/json"
	"fmt"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/pipeline/exchange"
	"halfsecond/pipeline/wire/twilio"
)

// Notes in a raw log of what the caller did. Those of a turn come together, in this order.
const (
	noteSaid        = "said"        // the first sample of something left the mouth; N is the messages of the bot before
	noteInterrupted = "interrupted" // the same, of something said into an answer
	noteOnset       = "onset"       // its first sample that can be heard; N is the ID of its record
	noteSpeechEnd   = "speech_end"  // the last sample of speech in it; N is its due instant in nanoseconds

	noteOver   = "over"    // the bot was through with a greeting, or an answer; N as above
	noteHungUp = "hung_up" // N as above
)

// Retell makes the record of a Turn again from what was kept of its call, of which it was the
// first, and tells each message of the bot, see RetellCall.
func Retell(x *exchange.Exchange, each func(talk.Event)) (pipeline.Answered, error) {
	all, err := RetellAll(x, each)
	if err != nil {
		return pipeline.Answered{}, err
	}
	return all[0], nil
}

// RetellAll is Retell for all turns of a call: at least one. What was not said is not among
// them.
func RetellAll(x *exchange.Exchange, each func(talk.Event)) ([]pipeline.Answered, error) {
	s, told, err := retell(x, each)
	if err != nil {
		return nil, err
	}
	call := s.callRecord(x.Request, x.Due, &told.End)
	turns := s.inTurn()
	if len(turns) == 0 {
		r := NewRecord(x.Request, x.Due)
		r.Outcome, r.Reason = s.unspoken(&told.End)
		r.End = told.End.At
		turns = []*Record{&r}
	}
	parts := append(told.Parts, told.End.Part)
	var all []pipeline.Answered
	for i, r := range turns {
		r.Reason = tidy(told.Reason(r.Outcome, r.Reason))
		if len(told.Parts) == 0 {
			return []pipeline.Answered{answered(r, &call)}, nil
		}
		transport := told.Opening.Transport
		if i >= len(told.Parts) {
			r.Close, transport = call.Close, call.Transport
		}
		all = append(all, inCall(r, transport, parts[min(i, len(parts)-1)], i == 0))
	}
	return all, nil
}

// inTurn returns the turns of the call but for those that cut into an answer: they have the ID of
// the turn that they cut into.
func (s *story) inTurn() (all []*Record) {
	seen := map[int64]bool{}
	for _, r := range s.turns {
		if !seen[r.ID] {
			seen[r.ID] = true
			all = append(all, r)
		}
	}
	return all
}

// RetellCall makes the record of a call again from what was kept of it, and tells each message
// of the bot; each may be nil. What was not said is not in it.
func RetellCall(x *exchange.Exchange, each func(talk.Event)) (CallRecord, error) {
	s, told, err := retell(x, each)
	if err != nil {
		return CallRecord{}, err
	}
	r := s.callRecord(x.Request, x.Due, &told.End)
	r.Reason = tidy(told.Reason(r.Outcome, r.Reason))
	for i := range r.Turns {
		r.Turns[i].Reason = tidy(told.Reason(r.Turns[i].Outcome, r.Turns[i].Reason))
	}
	return r, nil
}

func tidy(s string) string { return endpoint.Key{}.Tidy(s) }

// retelling is a call that is told again.
type retelling struct {
	story
	left   []talk.Message
	each   func(talk.Event)
	saying *turn // as far as its notes have come
}

func retell(x *exchange.Exchange, each func(talk.Event)) (*story, *talk.Retold, error) {
	var r retelling
	if err := json.Unmarshal([]byte(x.Setting), &r.setting); err != nil {
		return nil, nil, fmt.Errorf("call %d: setting: %w", x.Request, err)
	}
	told, err := talk.Retell(x)
	if err != nil {
		return nil, nil, err
	}
	r.each = each
	if told.Opening != nil {
		r.left = told.Messages
		r.begin(told.Opening.At)
		for _, n := range x.Notes {
			r.note(n)
		}
		if !r.hungUp {
			r.hear(len(r.left))
		}
	}
	r.land(&told.End)
	return &r.story, told, nil
}

// note does again what the caller did.
func (r *retelling) note(n exchange.Note) {
	switch n.Name {
	case noteSaid, noteInterrupted:
		r.hearUpTo(n.N)
		r.saying = newTurn(pipeline.Unknown)
		r.saying.start = n.At
	case noteOnset:
		if r.saying != nil {
			r.saying.onset, r.saying.id = n.At, n.N
		}
	case noteSpeechEnd:
		if t := r.saying; t != nil {
			t.end, t.due = n.At, time.Duration(n.N)
			r.said(t)
			r.saying = nil
		}
	case noteOver:
		r.hearUpTo(n.N)
		r.over(n.At)
	case noteHungUp:
		r.hearUpTo(n.N)
		r.hungUp = true
	}
}

// hearUpTo hears messages until so many were heard in all.
func (r *retelling) hearUpTo(n int64) {
	r.hear(int(max(0, min(n-int64(r.taken), int64(len(r.left))))))
}

func (r *retelling) hear(n int) {
	for _, m := range r.left[:n] {
		in := read(m, r.Stream)
		in.why = tidy(in.why)
		samples, t := r.take(&in, m.At)
		if r.each != nil {
			r.each(event(m, &in, samples, t))
		}
	}
	r.left = r.left[n:]
}

// event returns what a message said.
func event(m talk.Message, in *message, samples int, to *turn) talk.Event {
	e := talk.NewEvent(m)
	e.Name = in.event
	switch {
	case in.event == twilio.EventMedia:
		e.Kind, e.Samples = talk.KindAudio, samples
		k := to.opening()
		e.Audible = k >= 0 && k == len(to.pieces)-1
	case in.fault != "":
		e.Kind, e.Text = talk.KindError, in.why
	case in.event == twilio.EventMark:
		e.Text = in.name
	}
	return e
}
