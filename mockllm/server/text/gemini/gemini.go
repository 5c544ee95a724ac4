// Package gemini is the front of the Gemini API.
//
// Read gemini.go first; order.go is how a request is understood, form.go how an answer is
// written.
package gemini

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"halfsecond/mockllm/server/text/serve"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/gemini"
)

// api is the protocol of the Gemini API.
var api = &serve.Protocol{Name: "gemini", Refuse: refuse}

// Handle adds the routes of the Gemini API. A key is taken in the header
// x-goog-api-key and as the query key, and looked at by nobody here.
func Handle(service *serve.Service, mux *http.ServeMux) {
	s := front{service}
	mux.HandleFunc("POST /v1beta/models/{call...}", s.call)
	mux.HandleFunc("GET /v1beta/models", s.list)
	mux.HandleFunc("GET /v1beta/models/{model...}", s.show)
	mux.HandleFunc("/v1beta/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, &wire.Failure{Status: http.StatusNotFound, Message: fmt.Sprintf("There is no %s %s.", r.Method, r.URL.Path)})
	})
}

func refuse(w http.ResponseWriter, e *wire.Failure) { serve.WriteJSON(w, e.Status, newError(e)) }

// methods are those of a model.
var methods = []string{gemini.Generate, gemini.Stream, gemini.CountTokens}

// call answers POST /v1beta/models/NAME:METHOD.
func (s front) call(w http.ResponseWriter, r *http.Request) {
	name, method := r.PathValue("call"), ""
	if colon := strings.LastIndexByte(name, ':'); colon >= 0 {
		name, method = name[:colon], name[colon+1:]
	}
	m := s.Asked(name)
	switch {
	case m == nil || !slices.Contains(methods, method):
		s.Refuse(w, r, api, name, &wire.Failure{Status: http.StatusNotFound, Message: fmt.Sprintf("models/%s is not found for API version v1beta, or is not supported for %s. Call ListModels to see the list of available models and their supported methods.", name, method)})
	case method == gemini.CountTokens:
		s.count(w, r)
	default:
		s.generate(w, r, m, method == gemini.Stream)
	}
}

// generate answers generateContent and streamGenerateContent.
func (s front) generate(w http.ResponseWriter, r *http.Request, m *serve.Model, streams bool) {
	array := streams && r.URL.Query().Get("alt") != "sse"
	var q gemini.GenerateRequest
	arrived, fault := s.Read(w, r, &q)
	var g *serve.Generation
	if fault == nil {
		g, fault = s.open(r, arrived, m, &q)
	}
	if fault != nil {
		s.KeepRefusal(r, api, m.Name, fault.Message)
		refuseStream(w, fault, array)
		return
	}
	g.ID = s.NewID("")
	f := &form{Writer: gemini.NewWriter(array), g: g, shows: q.ShowsThoughts(), size: chunkTokens}
	if m.Chunk > 1 {
		f.size = m.Chunk
	}
	if streams {
		s.Stream(w, r, g, f)
		return
	}
	if s.Whole(w, r, g) {
		serve.WriteJSON(w, http.StatusOK, f.whole())
	}
}

// refuseStream is refuseGemini for a stream as an array, in which an error is an
// element too.
func refuseStream(w http.ResponseWriter, e *wire.Failure, array bool) {
	if array {
		serve.WriteJSON(w, e.Status, []gemini.ErrorBody{newError(e)})
		return
	}
	refuse(w, e)
}

// open turns a request into a generation.
func (s front) open(r *http.Request, arrived time.Duration, m *serve.Model, q *gemini.GenerateRequest) (*serve.Generation, *wire.Failure) {
	o, fault := orderOf(q)
	if fault != nil {
		return nil, fault
	}
	o.Model = m.Name
	if n := serve.CountAll(o.ToolTexts()) + serve.CountAll(o.Prompt); n >= m.Context {
		return nil, serve.BadRequest("contents", "", "The input token count (%d) exceeds the maximum number of tokens allowed (%d).", n, m.Context-1)
	}
	o.Clip(m)
	return s.Generation(api, r, arrived, o)
}

// count answers countTokens.
func (s front) count(w http.ResponseWriter, r *http.Request) {
	var q gemini.CountTokensRequest
	_, fault := s.Read(w, r, &q)
	whole := q.GenerateContentRequest
	if whole == nil {
		whole = &gemini.GenerateRequest{Contents: q.Contents}
	}
	var o serve.Order
	if fault == nil {
		o, fault = orderOf(whole)
	}
	if fault != nil {
		refuse(w, fault)
		return
	}
	n := serve.CountAll(o.ToolTexts()) + serve.CountAll(o.Prompt)
	serve.WriteJSON(w, http.StatusOK, gemini.CountTokensResponse{TotalTokens: n, PromptTokensDetails: textTokens(n)})
}

// textTokens says that so many tokens are text.
func textTokens(n int) []gemini.ModalityCount {
	return []gemini.ModalityCount{{Modality: "TEXT", TokenCount: n}}
}

// list answers GET /v1beta/models.
func (s front) list(w http.ResponseWriter, _ *http.Request) {
	list := gemini.ModelList{Models: []gemini.Model{}}
	for _, m := range s.Config.Models {
		list.Models = append(list.Models, describe(m))
	}
	serve.WriteJSON(w, http.StatusOK, list)
}

// show answers GET /v1beta/models/NAME.
func (s front) show(w http.ResponseWriter, r *http.Request) {
	m := s.Asked(r.PathValue("model"))
	if m == nil {
		refuse(w, &wire.Failure{Status: http.StatusNotFound, Message: fmt.Sprintf("Model is not found: models/%s for api version v1beta", r.PathValue("model"))})
		return
	}
	serve.WriteJSON(w, http.StatusOK, describe(*m))
}

func describe(m serve.Model) gemini.Model {
	return gemini.Model{
		Name: "models/" + m.Name, Version: "001", DisplayName: m.Name, InputTokenLimit: m.Context - 1, OutputTokenLimit: m.Context - 1,
		SupportedGenerationMethods: methods,
	}
}

// newError returns the body of an error, in the service's own words for a server without
// room.
func newError(e *wire.Failure) gemini.ErrorBody {
	f := *e
	if f.Code == serve.CodeRefused {
		f.Message = gemini.Busy
	}
	return gemini.NewError(&f)
}

type front struct{ *serve.Service }
