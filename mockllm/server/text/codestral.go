package text

import (
	"encoding/json"
	"fmt"
	"net/http"

	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/mistral"
)

// mistralAPI is the protocol of Mistral's API for filling in the middle, as Codestral
// speaks it.
var mistralAPI = &protocol{name: "mistral", refuse: refuseMistral}

// handleMistral adds the route of Mistral's API that is not one of the OpenAI API.
func (s *Service) handleMistral(mux *http.ServeMux) {
	mux.HandleFunc("POST /v1/fim/completions", s.codestral)
}

// refuseMistral writes an error: that of a field as a violation.
func refuseMistral(w http.ResponseWriter, e *apiError) {
	if e.status == http.StatusBadRequest && e.param != "" && e.code != "context_length_exceeded" {
		refuseViolations(w, []mistral.Violation{{
			Type: "value_error", Location: []any{"body", e.param}, Message: e.message, Input: json.RawMessage("null"),
		}})
		return
	}
	writeJSON(w, e.status, e.mistral())
}

func refuseViolations(w http.ResponseWriter, v []mistral.Violation) {
	writeJSON(w, http.StatusUnprocessableEntity, mistral.Invalid{Detail: v})
}

// mistral returns the body of an error of Mistral's API that is not one of a field. Its
// words for a server without room and for a rate limit are those of answers of the
// service in continuedev/continue issue 6185, 2025-06-18, and raycast/extensions issue
// 31107, 2026-09-14, read 2026-11-29.
func (e *apiError) mistral() mistral.ErrorBody {
	b := mistral.ErrorBody{Object: mistral.ErrorObject, Message: e.message, Type: e.kind}
	code := ""
	switch {
	case e.code == "model_not_found":
		b.Type, code = "invalid_model", "1500"
	case e.status == http.StatusTooManyRequests:
		b.Message, b.Type, code = "Rate limit exceeded", "rate_limited", "1300"
	case e.code == "engine_refused":
		b.Message, b.Type = "Service tier capacity exceeded for this model.", invalidRequest
	}
	if code != "" {
		b.Code = &code
	}
	return b
}

// codestral answers POST /v1/fim/completions.
func (s *Service) codestral(w http.ResponseWriter, r *http.Request) {
	var body json.RawMessage
	arrived, fault := s.read(w, r, &body)
	if fault != nil {
		s.refuse(w, r, mistralAPI, fault)
		return
	}
	q, wrong := readFIM(body)
	if len(wrong) > 0 {
		s.keepRefusal(r, mistralAPI, fmt.Sprintf("%v: %s", wrong[0].Location, wrong[0].Message))
		refuseViolations(w, wrong)
		return
	}
	g, fault := s.openFIM(&q)
	if fault != nil {
		s.refuse(w, r, mistralAPI, fault)
		return
	}
	g.arrived, g.path, g.id, g.request.Kind = arrived, r.URL.Path, s.newID(""), kindCompletion
	s.writeCodestral(w, r, g, q.Stream != nil && *q.Stream)
}

// readFIM is mistral.Read for which a body that is no object is a violation too.
func readFIM(body json.RawMessage) (mistral.FIMRequest, []mistral.Violation) {
	q, wrong, err := mistral.Read(body)
	if err != nil {
		wrong = []mistral.Violation{{
			Type: "model_attributes_type", Location: []any{"body"}, Message: "Input should be a valid dictionary or object to extract fields from", Input: body,
		}}
	}
	return q, wrong
}

// openFIM turns a request into a generation.
func (s *Service) openFIM(q *mistral.FIMRequest) (*generation, *apiError) {
	if s.lookup(q.Model) == nil {
		return nil, &apiError{status: http.StatusBadRequest, message: "Invalid model: " + q.Model, code: "model_not_found"}
	}
	return s.generation(mistralAPI, codestralOrder(q))
}

// codestralOrder turns a request into an order. The prompt has the suffix first.
func codestralOrder(q *mistral.FIMRequest) order {
	suffix := ""
	if q.Suffix != nil {
		suffix = *q.Suffix
	}
	o := order{
		model: q.Model, in: "prompt", limit: q.MaxTokens, limitedBy: "max_tokens", stop: q.Stop, answer: q.MockAnswer,
		prompt: []string{specials.Replace("[SUFFIX]"), suffix, specials.Replace("[PREFIX]"), *q.Prompt},
	}
	if q.MinTokens != nil {
		o.minTokens = *q.MinTokens
	}
	if q.RandomSeed != nil {
		o.seed = *q.RandomSeed
	}
	return o
}

func (s *Service) writeCodestral(w http.ResponseWriter, r *http.Request, g *generation, streams bool) {
	if streams {
		s.stream(w, r, g, codestralForm{mistral.NewStream(g.id, g.model.Name, g.created)})
		return
	}
	if s.whole(w, r, g) {
		writeJSON(w, http.StatusOK, mistral.Response{
			ID: g.id, Object: wire.ChatObject, Created: g.created, Model: g.model.Name, Usage: g.openAIUsage(),
			Choices: []wire.ChatChoice{{
				Message:      wire.Message{Role: "assistant", Content: wire.Content{Text: g.text}},
				FinishReason: g.finish(),
			}},
		})
	}
}

// codestralForm writes the events of a streamed answer.
type codestralForm struct{ *mistral.Stream }

func (f codestralForm) contentType() string { return eventStream }

func (f codestralForm) open(dst []byte, _ *generation) []byte { return f.AppendRole(dst) }

func (f codestralForm) piece(dst []byte, p piece) []byte {
	if p.text == "" {
		return dst
	}
	return f.AppendText(dst, p.text)
}

func (f codestralForm) end(dst []byte, g *generation) []byte {
	return wire.AppendDone(f.AppendFinish(dst, g.finish(), g.openAIUsage()))
}

func (f codestralForm) fail(dst []byte, e *apiError) []byte {
	text, err := json.Marshal(e.mistral())
	if err != nil {
		panic("text: " + err.Error()) // it is made of texts
	}
	return wire.AppendEvent(dst, "", text)
}
