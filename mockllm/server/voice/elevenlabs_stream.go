package voice

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/gorilla/websocket"

	"halfsecond/mockllm/speech"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/elevenlabs"
)

// elevenTalk is what both WebSockets have in common.
type elevenTalk struct {
	visit
	o       elevenOptions
	streams []*elevenStream // whose last message has not been sent, in the order of their first
	idle    pipeline.Timer
	closing bool
}

func (t *elevenTalk) binary([]byte) {
	t.fail(errorInvalid, "A message must be a text frame with a JSON object.")
}

// wait starts to wait for the client anew.
func (t *elevenTalk) wait() {
	t.idle.Stop()
	t.idle = t.loop.After(t.o.inactivity, pipeline.RankTimer, func() {
		t.fail(elevenlabs.ErrorTimeout, elevenTimeout(t.o.inactivity))
	})
}

// elevenTimeout is what the service says when it has waited too long
// (elevenlabs/elevenlabs-docs issue 426, read 2026-11-29).
func elevenTimeout(d time.Duration) string {
	return fmt.Sprintf("Have not received a new text input within the timeout of %d seconds. Streaming input terminated. Please make sure to either feed the input in the timely manner, or to send the end of input text (empty string \"\") when done.", d/time.Second)
}

// errorInvalid is our code for messages that are none; the service's is not known.
const errorInvalid = "invalid_message"

// fail ends the conversation because of an error.
func (t *elevenTalk) fail(code, message string) {
	if t.closing {
		return
	}
	t.stop()
	t.say(elevenlabs.SocketError{Message: message, Error: code, Code: websocket.ClosePolicyViolation})
	t.settle(pipeline.Error, code+": "+message)
	t.close(websocket.ClosePolicyViolation, clipped(message))
}

// finish ends the conversation because all has been said.
func (t *elevenTalk) finish() {
	t.stop()
	t.settle(pipeline.OK, "")
	t.close(websocket.CloseNormalClosure, "")
}

// stop makes everything end that would still be told.
func (t *elevenTalk) stop() {
	t.closing = true
	t.idle.Stop()
	for _, e := range t.streams {
		e.idle.Stop()
		e.mouth.inner.Clear()
	}
}

// gone says that the connection has ended. A client to whom nothing more was to be
// said may leave as it likes.
func (t *elevenTalk) gone() {
	if !slices.ContainsFunc(t.streams, func(e *elevenStream) bool { return e.mouth.busy() }) {
		t.settle(pipeline.OK, "")
	}
	t.stop()
	t.leave(0)
}

// readElevenMessage reads a message of the client.
func readElevenMessage(b []byte) (m elevenlabs.ClientMessage, err error) {
	if err := json.Unmarshal(b, &m); err != nil {
		return m, fmt.Errorf("the message is not a JSON object of the protocol: %w", err)
	}
	return m, nil
}

// elevenStream is text that is gathered and spoken: all of a connection, or a context.
type elevenStream struct {
	talk     *elevenTalk
	context  *string // nil on stream-input, and for the context without an id
	over     func()  // is called after the last message
	settings *elevenlabs.VoiceSettings
	config   *elevenlabs.GenerationConfig
	lengths  []float64
	buffer   string
	spoken   int // generations so far
	mouth    *mouth
	ended    bool // no more text comes
	idle     pipeline.Timer
}

// begin begins a stream with the settings of its first message. The error says what is
// wrong with them.
func (t *elevenTalk) begin(first elevenlabs.ClientMessage, over func()) (*elevenStream, error) {
	e := &elevenStream{talk: t, context: first.ContextID, over: over, settings: first.VoiceSettings, config: first.GenerationConfig, lengths: elevenlabs.DefaultChunkLengths}
	if e.config != nil && len(e.config.ChunkLengths) > 0 {
		e.lengths = e.config.ChunkLengths
	}
	if slices.ContainsFunc(e.lengths, func(n float64) bool { return !(n >= elevenlabs.MinChunkLength && n <= elevenlabs.MaxChunkLength) }) {
		return nil, fmt.Errorf("generation_config.chunk_length_schedule is %v: each item must be from %d to %d", e.lengths, elevenlabs.MinChunkLength, elevenlabs.MaxChunkLength)
	}
	speed := elevenSpeed(e.settings)
	if speed != 0 && !elevenSpeedAllowed(speed) {
		return nil, fmt.Errorf("voice_settings.speed is %g: it must be from %g to %g", speed, elevenlabs.MinSpeed, elevenlabs.MaxSpeed)
	}
	e.mouth = t.service.mouth(&t.entry, t.o.model, speed, t.o.output, e.tell)
	t.streams = append(t.streams, e)
	return e, nil
}

// take takes a message after the first. The error says what is wrong with it; the words
// for settings that change are the service's, without their full stop
// (pipecat-ai/pipecat issue 4541, read 2026-11-29).
func (e *elevenStream) take(m elevenlabs.ClientMessage) error {
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
	if n, most := utf8.RuneCountInString(e.buffer), elevenMost(e.talk.o.model); n > most {
		return fmt.Errorf("text has %d characters and exceeds the character limit of %d characters", n, most)
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
func (e *elevenStream) due(try bool) bool {
	n := utf8.RuneCountInString(e.buffer)
	least := e.lengths[min(e.spoken, len(e.lengths)-1)]
	return e.talk.o.auto || float64(n) >= least || try && n >= enough
}

// speak speaks what is there, if it is anything.
func (e *elevenStream) speak() {
	if !speakable(e.buffer) {
		return
	}
	e.mouth.say(e.buffer)
	e.spoken++
	e.buffer = ""
}

// end says that no more text comes; what was handed to the mouth is still spoken.
func (e *elevenStream) end() {
	e.ended = true
	if !e.mouth.busy() {
		e.final()
	}
}

func (e *elevenStream) final() {
	yes := true
	t := e.talk
	t.say(elevenlabs.ServerMessage{IsFinal: &yes, ContextID: e.context})
	t.streams = slices.DeleteFunc(t.streams, func(o *elevenStream) bool { return o == e })
	e.over()
}

// tell sends a stretch of audio.
func (e *elevenStream) tell(v sound) {
	e.talk.later(false, v.weight, func() []byte {
		encoded, times := v.encode(), e.alignment(v.Chunk)
		if len(encoded) == 0 && times == nil {
			return nil
		}
		return jsonOf(elevenlabs.ServerMessage{Audio: encoded, Alignment: times, Normalized: times, ContextID: e.context})
	})
	if v.Last && e.ended && !e.mouth.busy() {
		e.final()
	}
}

// alignment returns the times of characters that come with a stretch of audio, or nil.
// Usually those of a whole generation come with its first stretch, and count from its
// start; the last lasts as long as the audio, so that clients can add up how long
// generations are. With sync_alignment each stretch has its own, which count from its
// start.
func (e *elevenStream) alignment(c speech.Chunk) *elevenlabs.Alignment {
	switch {
	case e.talk.o.sync:
		return elevenAlignment(c.Characters, c.Start, 0)
	case c.Start == 0:
		return elevenAlignment(c.Text, 0, c.Total)
	}
	return nil
}

// elevenAlignment returns the times of characters from an instant on; until is when the
// last ends, 0 being when it does.
func elevenAlignment(characters []speech.Character, from, until time.Duration) *elevenlabs.Alignment {
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
