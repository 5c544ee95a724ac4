package voice

import (
	"encoding/base64"
	"encoding/json"
	"iter"
	"slices"
	"time"

	"github.com/gorilla/websocket"

	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/realtime"
)

// realtimeTalk is one session of the Realtime API. What it hears is in realtime_ear.go,
// what was said in realtime_item.go, and what it answers in realtime_reply.go.
type realtimeTalk struct {
	visit
	model        Realtime
	beta         bool
	config       *realtime.Session
	number       int // of the session, for seeds
	conversation string
	expiry       pipeline.Timer
	over         bool

	ear  *realtimeEar
	idle pipeline.Timer // of a user who says nothing

	items   []*realtimeItem
	reply   *realtimeReply   // that writes to the conversation; nil when none does
	replies []*realtimeReply // all that are under way
	asked   int              // replies so far
	spoken  bool             // the assistant has been heard: its voice stays
	context []realtimeMass   // of the reply before, for its cache
	used    realtimeBucket
}

// head returns the head of an event.
func (t *realtimeTalk) head(event string) realtime.Head {
	if t.beta {
		event = realtime.BetaName(event)
	}
	return realtime.Head{Type: event, EventID: t.service.newID("event_")}
}

// sessionHead returns the head of an event about the session; the beta has another name
// for one that only transcribes.
func (t *realtimeTalk) sessionHead(event, transcription string) realtime.Head {
	if t.beta && t.config.Type == realtime.Transcription {
		event = transcription
	}
	return t.head(event)
}

// shown returns the session as the client knows it.
func (t *realtimeTalk) shown() any {
	if t.beta {
		return t.config.Beta().Shown()
	}
	return t.config.Shown()
}

// complain says what was wrong with an event of the client.
func (t *realtimeTalk) complain(f *realtimeFault, cause string) {
	t.say(realtime.ErrorEvent{Head: t.head(realtime.EventError), Error: f.event(cause)})
}

// refuse says what is wrong and closes.
func (t *realtimeTalk) refuse(f *realtimeFault, code int) {
	t.complain(f, "")
	t.settle(pipeline.Refused, f.message)
	t.end(code, f.reason())
}

// end closes the session.
func (t *realtimeTalk) end(code int, reason string) {
	t.over = true
	t.close(code, clipped(reason))
}

// expire ends a session that has lasted too long.
func (t *realtimeTalk) expire() {
	f := faulty("session_expired", "", "Your session hit the maximum duration of %d minutes.", longestSession/time.Minute)
	t.complain(f, "")
	t.settle(pipeline.OK, "")
	t.end(websocket.CloseGoingAway, f.message)
}

// binary implements session.
func (t *realtimeTalk) binary([]byte) {
	if !t.over {
		t.complain(faulty("invalid_event", "", "Expected a text WebSocket message; binary frames are not supported."), "")
	}
}

// text implements session.
func (t *realtimeTalk) text(b []byte) {
	for handle := range t.parse(b) {
		handle()
	}
}

// parse implements parser.
func (t *realtimeTalk) parse(b []byte) iter.Seq[func()] {
	var e realtime.ClientEvent
	if err := json.Unmarshal(b, &e); err != nil {
		fault, cause := undecodable(err, ""), eventID(b)
		return one(func() {
			if !t.over {
				t.complain(fault, cause)
			}
		})
	}
	if e.Type == realtime.BufferAppend && e.Audio != nil && len(*e.Audio) > stretchBytes {
		if audio, err := base64.StdEncoding.DecodeString(*e.Audio); err == nil {
			return t.appending(audio)
		}
	}
	return one(func() { t.take(&e) })
}

// appending returns what appends a lot of audio.
func (t *realtimeTalk) appending(audio []byte) iter.Seq[func()] {
	return func(yield func(func()) bool) {
		for part := range slices.Chunk(audio, stretchBytes) {
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

// take takes an event of the client.
func (t *realtimeTalk) take(e *realtime.ClientEvent) {
	if t.over {
		return
	}
	if fault := t.handle(e); fault != nil {
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

// realtimeEvents are the events that a client may send, in the order in which the
// service names them.
var realtimeEvents = []struct {
	name   string
	handle func(*realtimeTalk, *realtime.ClientEvent) *realtimeFault
	there  func(*realtimeTalk) bool // nil is always
}{
	{realtime.SessionUpdate, (*realtimeTalk).update, nil},
	{realtime.TranscriptionUpdate, (*realtimeTalk).update, func(t *realtimeTalk) bool { return t.beta }},
	{realtime.BufferAppend, (*realtimeTalk).append, nil},
	{realtime.BufferCommit, (*realtimeTalk).commit, nil},
	{realtime.BufferClear, (*realtimeTalk).clear, nil},
	{realtime.ItemCreate, (*realtimeTalk).create, nil},
	{realtime.ItemTruncate, (*realtimeTalk).truncate, nil},
	{realtime.ItemDelete, (*realtimeTalk).delete, nil},
	{realtime.ItemRetrieve, (*realtimeTalk).retrieve, nil},
	{realtime.ResponseCreate, (*realtimeTalk).respond, (*realtimeTalk).converses},
	{realtime.ResponseCancel, (*realtimeTalk).cancel, (*realtimeTalk).converses},
}

// converses reports whether the session has answers.
func (t *realtimeTalk) converses() bool { return t.config.Type == realtime.Conversation }

// handle handles an event of the client; the fault says why it did not count.
func (t *realtimeTalk) handle(e *realtime.ClientEvent) *realtimeFault {
	if e.Type == "" {
		return missing("type")
	}
	var names []string
	for _, h := range realtimeEvents {
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
func (t *realtimeTalk) update(e *realtime.ClientEvent) *realtimeFault {
	next, fault := revised(t.config, e.Session, t.beta)
	if fault != nil {
		return fault
	}
	if t.spoken && next.Audio.Output.Voice != t.config.Audio.Output.Voice {
		return faulty("cannot_update_voice", "session.audio.output.voice", "Cannot update a conversation's voice if assistant audio is present.")
	}
	t.config = next
	t.listen()
	t.say(realtime.SessionEvent{Head: t.sessionHead(realtime.EventSessionUpdated, realtime.EventTranscriptionUpdated), Session: t.shown()})
	return nil
}

// gone implements session. A client that leaves between answers has finished.
func (t *realtimeTalk) gone() {
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
		t.settle(pipeline.OK, "")
	}
	t.leave(heard)
}
