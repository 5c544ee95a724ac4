package server

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"halfsecond/mockllm/engine"
)

// TestUnknownModel: the user of the server is told once of each model that is not there,
// whatever the vendor's words to the client.
func TestUnknownModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var told []string
		r := startConfig(t, Config{
			Models: []Model{oneSlot(engine.AtOnce)},
			Warn:   func(text string) { mu.Lock(); defer mu.Unlock(); told = append(told, text) },
		})
		defer r.stop()
		for _, c := range [][2]string{
			{"/v1/fim/completions", `{"model":"codestral-latest","prompt":"a"}`},
			{"/v1/fim/completions", `{"model":"codestral-latest","prompt":"a"}`},
			{"/v1/chat/completions", `{"model":"gpt","messages":[{"role":"user","content":"a"}]}`},
			{"/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"a"}]}`},
			{"/v1beta/models/gemini-pro:generateContent", `{"contents":[{"parts":[{"text":"a"}]}]}`},
			{"/v1/chat/completions", `{"messages":[{"role":"user","content":"a"}]}`},
		} {
			answer, err := r.post(t.Context(), c[0], c[1])
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
		}
		var want []string
		for _, name := range []string{"codestral-latest", "gpt", "gemini-pro"} {
			want = append(want, `a client asked for model "`+name+`", which is refused: this server has `+"`m`"+` (with --any-model it answers to every name)`)
		}
		mu.Lock()
		defer mu.Unlock()
		if !slices.Equal(told, want) {
			t.Errorf("told %q, want %q", told, want)
		}
	})
}
