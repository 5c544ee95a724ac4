package phone

import (
	"fmt"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/twilio"
	"net/http"
	"time"
)

// callReport is what became of a call, in ms since the start of its stream.
type callReport struct {
	Sid       string         `json:"sid"`
	Status    string         `json:"status"`
	StreamSid string         `json:"stream_sid"`
	StreamURL string         `json:"stream_url"`
	Heard     float64        `json:"heard_ms"` // audio of the server
	Turns     []turnReport   `json:"turns"`
	Errors    []twilio.Error `json:"errors"`
}

// turnReport is one text of the caller and the answer to it; null is what never came.
// VoiceToVoice is from the last sample of the caller's speech to the first audible one
// of the answer as it is played, below 0 for an answer that began too early.
type turnReport struct {
	Text         string   `json:"text"`
	SpeechStart  float64  `json:"speech_start_ms"`
	SpeechEnd    float64  `json:"speech_end_ms"`
	FirstAudible *float64 `json:"first_audible_ms"`
	VoiceToVoice *float64 `json:"voice_to_voice_ms"`
	AnswerEnd    *float64 `json:"answer_end_ms"`
}

// reportCall answers GET /v1/halfsecond/calls/SID.
func (s *Service) reportCall(w http.ResponseWriter, r *http.Request) {
	c := s.calls.find(r.PathValue("sid"))
	if c == nil {
		talk.WriteJSON(w, http.StatusNotFound, twilio.NewError(http.StatusNotFound, twilio.CodeNotFound, fmt.Sprintf("The requested resource %s was not found", r.URL.Path)))
		return
	}
	report := callReport{Sid: c.sid, Turns: []turnReport{}, Errors: []twilio.Error{}}
	s.OnLoop(func() { c.report(&report) })
	talk.WriteJSON(w, http.StatusOK, report)
}

// report fills in a report; it runs on the loop.
func (c *call) report(to *callReport) {
	c.mu.Lock()
	to.Status = c.status
	to.Errors = append(to.Errors, c.errors...)
	c.mu.Unlock()
	if c.stream == nil {
		return
	}
	since := func(at time.Duration) *float64 {
		if at == pipeline.Unknown {
			return nil
		}
		x := talk.Milliseconds(at - c.stream.began)
		return &x
	}
	to.StreamSid, to.StreamURL, to.Heard = c.stream.sid, c.stream.url, talk.Milliseconds(c.stream.received)
	for _, t := range c.caller.turns {
		r := turnReport{Text: t.text, SpeechStart: *since(t.start), SpeechEnd: *since(t.end), FirstAudible: since(t.first), AnswerEnd: since(t.over)}
		if t.first != pipeline.Unknown {
			x := talk.Milliseconds(t.first - t.end)
			r.VoiceToVoice = &x
		}
		to.Turns = append(to.Turns, r)
	}
}
