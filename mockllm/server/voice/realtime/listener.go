package realtime

import (
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"halfsecond/mockllm/server/voice/ear"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/mockllm/token"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/realtime"
)

// listener hears what a client of the Realtime API appends to its buffer. There is a
// new one when the session wants to hear in another way; the old one then only tells
// what was said before.
type listener struct {
	session *session
	way     way
	in      *audio.Decoder
	inner   *speech.Recognizer
	samples []int16 // reused
	retired bool

	base time.Duration // audio that was written before
	from time.Duration // where what is not committed begins, in all audio
	held []byte        // of it, at most the last keptAudio bytes

	used      int // utterances so far, of those before too
	utterance int // the last one
	open      bool
	pending   *item         // that will be made of the speech that goes on
	turns     map[int]*item // by utterances whose text is to come; nil is of no interest
}

// way is what of a session needs another ear when it changes.
type way struct {
	format realtime.Format
	margin float64
	model  string
}

const (
	// keptAudio is how much audio an item keeps in bytes, and mostStorage how much all
	// items of a session keep: retrieving an item tells no more.
	keptAudio   = 4 << 20
	mostStorage = 32 << 20

	leastCommit = 100 * time.Millisecond
	// plainPadding is the audio before speech that its item has when there is no
	// setting for it.
	plainPadding = realtime.DefaultPrefixPadding * time.Millisecond
)

// listen hears as the session now says.
func (t *session) listen() {
	turn, detector := t.turn()
	way := way{t.config.Audio.Input.Format, detector.Margin, t.config.Model}
	if w := t.config.Audio.Input.Transcription; w != nil {
		way.model = w.Model
	}
	if t.ear != nil && t.ear.way == way {
		t.ear.inner.SetTurn(turn)
		return
	}
	l := &listener{session: t, way: way, turns: map[int]*item{}}
	if old := t.ear; old != nil {
		l.base, l.used, old.retired = old.written(), old.used, true
		l.from = l.base
	}
	t.ear = l
	h := t.service.ears.HearingAfter(&t.Entry, way.model, l.used)
	h.Rate, h.Turn, h.Detector = rateOf(way.format), turn, detector
	h.Profile.MaxSpan = ear.Window // of which nothing is told: the finals of an item are joined
	l.in = audio.NewDecoder(audioFormat(way.format), audio.Mix)
	l.inner = speech.NewRecognizer(t.Loop, h, l.tell)
}

// turn returns how the session finds turns.
func (t *session) turn() (speech.Turn, speech.DetectorConfig) {
	d := t.config.Audio.Input.TurnDetection
	if d == nil {
		return speech.Turn{Never: true}, speech.DetectorConfig{}
	}
	if d.Type == realtime.ServerVAD {
		return speech.ServerVAD(d.Threshold, milliseconds(d.Silence))
	}
	turn, err := speech.SemanticVAD(d.Eagerness)
	if err != nil {
		panic(fmt.Sprintf("realtime: %v", err)) // checkTurn has seen it
	}
	return turn, speech.DetectorConfig{}
}

func milliseconds(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// audioFormat returns what the bytes of a format mean.
func audioFormat(f realtime.Format) audio.Format {
	e := map[string]audio.Encoding{realtime.PCM: audio.S16LE, realtime.PCMU: audio.MuLaw, realtime.PCMA: audio.ALaw}[f.Type]
	return audio.Format{Encoding: e, Rate: rateOf(f)}
}

// rateOf returns the samples a second of a format; G.711 has 8 kHz.
func rateOf(f realtime.Format) int {
	if f.Type == realtime.PCM {
		return f.Rate
	}
	return 8000
}

// written returns how much audio there was.
func (r *listener) written() time.Duration { return r.base + r.inner.Heard() }

// stop takes everything back that is still to be told.
func (r *listener) stop() { r.inner.Stop() }

// append handles input_audio_buffer.append.
func (t *session) append(e *realtime.ClientEvent) *refusal {
	if e.Audio == nil {
		return missing("audio")
	}
	b, err := base64.StdEncoding.DecodeString(*e.Audio)
	if err != nil {
		return faulty("invalid_value", "audio", "Invalid 'audio'. Expected base64-encoded audio bytes (%s), but got an invalid value: %v.", t.config.Audio.Input.Format.Type, err)
	}
	t.ear.hear(b)
	return nil
}

// hear hears bytes that arrive now.
func (r *listener) hear(b []byte) {
	var err error
	r.samples, err = r.in.Decode(r.samples[:0], b)
	if err != nil {
		panic(fmt.Sprintf("realtime: %v", err)) // raw samples always decode
	}
	r.held = append(r.held, b...)
	if r.session.config.Audio.Input.TurnDetection != nil && r.pending == nil {
		r.held = last(r.held, r.bytes(r.padding()+time.Second))
	}
	r.held = last(r.held, keptAudio)
	r.inner.Feed(r.samples)
}

// bytes returns how many bytes some audio has.
func (r *listener) bytes(d time.Duration) int { return bytesOf(audioFormat(r.way.format), d) }

// last returns at most the last n bytes.
func last(b []byte, n int) []byte { return b[max(0, len(b)-n):] }

// padding returns how much audio before speech belongs to it.
func (r *listener) padding() time.Duration {
	if d := r.session.config.Audio.Input.TurnDetection; d != nil && d.Type == realtime.ServerVAD {
		return milliseconds(d.PrefixPadding)
	}
	return plainPadding
}

// tell handles what the recognizer says.
func (r *listener) tell(e speech.Event) {
	switch e.Kind {
	case speech.SpeechStarted:
		r.started(e)
	case speech.EndOfSpeech:
		r.stopped(e)
	case speech.Final:
		r.said(e)
	}
}

// started handles the start of speech.
func (r *listener) started(e speech.Event) {
	t, d := r.session, r.session.config.Audio.Input.TurnDetection
	if r.retired {
		return
	}
	r.used++
	r.utterance, r.open = e.Utterance, true
	t.idle.Stop()
	if d == nil {
		return
	}
	r.pending = t.userAudio()
	r.pending.start = max(r.from, r.base+e.Start-r.padding())
	t.Say(realtime.SpeechStarted{Head: t.head(realtime.EventSpeechStarted), AudioStart: r.pending.start.Milliseconds(), ItemID: r.pending.ID})
	if d.InterruptResponse && t.reply != nil {
		t.reply.finish(realtime.Cancelled, realtime.TurnDetected)
	}
}

// stopped handles the end of a turn, unless the client had it end.
func (r *listener) stopped(e speech.Event) {
	r.open = false
	t, d := r.session, r.session.config.Audio.Input.TurnDetection
	if r.retired || d == nil || e.Cause != speech.BySilence {
		return
	}
	it := r.pending
	if it == nil { // turn detection was set in the middle of it
		it = t.userAudio()
		it.start = r.from
	}
	r.turns[e.Utterance] = it
	end := r.written()
	if d.Type == realtime.ServerVAD {
		end = r.base + e.End + milliseconds(d.Silence)
	}
	t.Say(realtime.SpeechStopped{Head: t.head(realtime.EventSpeechStopped), AudioEnd: end.Milliseconds(), ItemID: it.ID})
	r.take(it)
	if d.CreateResponse && t.converses() && t.reply == nil {
		t.answer(t.order())
	}
}

// commit handles input_audio_buffer.commit.
func (t *session) commit(*realtime.ClientEvent) *refusal {
	r := t.ear
	if have := r.written() - r.from; have < leastCommit {
		return faulty("input_audio_buffer_commit_empty", "", "Error committing input audio buffer: buffer too small. Expected at least 100ms of audio, but buffer only has %.2fms of audio.", have.Seconds()*1000)
	}
	it := r.pending
	if it == nil {
		it = t.userAudio()
		it.start = r.from
	}
	r.take(it)
	if r.open {
		r.turns[r.utterance] = it
		r.inner.EndTurn()
	} else {
		t.transcribed(it)
	}
	return nil
}

// take makes an item of the audio that is not committed.
func (r *listener) take(it *item) {
	t := r.session
	it.length = r.written() - it.start
	it.format, it.mass = audioFormat(r.way.format), mass{audio: int(it.length / userToken)}
	t.store(it, last(r.held, r.bytes(it.length)))
	r.pending, r.held, r.from = nil, nil, r.written()
	before := t.place(len(t.items), it)
	t.Say(realtime.Committed{Head: t.head(realtime.EventCommitted), PreviousItemID: before, ItemID: it.ID})
	t.announce(it, before)
}

// clear handles input_audio_buffer.clear.
func (t *session) clear(*realtime.ClientEvent) *refusal {
	r := t.ear
	r.pending, r.held, r.from = nil, nil, r.written()
	if r.open {
		r.turns[r.utterance] = nil
		r.inner.EndTurn()
	}
	t.Say(t.head(realtime.EventCleared))
	return nil
}

// said handles words that are final.
func (r *listener) said(e speech.Event) {
	it := r.turns[e.Utterance]
	if it == nil {
		return
	}
	if text := e.Text(); text != "" {
		it.heard = append(it.heard, text)
	}
	if e.Endpoint {
		delete(r.turns, e.Utterance)
		r.session.transcribed(it)
	}
}

// whisper is the model that is billed by the second, and tells everything at once.
const whisper = "whisper-1"

// transcribed tells what was heard, when the client wants to know.
func (t *session) transcribed(it *item) {
	w := t.config.Audio.Input.Transcription
	if w == nil {
		return
	}
	text := strings.Join(it.heard, " ")
	it.Content[0].Transcript = &text
	for rest := text; rest != ""; {
		n := token.Next(rest)
		if w.Model == whisper {
			n = len(rest)
		}
		t.Say(realtime.TranscriptionDelta{Head: t.head(realtime.EventTranscriptionDelta), ItemID: it.ID, Delta: rest[:n]})
		rest = rest[n:]
	}
	t.Answered()
	t.Say(realtime.TranscriptionCompleted{
		Head: t.head(realtime.EventTranscriptionCompleted), ItemID: it.ID, Transcript: text, Usage: transcriptionUsage(w, it, text),
	})
}

func transcriptionUsage(w *realtime.Transcriber, it *item, text string) realtime.TranscriptionUsage {
	if w.Model == whisper {
		return realtime.TranscriptionUsage{Type: "duration", Seconds: talk.Seconds(it.length)}
	}
	in, out := int(it.length/userToken), token.Count(text)
	return realtime.TranscriptionUsage{Type: "tokens", Total: in + out, Input: in, InputDetails: &realtime.Heard{Audio: in}, Output: out}
}

// rest waits until the user says something, after an answer that plays for so long; a
// user who is silent for too long is answered too.
func (t *session) rest(plays time.Duration) {
	t.idle.Stop()
	d := t.config.Audio.Input.TurnDetection
	if d == nil || d.IdleTimeout == nil || t.ear.open {
		return
	}
	t.idle = t.Loop.After(plays, pipeline.RankTimer, func() {
		from := t.ear.written()
		t.idle = t.Loop.After(milliseconds(*d.IdleTimeout), pipeline.RankTimer, func() { t.timedOut(from) })
	})
}

// timedOut handles a user who has said nothing since a place in the audio.
func (t *session) timedOut(from time.Duration) {
	it := t.userAudio()
	it.start = min(max(from, t.ear.from), t.ear.written())
	t.Say(realtime.TimeoutTriggered{
		Head: t.head(realtime.EventTimeoutTriggered), AudioStart: it.start.Milliseconds(), AudioEnd: t.ear.written().Milliseconds(), ItemID: it.ID,
	})
	t.ear.take(it)
	if t.reply == nil {
		t.answer(t.order())
	}
}
