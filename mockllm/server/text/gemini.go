package text

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"halfsecond/pipeline/wire/gemini"
)

// geminiAPI is the protocol of the Gemini API.
var geminiAPI = &protocol{name: "gemini", refuse: refuseGemini}

// handleGemini adds the routes of the Gemini API. A key is taken in the header
// x-goog-api-key and as the query key, and looked at by nobody here.
func (s *Service) handleGemini(mux *http.ServeMux) {
	mux.HandleFunc("POST /v1beta/models/{call...}", s.gemini)
	mux.HandleFunc("GET /v1beta/models", s.geminiModels)
	mux.HandleFunc("GET /v1beta/models/{model...}", s.geminiModel)
	mux.HandleFunc("/v1beta/", func(w http.ResponseWriter, r *http.Request) {
		refuseGemini(w, &apiError{status: http.StatusNotFound, message: fmt.Sprintf("There is no %s %s.", r.Method, r.URL.Path)})
	})
}

func refuseGemini(w http.ResponseWriter, e *apiError) { writeJSON(w, e.status, e.gemini()) }

// gemini returns the body of an error of the Gemini API.
func (e *apiError) gemini() gemini.ErrorBody {
	message := e.message
	if e.code == "engine_refused" {
		message = geminiBusy
	}
	return gemini.ErrorBody{Error: gemini.Error{Code: e.status, Message: message, Status: gemini.Status(e.status)}}
}

// geminiBusy is what the service says when it takes no more; source: google-gemini/gemini-cli
// issue 5191, 2025-07-30, read 2026-11-29.
const geminiBusy = "The model is overloaded. Please try again later."

// geminiMethods are those of a model.
var geminiMethods = []string{gemini.Generate, gemini.Stream, gemini.CountTokens}

// gemini answers POST /v1beta/models/NAME:METHOD.
func (s *Service) gemini(w http.ResponseWriter, r *http.Request) {
	name, method := r.PathValue("call"), ""
	if colon := strings.LastIndexByte(name, ':'); colon >= 0 {
		name, method = name[:colon], name[colon+1:]
	}
	m := s.lookup(name)
	switch {
	case m == nil || !slices.Contains(geminiMethods, method):
		s.refuse(w, r, geminiAPI, &apiError{status: http.StatusNotFound, message: fmt.Sprintf("models/%s is not found for API version v1beta, or is not supported for %s. Call ListModels to see the list of available models and their supported methods.", name, method)})
	case method == gemini.CountTokens:
		s.geminiCount(w, r)
	default:
		s.geminiGenerate(w, r, m, method == gemini.Stream)
	}
}

// geminiGenerate answers generateContent and streamGenerateContent.
func (s *Service) geminiGenerate(w http.ResponseWriter, r *http.Request, m *model, streams bool) {
	array := streams && r.URL.Query().Get("alt") != "sse"
	var q gemini.GenerateRequest
	arrived, fault := s.read(w, r, &q)
	var g *generation
	if fault == nil {
		g, fault = s.openGemini(r, arrived, m, &q)
	}
	if fault != nil {
		s.keepRefusal(r, geminiAPI, fault.message)
		refuseGeminiStream(w, fault, array)
		return
	}
	f := &geminiForm{Writer: gemini.NewWriter(array), g: g, shows: q.ShowsThoughts(), size: geminiChunk}
	if m.Chunk > 1 {
		f.size = m.Chunk
	}
	if streams {
		s.stream(w, r, g, f)
		return
	}
	if s.whole(w, r, g) {
		writeJSON(w, http.StatusOK, f.whole())
	}
}

// refuseGeminiStream is refuseGemini for a stream as an array, in which an error is an
// element too.
func refuseGeminiStream(w http.ResponseWriter, e *apiError, array bool) {
	if array {
		writeJSON(w, e.status, []gemini.ErrorBody{e.gemini()})
		return
	}
	refuseGemini(w, e)
}

// openGemini turns a request into a generation.
func (s *Service) openGemini(r *http.Request, arrived time.Duration, m *model, q *gemini.GenerateRequest) (*generation, *apiError) {
	o, fault := geminiOrder(q)
	if fault != nil {
		return nil, fault
	}
	o.model = m.Name
	if n := countAll(o.toolTexts()) + countAll(o.prompt); n >= m.Context {
		return nil, badRequest("contents", "", "The input token count (%d) exceeds the maximum number of tokens allowed (%d).", n, m.Context-1)
	}
	o.clip(m)
	g, fault := s.generation(geminiAPI, o)
	if fault != nil {
		return nil, fault
	}
	g.arrived, g.path, g.id, g.request.Kind = arrived, r.URL.Path, s.newID(""), kindChat
	return g, nil
}

// geminiCount answers countTokens.
func (s *Service) geminiCount(w http.ResponseWriter, r *http.Request) {
	var q gemini.CountTokensRequest
	_, fault := s.read(w, r, &q)
	whole := q.GenerateContentRequest
	if whole == nil {
		whole = &gemini.GenerateRequest{Contents: q.Contents}
	}
	var o order
	if fault == nil {
		o, fault = geminiOrder(whole)
	}
	if fault != nil {
		refuseGemini(w, fault)
		return
	}
	n := countAll(o.toolTexts()) + countAll(o.prompt)
	writeJSON(w, http.StatusOK, gemini.CountTokensResponse{TotalTokens: n, PromptTokensDetails: geminiText(n)})
}

// geminiText says that so many tokens are text.
func geminiText(n int) []gemini.ModalityCount {
	return []gemini.ModalityCount{{Modality: "TEXT", TokenCount: n}}
}

// geminiModels answers GET /v1beta/models.
func (s *Service) geminiModels(w http.ResponseWriter, _ *http.Request) {
	list := gemini.ModelList{Models: []gemini.Model{}}
	for _, m := range s.config.Models {
		list.Models = append(list.Models, describeGemini(m))
	}
	writeJSON(w, http.StatusOK, list)
}

// geminiModel answers GET /v1beta/models/NAME.
func (s *Service) geminiModel(w http.ResponseWriter, r *http.Request) {
	m := s.lookup(r.PathValue("model"))
	if m == nil {
		refuseGemini(w, &apiError{status: http.StatusNotFound, message: fmt.Sprintf("Model is not found: models/%s for api version v1beta", r.PathValue("model"))})
		return
	}
	writeJSON(w, http.StatusOK, describeGemini(m.Model))
}

func describeGemini(m Model) gemini.Model {
	return gemini.Model{
		Name: "models/" + m.Name, Version: "001", DisplayName: m.Name, InputTokenLimit: m.Context - 1, OutputTokenLimit: m.Context - 1,
		SupportedGenerationMethods: geminiMethods,
	}
}
