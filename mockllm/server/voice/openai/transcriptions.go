package openai

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"halfsecond/mockllm/server/voice/ear"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline/wire"
)

// transcriptions answers an upload. A translation is what was heard: the mock speaks
// English only.
func (s *Service) transcriptions(w http.ResponseWriter, r *http.Request, task string) {
	id := s.NewID("req_")
	w.Header().Set("x-request-id", id)
	data, arrived, err := s.Upload(w, r)
	if err != nil {
		uploadRefuse(w, err)
		return
	}
	q, fault := readTranscriptionForm(data, r.Header.Get("Content-Type"), task)
	if fault != nil {
		fault.write(w)
		return
	}
	clip, err := audio.Read(q.file)
	var long audio.TooLong
	switch {
	case errors.As(err, &long):
		refuse("file", "invalid_value", "Audio file is too long: %v", err).write(w)
		return
	case err != nil:
		refuse("file", "invalid_value", "Audio file might be corrupted or unsupported: %v", err).write(w)
		return
	}
	e := talk.Begin("openai "+task, id, r.URL.Path, q.model, arrived)
	e.Stream = wire.AskedStream(r.Header.Get(wire.StreamHeader))
	h := s.Ears.Hearing(&e, q.model, q.texts)
	h.Turn, h.Detector = q.turn, q.detector
	if q.turn == (speech.Turn{}) && len(h.Script.Texts) > 1 {
		h.Turn.Silence = pause
	}
	if h.Profile.MaxSpan == 0 {
		h.Profile.MaxSpan = ear.Window
	}
	s.answerTranscription(w, r, &transcription{q, ear.Listen(clip, h, e)})
}

// pause parts the utterances of an upload that nobody wants in chunks, where several are
// to be heard: all of them are in its text. A single one is the whole of the speech,
// pauses included, as Whisper hears it.
const pause = 500 * time.Millisecond

func (s *Service) answerTranscription(w http.ResponseWriter, r *http.Request, t *transcription) {
	w.Header().Set("openai-version", "2020-10-01")
	if t.streams() {
		s.Answer(w, r, "text/event-stream; charset=utf-8", t.Entry, t.events()...)
		return
	}
	w.Header().Set("openai-processing-ms", strconv.FormatInt(t.Latency.Milliseconds(), 10))
	kind, body := t.whole()
	s.Answer(w, r, kind, t.Entry, talk.Piece{After: t.Latency, Data: body})
}

// uploadRefuse refuses a body that could not be read. The words about one that is too
// large are the service's, and so is its type (answers that users quote, read
// 2026-11-29).
func uploadRefuse(w http.ResponseWriter, err error) {
	var large talk.TooLarge
	if !errors.As(err, &large) {
		refuse("", "", "The body of your request could not be read: %v", err).write(w)
		return
	}
	read := ""
	if large.Size > 0 {
		read = fmt.Sprintf(" (%d bytes read)", large.Size)
	}
	f := refuse("", "", "Maximum content size limit (%d) exceeded%s", large.Limit, read)
	f.status, f.Error.Type = http.StatusRequestEntityTooLarge, "server_error"
	f.write(w)
}

// transcription is an upload and what was heard in it.
type transcription struct {
	transcriptionForm
	ear.Heard
}

// texts of segments begin with a space, as Whisper's do.
func segmentText(e speech.Event) string { return " " + ear.Spelled(e.Words) }
