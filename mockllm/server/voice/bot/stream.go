package bot

import (
	"encoding/base64"
	"encoding/json"
	"iter"
	"net/http"
	"time"

	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/twilio"
)

// span is the audio of one message of a bot that sends at the pace of speech.
const (
	span        = 20 * time.Millisecond
	spanSamples = 160
)

// stream is a call.
type stream struct {
	talk.Visit
	config *Config
	sid    string
	ear    *speech.Recognizer
	mouth  *speech.Synthesizer
	in     *audio.Decoder
	turns  int

	queue []byte        // that was not sent
	end   time.Duration // all that was sent has been played
	next  pipeline.Timer
	ticks bool // next is under way
}

func (s *Service) stream(k *talk.Socket, r *http.Request) talk.Session {
	t := &stream{config: &s.config, Visit: s.Visit(k, r, "twilio bot", "", s.NewID("bot_"))}
	t.in = audio.NewDecoder(audio.Format{Encoding: audio.MuLaw, Rate: twilio.SampleRate}, audio.Mix)
	t.ear = speech.NewRecognizer(k.Loop, speech.Hearing{Rate: twilio.SampleRate, Profile: s.config.STT, Seed: s.Seed, Stream: s.Recognizer(wire.AskedStream(r.Header.Get(wire.StreamHeader)))}, t.heard)
	t.mouth = speech.NewSynthesizer(k.Loop, speech.Speaking{Rate: twilio.SampleRate, Profile: s.config.Voice, Seed: s.Seed, Stream: s.Synthesizer(wire.AskedStream(r.Header.Get(wire.StreamHeader)))}, t.made)
	return t
}

// Binary implements talk.Session.
func (t *stream) Binary([]byte) iter.Seq[func()] {
	return talk.Once(func() { t.fail("a binary message came, want text") })
}

// Text implements talk.Session.
func (t *stream) Text(b []byte) iter.Seq[func()] {
	var m twilio.Message
	err := json.Unmarshal(b, &m)
	var codes []byte
	if err == nil && m.Media != nil {
		codes, err = base64.StdEncoding.DecodeString(m.Media.Payload)
	}
	return talk.Once(func() {
		if err != nil {
			t.fail(err.Error())
			return
		}
		t.take(&m, codes)
	})
}

func (t *stream) fail(reason string) {
	t.Settle(pipeline.Error, reason)
	t.Close(talk.CloseUnsupported, reason)
}

// take handles a message of Twilio.
func (t *stream) take(m *twilio.Message, codes []byte) {
	switch m.Event {
	case twilio.EventStart:
		t.sid = m.StreamSid
		t.say(t.config.Greeting)
	case twilio.EventMedia:
		if reason := t.odd(codes); reason != "" {
			t.fail(reason)
			return
		}
		samples, err := t.in.Decode(nil, codes)
		if err != nil {
			t.fail(err.Error())
			return
		}
		t.ear.Feed(samples)
	case twilio.EventStop:
		t.Settle(pipeline.OK, "")
		t.Close(talk.CloseNormal, "")
	}
}

// mostMedia is the most audio of one message: far more than Twilio's 20 ms.
const mostMedia = twilio.SampleRate

// odd says what of a message with audio Twilio would not send.
func (t *stream) odd(codes []byte) string {
	switch {
	case t.sid == "":
		return "audio came before start"
	case len(codes) > mostMedia:
		return "a message has more than a second of audio"
	}
	return ""
}

func (t *stream) say(text string) {
	if text != "" {
		t.mouth.Speak(text)
	}
}

// heard handles what the ear says.
func (t *stream) heard(e speech.Event) {
	switch {
	case e.Kind == speech.SpeechStarted:
		t.hush()
	case e.Kind == speech.EndOfSpeech && e.Cause == speech.BySilence && len(t.config.Replies) > 0:
		t.say(t.config.Replies[t.turns%len(t.config.Replies)])
		t.turns++
	}
}

// hush falls silent: the caller speaks.
func (t *stream) hush() {
	speaking := t.mouth.Busy() || len(t.queue) > 0 || t.end > t.Loop.Now()
	t.mouth.Clear()
	t.queue = nil
	if speaking && !t.config.NoClear {
		t.end = t.Loop.Now()
		t.Say(twilio.Message{Event: twilio.EventClear, StreamSid: t.sid})
	}
}

// made sends audio, or has it wait for its time.
func (t *stream) made(c speech.Chunk) {
	codes := audio.Encode(nil, c.Samples(), audio.MuLaw)
	switch {
	case len(codes) == 0:
	case t.config.Ahead < 0:
		t.send(codes)
	default:
		t.queue = append(t.queue, codes...)
		if !t.ticks {
			t.tick()
		}
	}
}

// tick sends a frame of what waits, and comes again when the next one is due.
func (t *stream) tick() {
	t.ticks = len(t.queue) > 0
	if !t.ticks {
		return
	}
	n := min(spanSamples, len(t.queue))
	frame := t.queue[:n]
	t.queue = t.queue[n:]
	t.send(frame)
	t.next = t.Loop.At(max(t.end-t.config.Ahead, t.Loop.Now()), pipeline.RankTimer, t.tick)
}

func (t *stream) send(codes []byte) {
	t.Answered()
	length := audio.Duration(len(codes), twilio.SampleRate)
	t.end = max(t.end, t.Loop.Now()) + length
	t.Entry.AudioOut += length
	t.Say(twilio.Message{Event: twilio.EventMedia, StreamSid: t.sid, Media: &twilio.Media{Payload: base64.StdEncoding.EncodeToString(codes)}})
}

// Gone implements talk.Session.
func (t *stream) Gone() {
	t.next.Stop()
	t.mouth.Clear()
	t.ear.Stop()
	t.Leave(t.ear.Heard())
}
