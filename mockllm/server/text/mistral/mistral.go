// Package mistral is the front of Mistral's API for filling in the middle, as Codestral
// speaks it.
package mistral

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"halfsecond/mockllm/observe"
	"halfsecond/mockllm/server/text/fim"
	"halfsecond/mockllm/server/text/serve"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/mistral"
)

// api is the protocol of Mistral's API for filling in the middle, as Codestral
// speaks it.
var api = &serve.Protocol{Name: "mistral", Refuse: refuse}

// Handle adds the route of Mistral's API that is not one of the OpenAI API.
func Handle(service *serve.Service, mux *http.ServeMux) {
	s := front{service}
	mux.HandleFunc("POST /v1/fim/completions", s.complete)
}

// refuse writes an error: that of a field as a violation.
func refuse(w http.ResponseWriter, e *wire.Failure) {
	if e.Status == http.StatusBadRequest && e.Param != "" && e.Code != "context_length_exceeded" {
		refuseViolations(w, []mistral.Violation{{
			Type: "value_error", Location: []any{"body", e.Param}, Message: e.Message, Input: json.RawMessage("null"),
		}})
		return
	}
	serve.WriteJSON(w, e.Status, newError(e))
}

func refuseViolations(w http.ResponseWriter, v []mistral.Violation) {
	serve.WriteJSON(w, http.StatusUnprocessableEntity, mistral.Invalid{Detail: v})
}

// complete answers POST /v1/fim/completions.
func (s front) complete(w http.ResponseWriter, r *http.Request) {
	var body json.RawMessage
	arrived, fault := s.Read(w, r, &body)
	if fault != nil {
		s.Refuse(w, r, api, "", fault)
		return
	}
	q, wrong := readFIM(body)
	if len(wrong) > 0 {
		s.KeepRefusal(r, api, q.Model, fmt.Sprintf("%v: %s", wrong[0].Location, wrong[0].Message))
		refuseViolations(w, wrong)
		return
	}
	g, fault := s.openFIM(r, arrived, &q)
	if fault != nil {
		s.Refuse(w, r, api, q.Model, fault)
		return
	}
	g.ID = s.NewID("")
	s.write(w, r, g, q.Stream != nil && *q.Stream)
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
func (s front) openFIM(r *http.Request, arrived time.Duration, q *mistral.FIMRequest) (*serve.Generation, *wire.Failure) {
	if s.Asked(q.Model) == nil {
		return nil, &wire.Failure{Status: http.StatusBadRequest, Message: "Invalid model: " + q.Model, Code: serve.CodeUnknownModel}
	}
	return s.Generation(api, r, arrived, orderOf(q))
}

// orderOf turns a request into an order. The prompt has the suffix first.
func orderOf(q *mistral.FIMRequest) serve.Order {
	suffix := ""
	if q.Suffix != nil {
		suffix = *q.Suffix
	}
	o := serve.Order{
		Model: q.Model, Kind: serve.KindCompletion, In: "prompt", Limit: q.MaxTokens, LimitedBy: "max_tokens", Stop: q.Stop, Answer: q.MockAnswer,
		Prompt: []string{fim.Mark("[SUFFIX]"), suffix, fim.Mark("[PREFIX]"), *q.Prompt},
	}
	asked := observe.Made(observe.Section{Name: observe.Suffix, Text: suffix}, observe.Section{Name: observe.Prefix, Text: *q.Prompt})
	o.Asked = &asked
	if q.MinTokens != nil {
		o.MinTokens = *q.MinTokens
	}
	if q.RandomSeed != nil {
		o.Seed = *q.RandomSeed
	}
	return o
}

func (s front) write(w http.ResponseWriter, r *http.Request, g *serve.Generation, streams bool) {
	if streams {
		s.Stream(w, r, g, form{mistral.NewStream(g.ID, g.Model.Name, g.Created)})
		return
	}
	if s.Whole(w, r, g) {
		serve.WriteJSON(w, http.StatusOK, mistral.Response{
			ID: g.ID, Object: wire.ChatObject, Created: g.Created, Model: g.Model.Name, Usage: g.Usage(),
			Choices: []wire.ChatChoice{{
				Message:      wire.Message{Role: "assistant", Content: wire.Content{Text: g.Text}},
				FinishReason: g.Finish(),
			}},
		})
	}
}

// form writes the events of a streamed answer.
type form struct{ *mistral.Stream }

func (f form) ContentType() string { return serve.EventStream }

func (f form) Open(dst []byte, _ *serve.Generation) []byte { return f.AppendRole(dst) }

func (f form) Piece(dst []byte, p serve.Piece) []byte {
	if p.Text == "" {
		return dst
	}
	return f.AppendText(dst, p.Text)
}

func (f form) End(dst []byte, g *serve.Generation) []byte {
	return wire.AppendDone(f.AppendFinish(dst, g.Finish(), g.Usage()))
}

func (f form) Fail(dst []byte, e *wire.Failure) []byte {
	text, err := json.Marshal(newError(e))
	if err != nil {
		panic("text: " + err.Error()) // it is made of texts
	}
	return wire.AppendEvent(dst, "", text)
}

// newError returns the body of an error that is not one of a field, in the service's own
// words.
func newError(e *wire.Failure) mistral.ErrorBody {
	f := *e
	f.Code = ""
	switch {
	case e.Code == serve.CodeUnknownModel:
		f.Type, f.Code = "invalid_model", "1500"
	case e.Status == http.StatusTooManyRequests:
		f.Message = mistral.RateLimited
	case e.Code == serve.CodeRefused:
		f.Message, f.Type = mistral.Busy, mistral.ErrInvalidRequest
	}
	return mistral.NewError(&f)
}

type front struct{ *serve.Service }
