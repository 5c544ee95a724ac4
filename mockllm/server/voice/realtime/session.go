package realtime

import (
	"encoding/base64"
	"encoding/json"
	"iter"
	"slices"
	"time"

	"halfsecond/mockllm/server/voice/ear"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/realtime"
)

// session is one session of the Realtime API. What it hears is in listener.go, what
// was said in item.go, and what it answers in reply.go.
type session struct {
	talk.Visit
	service      *Service
	model        Model
	beta         bool
	config       *realtime.Session
	number       int // of the session, for seeds
	conversation string
	expiry       pipeline.Timer
	over         bool

	ear  *listener
	idle pipeline.Timer // of a user who says nothing

	items   []*item
	reply   *reply   // that writes to the conversation; nil when none does
	replies []*reply // all that are under way
	asked   int      // replies so far
	spoken  bool     // the assistant has been heard: its voice stays
	context []mass   // of the reply before, for its cache
	used    bucket
}

// head returns the head of an event.
func (t *session) head(event string) realtime.Head {
	if t.beta {
		event = realtime.BetaName(event)
	}
	return realtime.Head{Type: event, EventID: t.service.NewID("event_")}
}

// sessionHead returns the head of an event about the session; the beta has another name
// for one that only transcribes.
func (t *session) sessionHead(event, transcription string) realtime.Head {
	if t.beta && t.config.Type == realtime.Transcription {
		event = transcription
	}
	return t.head(event)
}

// shown returns the session as the client knows it.
func (t *session) shown() any {
	if t.beta {
		return t.config.Beta().Shown()
	}
	return t.config.Shown()
}

// complain says what was wrong with an event of the client.
func (t *session) complain(f *refusal, cause string) {
	t.Say(realtime.ErrorEvent{Head: t.head(realtime.EventError), Error: f.event(cause)})
}

// refuse says what is wrong and closes.
func (t *session) refuse(f *refusal, code int) {
	t.complain(f, "")
	t.Settle(pipeline.Refused, f.message)
	t.end(code, f.reason())
}

// end closes the session.
func (t *session) end(code int, reason string) {
	t.over = true
	t.Close(code, reason)
}

// expire ends a session that has lasted too long.
func (t *session) expire() {
	f := faulty("session_expired", "", "Your session hit the maximum duration of %d minutes.", longestSession/time.Minute)
	t.complain(f, "")
	t.Settle(pipeline.OK, "")
	t.end(talk.CloseGoingAway, f.message)
}

// Binary implements talk.Session.
func (t *session) Binary([]byte) iter.Seq[func()] {
	return talk.Once(func() {
		if !t.over {
			t.complain(faulty("invalid_event", "", "Expected a text WebSocket message; binary frames are not supported."), "")
		}
	})
}

// Text implements talk.Session.
func (t *session) Text(b []byte) iter.Seq[func()] {
	var e realtime.ClientEvent
	if err := json.Unmarshal(b, &e); err != nil {
		fault, cause := undecodable(err, ""), eventID(b)
		return talk.Once(func() {
			if !t.over {
				t.complain(fault, cause)
			}
		})
	}
	if e.Type == realtime.BufferAppend && e.Audio != nil && len(*e.Audio) > ear.StretchBytes {
		if audio, err := base64.StdEncoding.DecodeString(*e.Audio); err == nil {
			return t.appending(audio)
		}
	}
	fault := unpack(&e, len(b))
	return talk.Once(func() { t.take(&e, fault) })
}

// appending returns what appends a lot of audio.
func (t *session) appending(audio []byte) iter.Seq[func()] {
	return func(yield func(func()) bool) {
		for part := range slices.Chunk(audio, ear.StretchBytes) {
			if !yield(func() {
				if !t.over {
					t.ear.hear(part)
				}
			}) {
				return
			}
		}
	}
}

// take takes an event of the client, or what is wrong with it.
func (t *session) take(e *realtime.ClientEvent, fault *refusal) {
	if t.over {
		return
	}
	if fault == nil {
		fault = t.handle(e)
	}
	if fault != nil {
		t.complain(fault, e.EventID)
	}
}

// eventID returns the id of an event that could not be decoded, or "".
func eventID(b []byte) string {
	var e struct {
		EventID string `json:"event_id"`
	}
	_ = json.Unmarshal(b, &e) // what cannot be read has none
	return e.EventID
}

// events are the events that a client may send, in the order in which the
// service names them.
var events = []struct {
	name   string
	handle func(*session, *realtime.ClientEvent) *refusal
	there  func(*session) bool // nil is always
}{
	{realtime.SessionUpdate, (*session).update, nil},
	{realtime.TranscriptionUpdate, (*session).update, func(t *session) bool { return t.beta }},
	{realtime.BufferAppend, (*session).append, nil},
	{realtime.BufferCommit, (*session).commit, nil},
	{realtime.BufferClear, (*session).clear, nil},
	{realtime.ItemCreate, (*session).create, nil},
	{realtime.ItemTruncate, (*session).truncate, nil},
	{realtime.ItemDelete, (*session).delete, nil},
	{realtime.ItemRetrieve, (*session).retrieve, nil},
	{realtime.ResponseCreate, (*session).respond, (*session).converses},
	{realtime.ResponseCancel, (*session).cancel, (*session).converses},
}

// converses reports whether the session has answers.
func (t *session) converses() bool { return t.config.Type == realtime.Conversation }

// handle handles an event of the client; the fault says why it did not count.
func (t *session) handle(e *realtime.ClientEvent) *refusal {
	if e.Type == "" {
		return missing("type")
	}
	var names []string
	for _, h := range events {
		if h.there != nil && !h.there(t) {
			continue
		}
		if h.name == e.Type {
			return h.handle(t, e)
		}
		names = append(names, h.name)
	}
	return notOneOf("type", e.Type, names...)
}

// update handles session.update.
func (t *session) update(e *realtime.ClientEvent) *refusal {
	next, fault := revised(t.config, e.Session, t.beta)
	if fault != nil {
		return fault
	}
	if t.spoken && next.Audio.Output.Voice != t.config.Audio.Output.Voice {
		return faulty("cannot_update_voice", "session.audio.output.voice", "Cannot update a conversation's voice if assistant audio is present.")
	}
	t.config = next
	t.listen()
	t.Say(realtime.SessionEvent{Head: t.sessionHead(realtime.EventSessionUpdated, realtime.EventTranscriptionUpdated), Session: t.shown()})
	return nil
}

// Gone implements talk.Session. A client that leaves between answers has finished.
func (t *session) Gone() {
	t.expiry.Stop()
	t.idle.Stop()
	busy := slices.Clone(t.replies)
	for _, r := range busy {
		r.leave()
	}
	heard := time.Duration(0)
	if t.ear != nil {
		t.ear.stop()
		heard = t.ear.written()
	}
	if len(busy) == 0 {
		t.Settle(pipeline.OK, "")
	}
	t.Leave(heard)
}
