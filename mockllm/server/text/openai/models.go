package openai

import (
	"encoding/json"
	"net/http"

	"halfsecond/mockllm/server/text/serve"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/llamacpp"
)

// List answers GET /v1/models, in order of name.
func (s *Front) List(w http.ResponseWriter, _ *http.Request) {
	all := wire.ModelList{Object: wire.ListObject}
	for _, name := range s.Names() {
		all.Data = append(all.Data, s.describe(name))
	}
	serve.WriteJSON(w, http.StatusOK, all)
}

// Show answers GET /v1/models/NAME.
func (s *Front) Show(w http.ResponseWriter, r *http.Request) {
	m, fault := s.Find(r.PathValue("model"))
	if fault != nil {
		s.api.Refuse(w, fault)
		return
	}
	serve.WriteJSON(w, http.StatusOK, s.describe(m.Name))
}

func (s *Front) describe(name string) wire.Model {
	m := s.Lookup(name)
	d := wire.Model{ID: name, Object: wire.ModelObject, Created: s.Started.Unix(), OwnedBy: m.Software().Owner, MaxModelLen: m.Context}
	if m.Software().LlamaCPP {
		text := []string{"text"}
		d.Architecture = encode(llamacpp.Architecture{Input: text, Output: text})
		d.Meta = encode(llamacpp.Meta{NContextTrain: m.Context, NParams: m.Parameters, Size: m.Weights})
	}
	return d
}

func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic("openai: " + err.Error()) // our own values always encode
	}
	return text
}
