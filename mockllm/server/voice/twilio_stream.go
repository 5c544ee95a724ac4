package voice

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gorilla/websocket"

	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/twilio"
)

// twilioStream is a Media Stream: the mock is Twilio, and the other side is the server
// of a user.
type twilioStream struct {
	visit
	call     *phoneCall
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

// newTwilioStream begins a stream.
func (s *Service) newTwilioStream(k *socket, c *phoneCall, v twilio.Stream) *twilioStream {
	now := k.loop.Now()
	t := &twilioStream{call: c, sid: s.twilioSid("MZ"), url: v.URL, began: now}
	t.visit = visit{socket: k, service: s, entry: ledger.Entry{
		ID: c.sid, Protocol: "twilio media stream", Path: twilio.CallURI(c.account, c.sid),
		Arrived: c.arrived, Started: now, First: pipeline.Unknown, Left: pipeline.Unknown,
	}}
	t.line = &playout{loop: k.loop, rate: twilio.SampleRate, end: now, heard: t.heard, passed: t.passed}
	c.stream = t
	c.caller.attach(t.line, now)
	t.say(twilio.Connected{Event: twilio.EventConnected, Protocol: "Call", Version: "1.0.0"})
	t.send(twilio.Message{Event: twilio.EventStart, Start: &twilio.Start{
		AccountSid: c.account, StreamSid: t.sid, CallSid: c.sid, Tracks: []string{twilio.Inbound},
		MediaFormat: twilio.MuLaw, CustomParameters: v.Parameters,
	}})
	t.press(c.digits)
	t.tick()
	return t
}

// send sends a message with its number.
func (t *twilioStream) send(m twilio.Message) {
	t.sequence++
	m.SequenceNumber, m.StreamSid = strconv.Itoa(t.sequence), t.sid
	t.say(m)
}

// tick sends the frame that is over and begins the next one.
func (t *twilioStream) tick() {
	if t.frames > 0 {
		t.send(twilio.Message{Event: twilio.EventMedia, Media: &twilio.Media{
			Track: twilio.Inbound, Chunk: strconv.Itoa(t.frames),
			Timestamp: strconv.FormatInt((time.Duration(t.frames) * callerFrame).Milliseconds(), 10),
			Payload:   base64.StdEncoding.EncodeToString(audio.Encode(nil, t.said, audio.MuLaw)),
		}})
	}
	t.said = t.call.caller.frame(t.loop.Now())
	if t.call.caller.done {
		t.hangUp()
		return
	}
	t.frames++
	t.next = t.loop.At(t.began+time.Duration(t.frames)*callerFrame, pipeline.RankTimer, t.tick)
}

// press has the caller press keys.
func (t *twilioStream) press(digits string) {
	at := t.began
	for _, d := range digits {
		switch d {
		case 'w':
			at += 500 * time.Millisecond
		case 'W':
			at += time.Second
		default:
			t.keys = append(t.keys, t.loop.At(at, pipeline.RankTimer, func() {
				t.send(twilio.Message{Event: twilio.EventDTMF, DTMF: &twilio.DTMF{Track: twilio.InboundDTMF, Digit: string(d)}})
			}))
			at += keyGap
		}
	}
}

// heard handles something audible that reaches the caller's ear.
func (t *twilioStream) heard(at time.Duration) {
	t.answered()
	t.call.caller.hear(at)
}

// passed sends a mark back.
func (t *twilioStream) passed(name string) {
	t.send(twilio.Message{Event: twilio.EventMark, Mark: &twilio.Mark{Name: name}})
}

// hangUp ends the call from the caller's side.
func (t *twilioStream) hangUp() {
	if t.over {
		return
	}
	t.over = true
	t.quiet()
	t.send(twilio.Message{Event: twilio.EventStop, Stop: &twilio.Stop{AccountSid: t.call.account, CallSid: t.call.sid}})
	t.settle(pipeline.OK, "")
	t.close(websocket.CloseNormalClosure, "")
}

// quiet stops all that is still to come.
func (t *twilioStream) quiet() {
	t.next.Stop()
	for _, k := range t.keys {
		k.Stop()
	}
	t.call.caller.settle(t.loop.Now())
	t.line.stop()
}

// complain notes a message that Twilio would not take.
func (t *twilioStream) complain(code int, format string, args ...any) {
	t.call.fail(*callFault(code, format, args...))
}

// binary implements session.
func (t *twilioStream) binary([]byte) {
	t.complain(twilio.CodeStreamProtocol, "Stream - WebSocket - Protocol Error: a binary message came, want text")
}

// text implements session.
func (t *twilioStream) text(b []byte) {
	var m twilio.Message
	if t.over {
		return
	}
	if err := json.Unmarshal(b, &m); err != nil {
		t.complain(twilio.CodeStreamProtocol, "Stream - WebSocket - Protocol Error: a message is not JSON of the right form: %v", err)
		return
	}
	if err := t.handle(m); err != nil {
		t.complain(twilio.CodeStreamProtocol, "Stream - WebSocket - Protocol Error: %v", err)
	}
}

func (t *twilioStream) handle(m twilio.Message) error {
	switch {
	case m.StreamSid != t.sid:
		return fmt.Errorf("a %q message is for the stream %q, want %q", m.Event, m.StreamSid, t.sid)
	case m.Event == twilio.EventMedia && m.Media != nil:
		return t.media(m.Media.Payload)
	case m.Event == twilio.EventMark && m.Mark != nil:
		t.line.mark(m.Mark.Name)
		return nil
	case m.Event == twilio.EventClear:
		t.line.clear()
		return nil
	}
	return fmt.Errorf("a message has the event %q, want media, mark or clear with its contents", m.Event)
}

// media plays audio of the server.
func (t *twilioStream) media(payload string) error {
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

// gone implements session.
func (t *twilioStream) gone() {
	t.quiet()
	t.settle(pipeline.OK, "the server closed the stream")
	t.entry.AudioOut = time.Duration(t.frames) * callerFrame
	t.record()
	t.leave(t.received)
}

// record tells the ledger of each turn: what lies between its arrival, the last sample
// of the caller's speech, and its first is the time from voice to voice.
func (t *twilioStream) record() {
	for i, turn := range t.call.caller.turns {
		if turn.start < t.began {
			continue // of a stream before
		}
		e := ledger.Entry{
			ID: fmt.Sprintf("%s/%d", t.call.sid, i), Protocol: "twilio turn", Path: t.entry.Path,
			Arrived: turn.end, Started: turn.end, First: turn.first, Ended: turn.over, Left: pipeline.Unknown,
		}
		if turn.first == pipeline.Unknown {
			e.Ended, e.Outcome, e.Reason = t.loop.Now(), pipeline.Timeout, "no answer was heard"
		}
		t.service.config.Ledger.Add(e)
	}
}

// twilioSid returns an id of Twilio's form that this service gives only once.
func (s *Service) twilioSid(prefix string) string {
	return prefix + strings.ReplaceAll(s.newUUID(), "-", "")
}
