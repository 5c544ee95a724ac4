package ollama

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"net/http"
	"slices"
	"time"

	"halfsecond/mockllm/server/text/serve"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/ollama"
)

// architecture is the architecture of the mock's models, which is none that there is.
const architecture = "halfsecond"

// template is the template of the mock's models: by its .Suffix a client sees that
// they can fill in the middle.
const template = `{{ if .Suffix }}<|fim_prefix|>{{ .Prompt }}<|fim_suffix|>{{ .Suffix }}<|fim_middle|>{{ else }}{{ .System }}{{ .Prompt }}{{ end }}`

// tags answers GET /api/tags.
func (s front) tags(w http.ResponseWriter, _ *http.Request) {
	tags := ollama.Tags{Models: []ollama.Model{}}
	for _, m := range s.Config.Models {
		name := tagged(m.Name)
		tags.Models = append(tags.Models, ollama.Model{Name: name, Model: name, ModifiedAt: s.Started.UTC(), Size: m.Weights, Digest: digest(name), Details: details()})
	}
	serve.WriteJSON(w, http.StatusOK, tags)
}

// forEver is how long a model stays in memory that never leaves: as long as Go can say,
// which is what the server takes for a keep_alive below 0. Source: ollama/ollama
// api/types.go (2026-08-21, commit fb30760), read 2026-11-29.
const forEver = time.Duration(math.MaxInt64)

// running answers GET /api/ps: the models in memory or on their way there, those first
// that stay longest.
func (s front) running(w http.ResponseWriter, _ *http.Request) {
	running := ollama.Running{Models: []ollama.RunningModel{}}
	s.Ask(func() {
		for i := range s.Config.Models {
			if m := &s.Config.Models[i]; s.isHere(m) {
				running.Models = append(running.Models, s.describe(m))
			}
		}
	})
	slices.SortStableFunc(running.Models, func(a, b ollama.RunningModel) int { return b.ExpiresAt.Compare(a.ExpiresAt) })
	serve.WriteJSON(w, http.StatusOK, running)
}

// isHere reports whether a model is in memory. It runs on the loop.
func (s front) isHere(m *serve.Model) bool {
	cold := s.Cold(m)
	if cold == nil {
		return true
	}
	here, _ := cold.Residence()
	return here
}

// describe returns what is told of a model in memory. It runs on the loop.
func (s front) describe(m *serve.Model) ollama.RunningModel {
	name, now := tagged(m.Name), time.Now().UTC()
	d := ollama.RunningModel{
		Name: name, Model: name, Digest: digest(name), Details: details(), Size: m.Weights, SizeVRAM: m.Weights,
		ExpiresAt: now.Add(forEver), ContextLength: m.Context,
	}
	if cold := s.Cold(m); cold != nil {
		if _, until := cold.Residence(); until != pipeline.Unknown {
			d.ExpiresAt = now.Add(until - s.Config.Loop.Now())
		}
	}
	return d
}

// show answers POST /api/show.
func (s front) show(w http.ResponseWriter, r *http.Request) {
	var q ollama.ShowRequest
	_, fault := s.Read(w, r, &q)
	if q.Model == "" {
		q.Model = q.Name
	}
	if fault == nil && q.Model == "" {
		fault = serve.BadRequest("model", "", "model is required")
	}
	var m *serve.Model
	if fault == nil {
		m, fault = s.find(q.Model)
	}
	if fault != nil {
		refuse(w, fault)
		return
	}
	capabilities := []string{"completion", "insert", "tools"}
	if s.Config.ThinkingTokens != (dist.Count{}) {
		capabilities = append(capabilities, "thinking")
	}
	serve.WriteJSON(w, http.StatusOK, ollama.Shown{
		Modelfile: "FROM " + tagged(m.Name) + "\n", Template: template, Details: details(), Capabilities: capabilities, ModifiedAt: s.Started.UTC(),
		ModelInfo: map[string]any{"general.architecture": architecture, architecture + ".context_length": m.Context},
	})
}

// embed answers requests for embeddings.
func (s front) embed(w http.ResponseWriter, _ *http.Request) {
	refuse(w, &wire.Failure{Status: http.StatusNotImplemented, Message: "this server generates text and has no embeddings"})
}

func details() ollama.Details {
	return ollama.Details{Format: "gguf", Family: architecture, Families: []string{architecture}}
}

// digest returns what stands for the digest of a model's files.
func digest(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:])
}
