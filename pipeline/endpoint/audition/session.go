package audition

import (
	"encoding/json"
	"mime"
	"strconv"

	"halfsecond/pipeline/endpoint/audition/heard"
	"halfsecond/pipeline/endpoint/converse"
	"halfsecond/pipeline/endpoint/listen"
	"halfsecond/pipeline/endpoint/speak"
	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/pipeline/exchange"
	"halfsecond/pipeline/wire/realtime"
)

// see adds to a session what went over the wire. It returns the session with the record
// that the bytes make, in place of its client's.
func see(s *heard.Session, x *exchange.Exchange) (heard.Session, error) {
	s.Sent, s.Accepted, s.Headers, s.Pace = x.Sent, x.Answered, x.Headers, heard.PaceOf(x)
	s.Promised = promised(x)
	for _, m := range x.Messages {
		if m.Kind == exchange.Close {
			s.Closing = string(m.Data)
		}
	}
	tell := func(e talk.Event) { s.Events = append(s.Events, e) }
	again := *s
	var err error
	switch KindOf(x.Protocol) {
	case heard.Listens:
		again.Transcription, err = pointer(listen.Retell(x, tell))
		again.Forced = listen.Forced(x)
	case heard.Speaks:
		again.Speech, err = pointer(speak.Retell(x, tell))
	default:
		again.Answered, err = pointer(converse.Retell(x, tell))
	}
	again.Events = s.Events
	return again, err
}

func pointer[T any](v T, err error) (*T, error) { return &v, err }

// promised returns the rate that a server says its samples have: in the content type, or in
// the session as it was made. 0 is that it does not say.
func promised(x *exchange.Exchange) int {
	if _, parameters, err := mime.ParseMediaType(x.Header("Content-Type")); err == nil {
		if rate, err := strconv.Atoi(parameters["rate"]); err == nil {
			return rate
		}
	}
	for _, m := range x.Messages {
		var e struct {
			Type    string          `json:"type"`
			Session json.RawMessage `json:"session"`
		}
		if m.From == exchange.Server && m.Kind == exchange.Text && json.Unmarshal(m.Data, &e) == nil && e.Type == realtime.EventSessionUpdated {
			return converse.Promised(e.Session)
		}
	}
	return 0
}
