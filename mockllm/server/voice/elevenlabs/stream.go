package elevenlabs

import (
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"halfsecond/mockllm/server/voice/mouth"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/speech"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/elevenlabs"
)

// conversation is what both WebSockets have in common.
type conversation struct {
	talk.Visit
	mouths  *mouth.Models
	o       options
	streams []*stream // whose last message has not been sent, in the order of their first
	idle    talk.Idle
	closing bool
}

// Binary implements talk.Session.
func (t *conversation) Binary([]byte) iter.Seq[func()] {
	return talk.Once(func() { t.fail(errorInvalid, "A message must be a text frame with a JSON object.") })
}

// converse makes a request a conversation.
func (s *Service) converse(w http.ResponseWriter, r *http.Request, protocol string, begin func(*conversation) talk.Session) {
	o, fault := optionsOf(r)
	if fault != nil {
		fault.tell(w)
		return
	}
	s.Converse(w, r, nil, func(k *talk.Socket) talk.Session {
		return begin(newConversation(s.Visit(k, r, protocol, o.model, s.NewID("")), s.Mouths, o))
	})
}

func newConversation(v talk.Visit, mouths *mouth.Models, o options) *conversation {
	t := &conversation{Visit: v, mouths: mouths, o: o}
	t.idle.Watch(t.Loop, o.inactivity, func() { t.fail(elevenlabs.ErrorTimeout, timeoutMessage(o.inactivity)) })
	return t
}

// timeoutMessage is what the service says when it has waited too long
// (elevenlabs/elevenlabs-docs issue 426, read 2026-11-29).
func timeoutMessage(d time.Duration) string {
	return fmt.Sprintf("Have not received a new text input within the timeout of %d seconds. Streaming input terminated. Please make sure to either feed the input in the timely manner, or to send the end of input text (empty string \"\") when done.", d/time.Second)
}

// errorInvalid is our code for messages that are none; the service's is not known.
const errorInvalid = "invalid_message"

// fail ends the conversation because of an error.
func (t *conversation) fail(code, message string) {
	if t.closing {
		return
	}
	t.stop()
	t.Say(elevenlabs.SocketError{Message: message, Error: code, Code: talk.ClosePolicy})
	t.Settle(pipeline.Error, code+": "+message)
	t.Close(talk.ClosePolicy, message)
}

// finish ends the conversation because all has been said.
func (t *conversation) finish() {
	t.stop()
	t.Settle(pipeline.OK, "")
	t.Close(talk.CloseNormal, "")
}

// stop makes everything end that would still be told.
func (t *conversation) stop() {
	t.closing = true
	t.idle.Stop()
	for _, e := range t.streams {
		e.idle.Stop()
		e.mouth.Clear()
	}
}

// Gone says that the connection has ended. A client to whom nothing more was to be
// said may leave as it likes.
func (t *conversation) Gone() {
	if !slices.ContainsFunc(t.streams, func(e *stream) bool { return e.mouth.Busy() }) {
		t.Settle(pipeline.OK, "")
	}
	t.stop()
	t.Leave(0)
}

// The most that a message may have: bytes of an id, and items of a schedule. Both are ours.
const (
	longestID       = 1000
	longestSchedule = 100
)

// read reads a message of the client.
func (o options) read(b []byte) (m elevenlabs.ClientMessage, err error) {
	if err := json.Unmarshal(b, &m); err != nil {
		return m, fmt.Errorf("the message is not a JSON object of the protocol: %w", err)
	}
	if m.ContextID != nil && len(*m.ContextID) > longestID {
		return m, fmt.Errorf("context_id has %d bytes: this mock server takes %d", len(*m.ContextID), longestID)
	}
	if c := m.GenerationConfig; c != nil && len(c.ChunkLengths) > longestSchedule {
		return m, fmt.Errorf("generation_config.chunk_length_schedule has %d items: this mock server takes %d", len(c.ChunkLengths), longestSchedule)
	}
	if m.Text == nil {
		return m, nil
	}
	return m, o.fits(*m.Text)
}

// fits says why a text is too long for the model.
func (o options) fits(text string) error {
	if n, most := utf8.RuneCountInString(text), mostCharacters(o.model); n > most {
		return fmt.Errorf("text has %d characters and exceeds the character limit of %d characters", n, most)
	}
	return nil
}

// stream is text that is gathered and spoken: all of a connection, or a context.
type stream struct {
	conn     *conversation
	context  *string // nil on stream-input, and for the context without an id
	over     func()  // is called after the last message
	settings *elevenlabs.VoiceSettings
	config   *elevenlabs.GenerationConfig
	lengths  []float64
	buffer   string
	spoken   int // generations so far
	mouth    *mouth.Mouth
	ended    bool      // no more text comes
	idle     talk.Idle // of a context
}

// begin begins a stream with the settings of its first message. The error says what is
// wrong with them.
func (t *conversation) begin(first elevenlabs.ClientMessage, over func()) (*stream, error) {
	e := &stream{conn: t, context: first.ContextID, over: over, settings: first.VoiceSettings, config: first.GenerationConfig, lengths: elevenlabs.DefaultChunkLengths}
	if e.config != nil && len(e.config.ChunkLengths) > 0 {
		e.lengths = e.config.ChunkLengths
	}
	if slices.ContainsFunc(e.lengths, func(n float64) bool { return !(n >= elevenlabs.MinChunkLength && n <= elevenlabs.MaxChunkLength) }) {
		return nil, fmt.Errorf("generation_config.chunk_length_schedule is %v: each item must be from %d to %d", e.lengths, elevenlabs.MinChunkLength, elevenlabs.MaxChunkLength)
	}
	speed := speedOf(e.settings)
	if speed != 0 && !speedAllowed(speed) {
		return nil, fmt.Errorf("voice_settings.speed is %g: it must be from %g to %g", speed, elevenlabs.MinSpeed, elevenlabs.MaxSpeed)
	}
	e.mouth = t.mouths.Mouth(&t.Entry, t.o.model, speed, t.o.output, e.tell)
	t.streams = append(t.streams, e)
	return e, nil
}

// take takes a message after the first. The error says what is wrong with it; the words
// for settings that change are the service's, without their full stop
// (pipecat-ai/pipecat issue 4541, read 2026-11-29).
func (e *stream) take(m elevenlabs.ClientMessage) error {
	const unchanged = "%s field must be provided in the first message and then either be not provided or not change"
	if m.VoiceSettings != nil && !reflect.DeepEqual(m.VoiceSettings, e.settings) {
		return fmt.Errorf(unchanged, "voice_settings")
	}
	if m.GenerationConfig != nil && !reflect.DeepEqual(m.GenerationConfig, e.config) {
		return fmt.Errorf(unchanged, "generation_config")
	}
	if m.Text != nil {
		e.buffer = strings.TrimLeftFunc(e.buffer+*m.Text, unicode.IsSpace)
	}
	if err := e.conn.o.fits(e.buffer); err != nil {
		return err
	}
	if n := e.mouth.Queued(); n > mouth.MostQueued {
		return fmt.Errorf("%d characters wait to be spoken: this mock server takes %d", n, mouth.MostQueued)
	}
	if m.Flush || e.due(m.TryTrigger) {
		e.speak()
	}
	return nil
}

// enough is how many characters there must be for try_trigger_generation
// (elevenlabs/elevenlabs-docs pull request 24, read 2026-11-29).
const enough = 50

// due reports whether what is there shall be spoken without a flush. White space before
// it does not count: a lone space keeps the connection open.
func (e *stream) due(try bool) bool {
	n := utf8.RuneCountInString(e.buffer)
	least := e.lengths[min(e.spoken, len(e.lengths)-1)]
	return e.conn.o.auto || float64(n) >= least || try && n >= enough
}

// speak speaks what is there, if it is anything.
func (e *stream) speak() {
	if !mouth.Speakable(e.buffer) {
		return
	}
	e.mouth.Say(e.buffer)
	e.spoken++
	e.buffer = ""
}

// end says that no more text comes; what was handed to the mouth is still spoken.
func (e *stream) end() {
	e.ended = true
	if !e.mouth.Busy() {
		e.final()
	}
}

func (e *stream) final() {
	yes := true
	t := e.conn
	t.Say(elevenlabs.ServerMessage{IsFinal: &yes, ContextID: e.context})
	t.streams = slices.DeleteFunc(t.streams, func(o *stream) bool { return o == e })
	e.over()
}

// tell sends a stretch of audio.
func (e *stream) tell(v mouth.Sound) {
	e.conn.Later(v.Weight, func() []byte {
		encoded, times := v.Encode(), e.alignment(v.Chunk)
		if len(encoded) == 0 && times == nil {
			return nil
		}
		return talk.JSON(elevenlabs.ServerMessage{Audio: encoded, Alignment: times, Normalized: times, ContextID: e.context})
	})
	if v.Last && e.ended && !e.mouth.Busy() {
		e.final()
	}
}

// alignment returns the times of characters that come with a stretch of audio, or nil.
// Usually those of a whole generation come with its first stretch, and count from its
// start; the last lasts as long as the audio, so that clients can add up how long
// generations are. With sync_alignment each stretch has its own, which count from its
// start.
func (e *stream) alignment(c speech.Chunk) *elevenlabs.Alignment {
	switch {
	case e.conn.o.sync:
		return alignmentOf(c.Characters, c.Start, 0)
	case c.Start == 0:
		return alignmentOf(c.Text, 0, c.Total)
	}
	return nil
}

// alignmentOf returns the times of characters from an instant on; until is when the
// last ends, 0 being when it does.
func alignmentOf(characters []speech.Character, from, until time.Duration) *elevenlabs.Alignment {
	if len(characters) == 0 {
		return nil
	}
	a := &elevenlabs.Alignment{}
	for _, c := range characters {
		a.Chars = append(a.Chars, c.Text)
		a.Starts = append(a.Starts, int((c.Start-from)/time.Millisecond))
		a.Durations = append(a.Durations, int((c.End-c.Start)/time.Millisecond))
	}
	if last := len(a.Chars) - 1; until > 0 {
		a.Durations[last] = int(until/time.Millisecond) - a.Starts[last]
	}
	return a
}
