package text

import (
	"net/http"
	"strings"
)

// llamaCPPFamily is in the names of llama.cpp's server in the catalogue: the one of today,
// that of earlier years and a fork.
const llamaCPPFamily = "llama.cpp"

// software is how serving software shows itself beside what its protocols say. Sources,
// read 2026-11-29: for llama.cpp tools/server/server-http.cpp and server-models.cpp in
// ggml-org/llama.cpp (commit 00dd081); for vLLM and SGLang an answer in
// cuongpiger/vllm-labs, others/server-llama3.1/README.md, and the option
// --no-server-header of uvicorn, the server that both run in; for Ollama
// docs/api/openai-compatibility.mdx in ollama/ollama (2026-08-21, commit fb30760).
type software struct {
	server      string // the header Server of every answer; "" has none
	fingerprint string // system_fingerprint of answers of the OpenAI API; "" has none
	owner       string // of its models
	// clips says that a limit beyond the context ends an answer with the context, where
	// others refuse it.
	clips bool
	// timed says that answers of the OpenAI API tell how fast they were computed.
	timed bool
	// onlyModel says that the one model answers requests for any other.
	onlyModel bool
}

// build is what the mock calls the build of the software that it stands for.
const build = "halfsecond"

// software returns what serves the model; the zero value is a service that is rented.
func (m *Model) software() software {
	switch {
	case strings.Contains(m.Family, llamaCPPFamily):
		return software{server: "llama.cpp", fingerprint: build, owner: "llamacpp", clips: true, timed: true, onlyModel: true}
	case m.Family == "ollama":
		return software{fingerprint: "fp_ollama", owner: "library", clips: true}
	case strings.HasPrefix(m.Family, "vllm"):
		return software{server: "uvicorn", owner: "vllm"}
	case m.Family == "sglang":
		return software{server: "uvicorn", owner: "sglang"}
	}
	return software{owner: build}
}

// Shown returns a handler whose answers name the software that serves, where all models
// have the same and it names itself.
func (s *Service) Shown(next http.Handler) http.Handler {
	name := s.config.Models[0].software().server
	for i := range s.config.Models {
		if s.config.Models[i].software().server != name {
			return next
		}
	}
	if name == "" {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Server", name)
		next.ServeHTTP(w, r)
	})
}
