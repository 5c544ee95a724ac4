package text

import (
	"maps"
	"net/http"
	"slices"

	"halfsecond/pipeline/wire"
)

// handleModels adds the routes of the models, which several APIs have under one path.
func (s *Service) handleModels(mux *http.ServeMux) {
	mux.HandleFunc("GET /v1/models", s.either(s.list, s.listAnthropic))
	mux.HandleFunc("GET /models", s.named("x-request-id", s.list)) // of llama.cpp and DeepSeek
	mux.HandleFunc("GET /v1/models/{model...}", s.either(s.show, s.showAnthropic))
}

// either answers a client of the OpenAI API or one of Anthropic's in its own way.
func (s *Service) either(openAI, anthropic http.HandlerFunc) http.HandlerFunc {
	openAI, anthropic = s.named("x-request-id", openAI), s.named(requestID, anthropic)
	return func(w http.ResponseWriter, r *http.Request) {
		if isAnthropic(r) {
			anthropic(w, r)
			return
		}
		openAI(w, r)
	}
}

// list answers GET /v1/models, in order of name.
func (s *Service) list(w http.ResponseWriter, _ *http.Request) {
	all := wire.ModelList{Object: wire.ListObject}
	for _, name := range slices.Sorted(maps.Keys(s.models)) {
		all.Data = append(all.Data, s.describe(name))
	}
	writeJSON(w, http.StatusOK, all)
}

// show answers GET /v1/models/NAME.
func (s *Service) show(w http.ResponseWriter, r *http.Request) {
	m, fault := s.find(r.PathValue("model"))
	if fault != nil {
		openAI.refuse(w, fault)
		return
	}
	writeJSON(w, http.StatusOK, s.describe(m.Name))
}

func (s *Service) describe(name string) wire.Model {
	return wire.Model{ID: name, Object: wire.ModelObject, Created: s.started.Unix(), OwnedBy: s.models[name].software().owner, MaxModelLen: s.models[name].Context}
}
