package phone

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/twilio"
)

// mediaStream is a Media Stream: the mock is Twilio, and the other side is the server
// of a user.
type mediaStream struct {
	talk.Visit
	call     *call
	sid, url string
	began    time.Duration
	sequence int
	frames   int // that have begun
	said     []int16
	line     *playout
	received time.Duration // audio of the server
	next     pipeline.Timer
	keys     []pipeline.Timer
	over     bool // the caller has hung up, or had to
}

// mostQueued is how much audio of a server Twilio keeps
// (twilio.com/docs/api/errors/31931, read 2026-11-29).
const mostQueued = 10 * time.Minute

// keyGap is the time between keys that the caller presses; it is assumed. A "w" waits
// for half a second, a "W" for one (twilio.com/docs/voice/api/call-resource, SendDigits,
// read 2026-11-29).
const keyGap = 200 * time.Millisecond

// newMediaStream begins a stream.
func (s *Service) newMediaStream(k *talk.Socket, c *call, v twilio.Stream) *mediaStream {
	now := k.Loop.Now()
	t := &mediaStream{call: c, sid: s.newSid("MZ"), url: v.URL, began: now}
	t.Visit = talk.Visit{Socket: k, Host: s.Host, Entry: talk.Begin("twilio media stream", c.sid, twilio.CallURI(c.account, c.sid), "", now)}
	t.Entry.Arrived = c.arrived
	t.line = &playout{loop: k.Loop, rate: twilio.SampleRate, end: now, heard: t.heard, passed: t.passed}
	c.stream = t
	c.caller.attach(t.line, now)
	t.Say(twilio.Connected{Event: twilio.EventConnected, Protocol: "Call", Version: "1.0.0"})
	t.send(twilio.Message{Event: twilio.EventStart, Start: &twilio.Start{
		AccountSid: c.account, StreamSid: t.sid, CallSid: c.sid, Tracks: []string{twilio.Inbound},
		MediaFormat: twilio.MuLaw, CustomParameters: v.Parameters,
	}})
	t.press(c.digits)
	t.tick()
	return t
}

// send sends a message with its number.
func (t *mediaStream) send(m twilio.Message) {
	t.sequence++
	m.SequenceNumber, m.StreamSid = strconv.Itoa(t.sequence), t.sid
	t.Say(m)
}

// tick sends the frame that is over and begins the next one.
func (t *mediaStream) tick() {
	if t.frames > 0 {
		t.send(twilio.Message{Event: twilio.EventMedia, Media: &twilio.Media{
			Track: twilio.Inbound, Chunk: strconv.Itoa(t.frames),
			Timestamp: strconv.FormatInt((time.Duration(t.frames) * callerFrame).Milliseconds(), 10),
			Payload:   base64.StdEncoding.EncodeToString(audio.Encode(nil, t.said, audio.MuLaw)),
		}})
	}
	t.said = t.call.caller.frame(t.Loop.Now())
	if t.call.caller.done {
		t.hangUp()
		return
	}
	t.frames++
	t.next = t.Loop.At(t.began+time.Duration(t.frames)*callerFrame, pipeline.RankTimer, t.tick)
}

// press has the caller press keys.
func (t *mediaStream) press(digits string) {
	at := t.began
	for _, d := range digits {
		switch d {
		case 'w':
			at += 500 * time.Millisecond
		case 'W':
			at += time.Second
		default:
			t.keys = append(t.keys, t.Loop.At(at, pipeline.RankTimer, func() {
				t.send(twilio.Message{Event: twilio.EventDTMF, DTMF: &twilio.DTMF{Track: twilio.InboundDTMF, Digit: string(d)}})
			}))
			at += keyGap
		}
	}
}

// heard handles something audible that reaches the caller's ear.
func (t *mediaStream) heard(at time.Duration) {
	t.Answered()
	t.call.caller.hear(at)
}

// passed sends a mark back.
func (t *mediaStream) passed(name string) {
	t.send(twilio.Message{Event: twilio.EventMark, Mark: &twilio.Mark{Name: name}})
}

// hangUp ends the call from the caller's side.
func (t *mediaStream) hangUp() {
	if t.over {
		return
	}
	t.over = true
	t.quiet()
	t.send(twilio.Message{Event: twilio.EventStop, Stop: &twilio.Stop{AccountSid: t.call.account, CallSid: t.call.sid}})
	t.Settle(pipeline.OK, "")
	t.Close(talk.CloseNormal, "")
}

// quiet stops all that is still to come.
func (t *mediaStream) quiet() {
	t.next.Stop()
	for _, k := range t.keys {
		k.Stop()
	}
	t.call.caller.settle(t.Loop.Now())
	t.line.stop()
}

// complain notes a message that Twilio would not take.
func (t *mediaStream) complain(code int, format string, args ...any) {
	t.call.fail(*callFault(code, format, args...))
}

// Binary implements talk.Session.
func (t *mediaStream) Binary([]byte) iter.Seq[func()] {
	return talk.Once(func() {
		t.complain(twilio.CodeStreamProtocol, "Stream - WebSocket - Protocol Error: a binary message came, want text")
	})
}

// Text implements talk.Session.
func (t *mediaStream) Text(b []byte) iter.Seq[func()] {
	var m twilio.Message
	err := json.Unmarshal(b, &m)
	return talk.Once(func() { t.take(m, err) })
}

// take takes a message of the server, or what was none.
func (t *mediaStream) take(m twilio.Message, err error) {
	if t.over {
		return
	}
	if err != nil {
		t.complain(twilio.CodeStreamProtocol, "Stream - WebSocket - Protocol Error: a message is not JSON of the right form: %v", err)
		return
	}
	if err := t.handle(m); err != nil {
		t.complain(twilio.CodeStreamProtocol, "Stream - WebSocket - Protocol Error: %v", err)
	}
}

func (t *mediaStream) handle(m twilio.Message) error {
	switch {
	case m.StreamSid != t.sid:
		return fmt.Errorf("a %q message is for the stream %q, want %q", talk.Quoted(m.Event), talk.Quoted(m.StreamSid), t.sid)
	case m.Event == twilio.EventMedia && m.Media != nil:
		return t.media(m.Media.Payload)
	case m.Event == twilio.EventMark && m.Mark != nil:
		return t.mark(m.Mark.Name)
	case m.Event == twilio.EventClear:
		t.line.clear()
		return nil
	}
	return fmt.Errorf("a message has the event %q, want media, mark or clear with its contents", talk.Quoted(m.Event))
}

// The most marks that wait for audio to play, and bytes of the name of one; both are ours.
const (
	mostMarks   = 10_000
	longestMark = 1000
)

// mark notes a place after all that is queued.
func (t *mediaStream) mark(name string) error {
	switch {
	case len(name) > longestMark:
		return fmt.Errorf("the name of a mark has %d bytes, want at most %d", len(name), longestMark)
	case len(t.line.marks) >= mostMarks:
		return fmt.Errorf("%d marks wait for audio to play, and another one is dropped", len(t.line.marks))
	}
	t.line.mark(name)
	return nil
}

// media plays audio of the server.
func (t *mediaStream) media(payload string) error {
	b, err := base64.StdEncoding.DecodeString(payload)
	if err != nil {
		return fmt.Errorf("the payload of a media message is not base64: %w", err)
	}
	plays := audio.Duration(len(b), twilio.SampleRate)
	if t.line.queued()+plays > mostQueued {
		t.complain(twilio.CodeStreamOverflow, "Stream - Media buffer overflow: audio of %s is queued, and %s more is dropped", t.line.queued(), plays)
		return nil
	}
	samples, err := audio.NewDecoder(audio.Format{Encoding: audio.MuLaw, Rate: twilio.SampleRate}, audio.Mix).Decode(nil, b)
	if err != nil {
		return err
	}
	t.received += plays
	t.line.play(samples)
	return nil
}

// Gone implements talk.Session.
func (t *mediaStream) Gone() {
	t.quiet()
	t.Settle(pipeline.OK, "the server closed the stream")
	t.Entry.AudioOut = time.Duration(t.frames) * callerFrame
	t.record()
	t.Leave(t.received)
}

// record tells the ledger of each turn: what lies between its arrival, the last sample
// of the caller's speech, and its first is the time from voice to voice.
func (t *mediaStream) record() {
	for i, turn := range t.call.caller.turns {
		if turn.start < t.began {
			continue // of a stream before
		}
		e := talk.Begin("twilio turn", fmt.Sprintf("%s/%d", t.call.sid, i), t.Entry.Path, "", turn.end)
		e.First, e.Ended = turn.first, turn.over
		if turn.first == pipeline.Unknown {
			e.Ended, e.Outcome, e.Reason = t.Loop.Now(), pipeline.Timeout, "no answer was heard"
		}
		t.Host.Ledger.Add(e)
	}
}

// newSid returns an id of Twilio's form that this service gives only once.
func (s *Service) newSid(prefix string) string {
	return prefix + strings.ReplaceAll(s.NewUUID(), "-", "")
}
