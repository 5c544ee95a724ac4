package serve

import (
	"net/http"
	"strings"
)

// llamaCPPFamily is in the names of llama.cpp's server in the catalogue: the one of today,
// that of earlier years and a fork.
const llamaCPPFamily = "llama.cpp"

// Software is how serving software shows itself beside what its protocols say. Sources,
// read 2026-11-29: for llama.cpp tools/server/server-http.cpp and server-models.cpp in
// ggml-org/llama.cpp (commit 00dd081); for vLLM and SGLang an answer in
// cuongpiger/vllm-labs, others/server-llama3.1/README.md, and the option
// --no-server-header of uvicorn, the server that both run in; for Ollama
// docs/api/openai-compatibility.mdx in ollama/ollama (2026-08-21, commit fb30760).
type Software struct {
	server      string // the header Server of every answer; "" has none
	Fingerprint string // system_fingerprint of answers of the OpenAI API; "" has none
	Owner       string // of its models
	// clips says that a limit beyond the context ends an answer with the context, where
	// others refuse it.
	clips bool
	// LlamaCPP says that it is llama.cpp's server: answers of the OpenAI API tell how fast
	// they were computed, errors have its shape, streams begin when work on them does, and
	// the one model answers requests for any other.
	LlamaCPP bool
}

// Build is what the mock calls the build of the software that it stands for.
const Build = "halfsecond"

// Software returns what serves the model; the zero value is a service that is rented.
func (m *Model) Software() Software {
	switch {
	case strings.Contains(m.Family, llamaCPPFamily):
		return Software{server: "llama.cpp", Fingerprint: Build, Owner: "llamacpp", clips: true, LlamaCPP: true}
	case m.Family == "ollama":
		return Software{Fingerprint: "fp_ollama", Owner: "library", clips: true}
	case strings.HasPrefix(m.Family, "vllm"):
		return Software{server: "uvicorn", Owner: "vllm"}
	case m.Family == "sglang":
		return Software{server: "uvicorn", Owner: "sglang"}
	}
	return Software{Owner: Build}
}

// Software returns what serves all models; where they are served by different software, it
// is as if they were rented.
func (s *Service) Software() Software {
	one := s.Config.Models[0].Software()
	for i := range s.Config.Models {
		if s.Config.Models[i].Software() != one {
			return (&Model{}).Software()
		}
	}
	return one
}

// Shown returns a handler whose answers name the software that serves, where all models
// have the same and it names itself.
func (s *Service) Shown(next http.Handler) http.Handler {
	name := s.Config.Models[0].Software().server
	for i := range s.Config.Models {
		if s.Config.Models[i].Software().server != name {
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
