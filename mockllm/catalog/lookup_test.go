package catalog

import (
	"errors"
	"slices"
	"testing"
)

func TestFind(t *testing.T) {
	for _, test := range []struct{ asked, want string }{
		{"Llama-3.1-8B", "Llama-3.1-8B"},
		{"llama 3.1 8b", "Llama-3.1-8B"},
		{"LLAMA31-8B", "Llama-3.1-8B"},
		{"qwen2.5-7b", "Qwen2.5-7B"},
	} {
		m, err := FindModel(test.asked)
		if err != nil || m.Name != test.want {
			t.Errorf("FindModel(%q) = %q, %v; want %q", test.asked, m.Name, err, test.want)
		}
	}
}

func TestFindComponentByNameOrSlug(t *testing.T) {
	for _, asked := range []string{"stt-deepgram-nova-3-general", "Deepgram nova-3-general", "STT Deepgram Nova 3 General"} {
		c, err := FindComponent(asked)
		if err != nil || c.Slug != "stt-deepgram-nova-3-general" {
			t.Errorf("FindComponent(%q) = %q, %v", asked, c.Slug, err)
		}
	}
}

func TestNotFoundNamesTheNearest(t *testing.T) {
	for _, test := range []struct {
		find func(string) error
		name string
		want NotFoundError
	}{
		{find: findHardware, name: "H100", want: NotFoundError{
			Kind: "hardware", Nearest: []string{"H100-SXM", "H100-NVL", "H100-PCIe"}}},
		{find: findHardware, name: "L40", want: NotFoundError{
			Kind: "hardware", Nearest: []string{"L40S", "P40", "A40"}}},
		{find: findHardware, name: "some board", want: NotFoundError{Kind: "hardware"}},
		{find: findModel, name: "Llama-3.1-8", want: NotFoundError{
			Kind: "model", Nearest: []string{"Llama-3.1-8B", "LLaMA-33B", "Llama-3.2-1B"}}},
		{find: findModel, name: "Mistal-7B", want: NotFoundError{
			Kind: "model", Nearest: []string{"Mistral-7B", "Mixtral-8x7B"}}},
		{find: findComponent, name: "rime-coda", want: NotFoundError{
			Kind: "component", Nearest: []string{
				"tts-rime-coda-self-hosted-concurrency-1", "tts-rime-coda-self-hosted-concurrency-12",
				"tts-rime-cloud-api"}}},
		{find: findComponent, name: "depgram", want: NotFoundError{
			Kind: "component", Nearest: []string{"stt-deepgram-nova-3-general", "tts-deepgram-aura-2", "tts-deepgram-aura-2-rest",
				"endpointing-deepgram-nova-endpointing-default", "endpointing-deepgram-utterance-end-ms",
				"endpointing-deepgram-flux-end-of-turn-detection"}}},
		{find: findComponent, name: "GPT-4o", want: NotFoundError{
			Kind: "component", Ambiguous: true, Nearest: []string{"llm-gpt-4o-aiewf-eval", "llm-gpt-4o-deploybase"}}},
		{find: findComponent, name: "AssemblyAI u3-rt-pro", want: NotFoundError{
			Kind: "component", Ambiguous: true, Nearest: []string{"stt-assemblyai-u3-rt-pro", "endpointing-assemblyai-u3-rt-pro"}}},
	} {
		var got *NotFoundError
		if err := test.find(test.name); !errors.As(err, &got) {
			t.Errorf("find %q: %v, want a NotFoundError", test.name, err)
			continue
		}
		if got.Kind != test.want.Kind || got.Name != test.name || got.Ambiguous != test.want.Ambiguous || !slices.Equal(got.Nearest, test.want.Nearest) {
			t.Errorf("find %q: %+v, want %+v", test.name, *got, test.want)
		}
	}
}

// Where no name is near, the error says where to look.
func TestNothingNear(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{findModel(""), `unknown model "": 'halfsecond catalog models' lists them`},
		{findHardware("some board"), `unknown hardware "some board": 'halfsecond catalog hardware' lists them`},
		{findEngine("zzz"), `unknown engine "zzz": 'halfsecond catalog engines' lists them`},
		{findComponent("zzz"), `unknown component "zzz": 'halfsecond catalog components' lists them`},
	} {
		if test.err == nil || test.err.Error() != test.want {
			t.Errorf("error %v, want %s", test.err, test.want)
		}
	}
}

func findHardware(name string) error  { _, err := FindHardware(name); return err }
func findEngine(name string) error    { _, err := FindEngine(name); return err }
func findModel(name string) error     { _, err := FindModel(name); return err }
func findComponent(name string) error { _, err := FindComponent(name); return err }
