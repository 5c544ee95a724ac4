package voice

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/wyoming"
)

// wyomingSTT is the model that hears when the client names none: the usual one of Home
// Assistant.
const wyomingSTT = "faster-whisper"

// wyomingSilence is the silence after which a voice has stopped; assumed, the protocol
// leaves it to the service.
const wyomingSilence = 300 * time.Millisecond

// wyomingAsked is what the client wants of the next audio.
type wyomingAsked struct {
	model, language string
	transcript      bool // asked for
	voice           bool // and where there is speech
}

// wyomingHearing is a stream of audio. Unless the client has asked for one of them, it
// gets a transcript as well as where there was speech.
type wyomingHearing struct {
	talk     *wyomingTalk
	asked    wyomingAsked
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
func (t *wyomingTalk) transcribe(e wyoming.Event) error {
	var v wyoming.Request
	if err := e.Decode(&v); err != nil {
		return err
	}
	t.asked = wyomingAsked{model: v.Name, language: v.Language, transcript: true}
	return nil
}

// detect handles the wish for a wake word. There is none in what the mock hears, but it
// tells where there is speech.
func (t *wyomingTalk) detect(wyoming.Event) error {
	t.asked = wyomingAsked{voice: true}
	return nil
}

// audioStart handles the start of audio.
func (t *wyomingTalk) audioStart(e wyoming.Event) error {
	var v wyoming.Audio
	if err := e.Decode(&v); err != nil {
		return err
	}
	if t.hearing != nil {
		return errors.New("audio-start came before audio-stop of the audio before")
	}
	return t.listen(v)
}

// wyomingEncodings are the encodings of samples by their bytes.
var wyomingEncodings = map[int]audio.Encoding{1: audio.U8, 2: audio.S16LE, 3: audio.S24LE, 4: audio.S32LE}

// listen begins to hear.
func (t *wyomingTalk) listen(v wyoming.Audio) error {
	encoding, ok := wyomingEncodings[v.Width]
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
		t.asked = wyomingAsked{transcript: true, voice: true}
	}
	if t.asked.model == "" {
		t.asked.model = wyomingSTT
	}
	now := t.loop.Now()
	h := &wyomingHearing{talk: t, asked: t.asked, format: v, in: audio.NewDecoder(format, audio.Mix)}
	if v.Timestamp != nil {
		h.offset = milliseconds(*v.Timestamp)
	}
	h.entry = ledger.Entry{
		Protocol: "wyoming asr", Model: t.asked.model, Arrived: now, Started: now,
		First: pipeline.Unknown, Left: pipeline.Unknown,
	}
	h.begin()
	t.asked, t.hearing = wyomingAsked{}, h
	return nil
}

// begin makes what hears.
func (h *wyomingHearing) begin() {
	s := h.talk.service
	if h.asked.voice {
		h.detector = speech.NewDetector(speech.DetectorConfig{Rate: h.format.Rate, Hangover: wyomingSilence})
	}
	if h.asked.transcript {
		how := s.hearing(s.config.STT(h.asked.model), rotated(s.config.Transcript, h.talk.heard))
		how.Rate, how.Turn, how.Profile.MaxSpan = h.format.Rate, speech.Turn{Never: true}, whisperWindow
		h.ear = speech.NewRecognizer(s.config.Loop, how, h.tell)
		h.talk.heard++
	}
}

// audioChunk handles audio.
func (t *wyomingTalk) audioChunk(e wyoming.Event) error {
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
func (t *wyomingTalk) audioStop(wyoming.Event) error {
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
func (h *wyomingHearing) edge(e speech.Edge) {
	kind := wyoming.VoiceStopped
	if e.Speech {
		kind = wyoming.VoiceStarted
	}
	h.first()
	at := int((h.offset + e.At) / time.Millisecond)
	h.talk.say(kind, wyoming.Moment{Timestamp: &at})
}

// first notes that the first result is there.
func (h *wyomingHearing) first() {
	if h.entry.First == pipeline.Unknown {
		h.entry.First = h.talk.loop.Now()
	}
}

// tell tells what the recognizer says.
func (h *wyomingHearing) tell(e speech.Event) {
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
func (h *wyomingHearing) more(words []speech.Word) {
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
		h.talk.say(wyoming.TranscriptChunk, wyoming.Text{Text: text})
	}
	h.told = len(words)
}

// open begins the transcript.
func (h *wyomingHearing) open() {
	if !h.started {
		h.started = true
		h.talk.say(wyoming.TranscriptStart, wyoming.Language{Language: h.asked.language})
	}
}

// transcript tells all of it.
func (h *wyomingHearing) transcript() {
	h.open()
	h.first()
	h.talk.say(wyoming.Transcript, wyoming.Heard{Text: strings.Join(h.words, " "), Language: h.asked.language})
	h.talk.say(wyoming.TranscriptStop, nil)
	h.finish()
}

// finish ends the stream.
func (h *wyomingHearing) finish() {
	h.entry.Ended = h.talk.loop.Now()
	h.talk.service.config.Ledger.Add(h.entry)
	h.talk.ended = slices.DeleteFunc(h.talk.ended, func(o *wyomingHearing) bool { return o == h })
}

// leave ends the stream of a client that is gone.
func (h *wyomingHearing) leave() {
	if h.ear != nil {
		h.ear.Stop()
	}
	h.entry.Left = h.talk.loop.Now()
	h.entry.Outcome, h.entry.Reason = pipeline.Cancelled, "the client closed the connection"
	h.finish()
}
