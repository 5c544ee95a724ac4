package scenario

import (
	"strings"
	"testing"

	"halfsecond/mockllm/fit"
)

// What is said of an engine's model is what its own measurements, or its profile's, say.
func TestErrors(t *testing.T) {
	measured := strings.NewReplacer("mean_error: 0.03\n", "mean_error: 0.03\ndecode_measurements: 20\ndecode_error: 0.025\n").Replace(calibratedL40S)
	open := holding(map[string]string{"ours.profile": measured})
	for llm, want := range map[string]string{
		"{model: Llama-3.1-8B, hardware: H100-SXM}":                          "prefill unknown, over all 16.6 %; decode 6.8 %",
		"{model: Llama-3.1-8B, hardware: RTX-4090}":                          "prefill unknown, over all 16.6 %; decode unknown, over all 12.1 %",
		"{model: Llama-3.1-8B, hardware: H200-SXM}":                          "prefill unknown, over all 16.6 %; decode 10.7 %", // no measurement is of an H200
		"{model: Llama-3.1-8B, hardware: L40S, profile: ours.profile}":       "prefill unknown, over all 16.6 %; decode 2.5 %",
		"{model: Qwen3-4B, hardware: L40S, profile: ours.profile}":           "prefill unknown, over all 16.6 %; decode unknown, over all 12.1 %",
		"{model: Llama-2-70B, hardware: H100-SXM, engine: vllm-v0, gpus: 4}": "prefill 15.6 %; decode 5.5 %",
	} {
		s, err := Parse("f", []byte(served(llm)), open)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Bench.LLM.Engine.Errors(fit.Asked{Prompt: 512, Sequences: 4, Context: 600}); got != want {
			t.Errorf("%s: %q, want %q", llm, got, want)
		}
	}
	if got := (&Engine{Model: "Llama-3.1-8B", Hardware: "nothing"}).Errors(fit.Asked{}); got != "" {
		t.Errorf("an engine that cannot run: %q", got)
	}
}
