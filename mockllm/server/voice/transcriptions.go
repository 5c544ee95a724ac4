package voice

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline/wire"
)

// handleTranscriptions adds the routes of OpenAI's speech to text.
func (s *Service) handleTranscriptions(mux *http.ServeMux) {
	mux.HandleFunc("POST /v1/audio/transcriptions", func(w http.ResponseWriter, r *http.Request) { s.transcriptions(w, r, "transcribe") })
	mux.HandleFunc("POST /v1/audio/translations", func(w http.ResponseWriter, r *http.Request) { s.transcriptions(w, r, "translate") })
}

// transcriptions answers an upload. A translation is what was heard: the mock speaks
// English only.
func (s *Service) transcriptions(w http.ResponseWriter, r *http.Request, task string) {
	id := s.newID("req_")
	w.Header().Set("x-request-id", id)
	data, arrived, err := s.upload(w, r)
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
	if err != nil {
		badForm("file", "invalid_value", "Audio file might be corrupted or unsupported: %v", err).write(w)
		return
	}
	h := s.hearing(s.config.STT(q.model), q.texts)
	h.Turn, h.Detector = q.turn, q.detector
	if h.Profile.MaxSpan == 0 {
		h.Profile.MaxSpan = whisperWindow
	}
	e := ledger.Entry{ID: id, Protocol: "openai " + task, Path: r.URL.Path, Model: q.model, Arrived: arrived}
	s.answerTranscription(w, r, &transcription{q, s.listen(clip, h, e)})
}

// whisperWindow is how much audio Whisper hears at once (openai/whisper
// audio.py, CHUNK_LENGTH, read 2026-11-29); a segment is not longer.
const whisperWindow = 30 * time.Second

func (s *Service) answerTranscription(w http.ResponseWriter, r *http.Request, t *transcription) {
	w.Header().Set("openai-version", "2020-10-01")
	if t.streams() {
		s.answer(w, r, "text/event-stream; charset=utf-8", t.entry, t.events()...)
		return
	}
	w.Header().Set("openai-processing-ms", strconv.FormatInt(t.latency.Milliseconds(), 10))
	kind, body := t.whole()
	s.answer(w, r, kind, t.entry, piece{t.latency, body})
}

// formFault is what is wrong with an upload, in the shape of the OpenAI API.
type formFault struct {
	status int
	wire.ErrorBody
}

func badForm(param, code, format string, args ...any) *formFault {
	e := wire.APIError{Message: fmt.Sprintf(format, args...), Type: "invalid_request_error"}
	if param != "" {
		e.Param = &param
	}
	if code != "" {
		e.Code = &code
	}
	return &formFault{http.StatusBadRequest, wire.ErrorBody{Error: e}}
}

func (f *formFault) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.status)
	_, _ = w.Write(jsonOf(f.ErrorBody)) // the client may be gone
}

// uploadRefuse refuses a body that could not be read. The words about one that is too
// large are the service's, and so is its type (answers that users quote, read
// 2026-11-29).
func uploadRefuse(w http.ResponseWriter, err error) {
	var large tooLarge
	if !errors.As(err, &large) {
		badForm("", "", "The body of your request could not be read: %v", err).write(w)
		return
	}
	read := ""
	if large.size > 0 {
		read = fmt.Sprintf(" (%d bytes read)", large.size)
	}
	f := badForm("", "", "Maximum content size limit (%d) exceeded%s", large.limit, read)
	f.status, f.Error.Type = http.StatusRequestEntityTooLarge, "server_error"
	f.write(w)
}

// transcription is an upload and what was heard in it.
type transcription struct {
	transcriptionForm
	heardClip
}

// texts of segments begin with a space, as Whisper's do.
func segmentText(e speech.Event) string { return " " + spelled(e.Words) }
