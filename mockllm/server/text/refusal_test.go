package text

import (
	"testing"

	"halfsecond/pipeline"
)

// TestRefusalsAreKept: the ledger tells of requests that were turned away before any engine
// saw them, in each protocol, and why.
func TestRefusalsAreKept(t *testing.T) {
	serve(t, Config{Models: []Model{fixed("m", 10), fixed("n", 10)}}, func(r *front) {
		const unknown = "The model `x` does not exist or you do not have access to it. This server has `m`, `n`."
		for i, c := range []struct{ protocol, path, body, why string }{
			{"openai", "/v1/chat/completions", `{"model":"x","messages":[{"role":"user","content":"a"}]}`, unknown},
			{"openai", "/v1/completions", `{"model":"x","prompt":"a"}`, unknown},
			{"openai", "/v1/responses", `{"model":"x","input":"a"}`, unknown},
			{"anthropic messages", "/v1/messages", `{"model":"m"}`, "max_tokens: Field required"},
			{"llama.cpp", "/completion", `{}`, `"prompt" is required`},
			{"llama.cpp", "/completion", `{"prompt":"a b c d e f g h i j k"}`, "request (11 tokens) exceeds the available context size (10 tokens), try increasing it"},
			{"llama.cpp", "/infill", `{}`, `"input_prefix" is required`},
			{"ollama", "/api/chat", `{}`, "model is required"},
			{"ollama", "/api/generate", `{"model":"x"}`, "model 'x' not found"},
			{"mistral", "/v1/fim/completions", `{"model":"m"}`, "[body prompt]: Field required"},
			{"mistral", "/v1/fim/completions", `{"model":"x","prompt":"a"}`, "Invalid model: x"},
			{"tabby", "/v1/completions", `{"segments":null}`, "empty prompt from completion request: it has neither segments nor a raw_prompt"},
			{"gemini", "/v1beta/models/m:generateContent", `{}`, "* GenerateContentRequest.contents: contents is not specified\n"},
			{"gemini", "/v1beta/models/m:doIt", `{}`, "models/m is not found for API version v1beta, or is not supported for doIt. Call ListModels to see the list of available models and their supported methods."},
		} {
			r.whole(c.path, c.body)
			entries, _ := r.ledger.Latest(100)
			if len(entries) != i+1 {
				t.Fatalf("%s %s: %d entries, want %d", c.path, c.body, len(entries), i+1)
			}
			e := entries[i]
			if e.Protocol != c.protocol || e.Path != c.path || e.Outcome != pipeline.Refused || e.Reason != c.why || e.First != pipeline.Unknown {
				t.Errorf("%s %s is kept as %+v\nwant %s refused because %s", c.path, c.body, e, c.protocol, c.why)
			}
		}
	})
}
