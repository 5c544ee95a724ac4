package text_test

import (
	"fmt"
	"strings"
	"testing"

	"halfsecond/mockllm/server/text/serve"
	"halfsecond/mockllm/server/text/stand"
	"halfsecond/pipeline"
)

// TestRefusalsAreKept: the ledger tells of requests that were turned away before any engine
// saw them, in each protocol, of which model, and why.
func TestRefusalsAreKept(t *testing.T) {
	stand.Run(t, serve.Config{Models: []serve.Model{stand.Fixed("m", 10), stand.Fixed("n", 10)}}, func(r *stand.Stand) {
		const unknown = "The model `x` does not exist or you do not have access to it. This server has `m`, `n`."
		for i, c := range []struct{ protocol, path, body, model, why string }{
			{"openai", "/v1/chat/completions", `{"model":"x","messages":[{"role":"user","content":"a"}]}`, "x", unknown},
			{"openai", "/v1/completions", `{"model":"x","prompt":"a"}`, "x", unknown},
			{"openai", "/v1/responses", `{"model":"x","input":"a"}`, "x", unknown},
			{"anthropic messages", "/v1/messages", `{"model":"m"}`, "m", "max_tokens: Field required"},
			{"llama.cpp", "/completion", `{}`, "unknown", `"prompt" is required`},
			{"llama.cpp", "/completion", `{"prompt":"a b c d e f g h i j k"}`, "unknown", "request (11 tokens) exceeds the available context size (10 tokens), try increasing it"},
			{"llama.cpp", "/infill", `{}`, "unknown", `"input_prefix" is required`},
			{"ollama", "/api/chat", `{}`, "unknown", "model is required"},
			{"ollama", "/api/generate", `{"model":"x"}`, "x", "model 'x' not found"},
			{"mistral", "/v1/fim/completions", `{"model":"m"}`, "m", "[body prompt]: Field required"},
			{"mistral", "/v1/fim/completions", `{"model":"x","prompt":"a"}`, "x", "Invalid model: x"},
			{"tabby", "/v1/completions", `{"segments":null}`, "m", "empty prompt from completion request: it has neither segments nor a raw_prompt"},
			{"gemini", "/v1beta/models/m:generateContent", `{}`, "m", "* GenerateContentRequest.contents: contents is not specified\n"},
			{"gemini", "/v1beta/models/m:doIt", `{}`, "m", "models/m is not found for API version v1beta, or is not supported for doIt. Call ListModels to see the list of available models and their supported methods."},
		} {
			r.Answer(c.path, c.body)
			entries, _ := r.Ledger.Latest(100)
			if len(entries) != i+1 {
				t.Fatalf("%s %s: %d entries, want %d", c.path, c.body, len(entries), i+1)
			}
			e := entries[i]
			if e.Protocol != c.protocol || e.Path != c.path || e.Model != c.model || e.Outcome != pipeline.Refused || e.Reason != c.why || e.First != pipeline.Unknown {
				t.Errorf("%s %s is kept as %+v\nwant %s of %s refused because %s", c.path, c.body, e, c.protocol, c.model, c.why)
			}
		}
	})
}

// TestRefusalListsAHandful: a client that names a model that is not there is told of some
// that are, and of how many others there are.
func TestRefusalListsAHandful(t *testing.T) {
	for n, want := range map[int]string{
		2: "This server has `m0`, `m1`.",
		5: "This server has `m0`, `m1`, `m2`, `m3`, `m4`.",
		6: "This server has `m0`, `m1`, `m2`, `m3`, `m4` and 1 other.",
		9: "This server has `m0`, `m1`, `m2`, `m3`, `m4` and 4 others.",
	} {
		var c serve.Config
		for i := range n {
			c.Models = append(c.Models, stand.Fixed(fmt.Sprint("m", i), 10))
		}
		stand.Run(t, c, func(r *stand.Stand) {
			if got := r.Answer("/v1/completions", `{"model":"x","prompt":"a"}`); !strings.Contains(got, want) {
				t.Errorf("%s\nwant %s", got, want)
			}
		})
	}
}
