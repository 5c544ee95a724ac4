package wyoming

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/server/voice/ear"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/wyoming"
)

// usualSTT is the model that hears when the client names none: the usual one of Home
// Assistant.
const usualSTT = "faster-whisper"

// stopSilence is the silence after which a voice has stopped; assumed, the protocol
// leaves it to the service.
const stopSilence = 300 * time.Millisecond

// asked is what the client wants of the next audio.
type asked struct {
	model, language string
	event           string // with which it was asked
	transcript      bool   // asked for
	voice           bool   // and where there is speech
}

// hearing is a stream of audio. Unless the client has asked for one of them, it
// gets a transcript as well as where there was speech.
type hearing struct {
	conn     *session
	asked    asked
	format   wyoming.Audio
	in       *audio.Decoder
	samples  []int16            // reused
	ear      *speech.Recognizer // nil without a transcript
	detector *speech.Detector   // nil unless it tells where there is speech
	entry    ledger.Entry
	offset   time.Duration // of the first sample, as the client counts

	started bool // the transcript
	words   []string
	told    int // words since the last final
}

// transcribe handles the wish for a transcript.
func (t *session) transcribe(e wyoming.Event) error {
	var v wyoming.Request
	if err := e.Decode(&v); err != nil {
		return err
	}
	t.asked = asked{model: v.Name, language: v.Language, event: e.Type, transcript: true}
	return nil
}

// detect handles the wish for a wake word. There is none in what the mock hears, but it
// tells where there is speech.
func (t *session) detect(e wyoming.Event) error {
	t.asked = asked{event: e.Type, voice: true}
	return nil
}

// audioStart handles the start of audio.
func (t *session) audioStart(e wyoming.Event) error {
	var v wyoming.Audio
	if err := e.Decode(&v); err != nil {
		return err
	}
	if t.hearing != nil {
		return errors.New("audio-start came before audio-stop of the audio before")
	}
	return t.listen(v)
}

// encodings are the encodings of samples by their bytes.
var encodings = map[int]audio.Encoding{1: audio.U8, 2: audio.S16LE, 3: audio.S24LE, 4: audio.S32LE}

// listen begins to hear.
func (t *session) listen(v wyoming.Audio) error {
	encoding, ok := encodings[v.Width]
	if !ok {
		return fmt.Errorf("audio has a width of %d bytes, want 1 to 4", v.Width)
	}
	format := audio.Format{Encoding: encoding, Rate: v.Rate, Channels: v.Channels}
	if v.Channels < 1 {
		return fmt.Errorf("audio has %d channels, want at least 1", v.Channels)
	}
	if err := format.Validate(); err != nil {
		return fmt.Errorf("audio: %w", err)
	}
	if !t.asked.transcript && !t.asked.voice {
		t.asked = asked{event: wyoming.AudioStart, transcript: true, voice: true}
	}
	if t.asked.model == "" {
		t.asked.model = usualSTT
	}
	h := &hearing{conn: t, asked: t.asked, format: v, in: audio.NewDecoder(format, audio.Mix)}
	if v.Timestamp != nil {
		h.offset = time.Duration(*v.Timestamp) * time.Millisecond
	}
	h.entry = talk.Begin("wyoming asr", t.service.NewID(""), t.asked.event, t.asked.model, t.Loop.Now())
	h.begin()
	t.asked, t.hearing = asked{}, h
	return nil
}

// begin makes what hears.
func (h *hearing) begin() {
	s := h.conn.service
	if h.asked.voice {
		h.detector = speech.NewDetector(speech.DetectorConfig{Rate: h.format.Rate, Hangover: stopSilence})
	}
	if h.asked.transcript {
		how := s.Ears.HearingAfter(&ledger.Entry{}, h.asked.model, h.conn.heard)
		how.Rate, how.Turn, how.Profile.MaxSpan = h.format.Rate, speech.Turn{Never: true}, ear.Window
		h.ear = speech.NewRecognizer(s.Loop, how, h.tell)
		h.conn.heard++
	}
}

// audioChunk handles audio.
func (t *session) audioChunk(e wyoming.Event) error {
	var v wyoming.Audio
	if err := e.Decode(&v); err != nil {
		return err
	}
	if t.hearing == nil {
		if err := t.listen(v); err != nil {
			return err
		}
	}
	h := t.hearing
	if f := h.format; v.Rate != f.Rate || v.Width != f.Width || v.Channels != f.Channels {
		return fmt.Errorf("audio-chunk has %d Hz, %d bytes and %d channels, but the audio began with %d, %d and %d", v.Rate, v.Width, v.Channels, f.Rate, f.Width, f.Channels)
	}
	var err error
	if h.samples, err = h.in.Decode(h.samples[:0], e.Payload); err != nil {
		return err
	}
	h.entry.AudioIn += audio.Duration(len(h.samples), h.format.Rate)
	if h.ear != nil {
		h.ear.Feed(h.samples)
	}
	if h.detector != nil {
		h.detector.Feed(h.samples, h.edge)
	}
	return nil
}

// audioStop handles the end of audio: what was heard is told.
func (t *session) audioStop(wyoming.Event) error {
	h := t.hearing
	if h == nil {
		return errors.New("audio-stop came without audio-start")
	}
	t.hearing, t.ended = nil, append(t.ended, h)
	if h.detector != nil {
		h.detector.Close(h.edge)
	}
	if h.ear != nil {
		h.ear.Close()
		return nil
	}
	t.say(wyoming.NotDetected, nil)
	h.finish()
	return nil
}

// edge tells where a voice has started or stopped.
func (h *hearing) edge(e speech.Edge) {
	kind := wyoming.VoiceStopped
	if e.Speech {
		kind = wyoming.VoiceStarted
	}
	h.first()
	at := int((h.offset + e.At) / time.Millisecond)
	h.conn.say(kind, wyoming.Moment{Timestamp: &at})
}

// first notes that the first result is there.
func (h *hearing) first() {
	if h.entry.First == pipeline.Unknown {
		h.entry.First = h.conn.Loop.Now()
	}
}

// tell tells what the recognizer says.
func (h *hearing) tell(e speech.Event) {
	switch e.Kind {
	case speech.Interim, speech.Final:
		h.more(e.Words)
		if e.Kind == speech.Final {
			h.told = 0
		}
	case speech.Closed:
		h.transcript()
	}
}

// more tells the words, all those since the last final, that were not told.
func (h *hearing) more(words []speech.Word) {
	if len(words) <= h.told {
		return
	}
	h.open()
	h.first()
	for _, w := range words[h.told:] {
		text := w.Text
		if len(h.words) > 0 {
			text = " " + text
		}
		h.words = append(h.words, w.Text)
		h.conn.say(wyoming.TranscriptChunk, wyoming.Text{Text: text})
	}
	h.told = len(words)
}

// open begins the transcript.
func (h *hearing) open() {
	if !h.started {
		h.started = true
		h.conn.say(wyoming.TranscriptStart, wyoming.Language{Language: h.asked.language})
	}
}

// transcript tells all of it.
func (h *hearing) transcript() {
	h.open()
	h.first()
	h.conn.say(wyoming.Transcript, wyoming.Heard{Text: strings.Join(h.words, " "), Language: h.asked.language})
	h.conn.say(wyoming.TranscriptStop, nil)
	h.finish()
}

// finish ends the stream.
func (h *hearing) finish() {
	h.entry.Ended = h.conn.Loop.Now()
	h.conn.service.Ledger.Add(h.entry)
	h.conn.ended = slices.DeleteFunc(h.conn.ended, func(o *hearing) bool { return o == h })
}

// leave ends the stream of a client that is gone.
func (h *hearing) leave() {
	if h.ear != nil {
		h.ear.Stop()
	}
	talk.Abandon(&h.entry, h.conn.Loop.Now())
	h.finish()
}
