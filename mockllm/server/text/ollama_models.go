package text

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"time"

	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/wire/ollama"
)

// ollamaKeep is how long Ollama keeps a model after its last use unless it is told
// otherwise; source: ollama/ollama docs/faq.mdx (2026-08-21, commit fb30760), read
// 2026-11-29.
const ollamaKeep = 5 * time.Minute

// ollamaArchitecture is the architecture of the mock's models, which is none that there is.
const ollamaArchitecture = "halfsecond"

// ollamaTemplate is the template of the mock's models: by its .Suffix a client sees that
// they can fill in the middle.
const ollamaTemplate = `{{ if .Suffix }}<|fim_prefix|>{{ .Prompt }}<|fim_suffix|>{{ .Suffix }}<|fim_middle|>{{ else }}{{ .System }}{{ .Prompt }}{{ end }}`

// ollamaTags answers GET /api/tags.
func (s *Service) ollamaTags(w http.ResponseWriter, _ *http.Request) {
	tags := ollama.Tags{Models: []ollama.Model{}}
	for _, m := range s.config.Models {
		name := tagged(m.Name)
		tags.Models = append(tags.Models, ollama.Model{Name: name, Model: name, ModifiedAt: s.started.UTC(), Digest: ollamaDigest(name), Details: ollamaDetails()})
	}
	writeJSON(w, http.StatusOK, tags)
}

// ollamaRunning answers GET /api/ps: all models, since engines do not tell which are in
// memory.
func (s *Service) ollamaRunning(w http.ResponseWriter, _ *http.Request) {
	running := ollama.Running{Models: []ollama.RunningModel{}}
	for _, m := range s.config.Models {
		name := tagged(m.Name)
		running.Models = append(running.Models, ollama.RunningModel{
			Name: name, Model: name, Digest: ollamaDigest(name), Details: ollamaDetails(),
			ExpiresAt: time.Now().UTC().Add(ollamaKeep), ContextLength: m.Context,
		})
	}
	writeJSON(w, http.StatusOK, running)
}

// ollamaShow answers POST /api/show.
func (s *Service) ollamaShow(w http.ResponseWriter, r *http.Request) {
	var q ollama.ShowRequest
	_, fault := s.read(w, r, &q)
	if q.Model == "" {
		q.Model = q.Name
	}
	if fault == nil && q.Model == "" {
		fault = badRequest("model", "", "model is required")
	}
	var m *model
	if fault == nil {
		m, fault = s.ollamaModel(q.Model)
	}
	if fault != nil {
		refuseOllama(w, fault)
		return
	}
	capabilities := []string{"completion", "insert", "tools"}
	if s.config.ThinkingTokens != (dist.Count{}) {
		capabilities = append(capabilities, "thinking")
	}
	writeJSON(w, http.StatusOK, ollama.Shown{
		Modelfile: "FROM " + tagged(m.Name) + "\n", Template: ollamaTemplate, Details: ollamaDetails(), Capabilities: capabilities, ModifiedAt: s.started.UTC(),
		ModelInfo: map[string]any{"general.architecture": ollamaArchitecture, ollamaArchitecture + ".context_length": m.Context},
	})
}

// ollamaEmbed answers requests for embeddings.
func (s *Service) ollamaEmbed(w http.ResponseWriter, _ *http.Request) {
	refuseOllama(w, &apiError{status: http.StatusNotImplemented, message: "this server generates text and has no embeddings"})
}

func ollamaDetails() ollama.Details {
	return ollama.Details{Format: "gguf", Family: ollamaArchitecture, Families: []string{ollamaArchitecture}}
}

// ollamaDigest returns what stands for the digest of a model's files.
func ollamaDigest(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:])
}
