package server

import (
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"halfsecond/mockllm/answer"
	"halfsecond/mockllm/engine"
)

// TestUnsaid: an answer that is no code is told of once for each reason, and in the ledger
// each time.
func TestUnsaid(t *testing.T) {
	const document = "func add(a, b int) int {\n\treturn a + b\n}\n"
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var told []string
		r := startConfig(t, Config{
			Models: []Model{oneSlot(engine.AtOnce)}, Answers: &answer.Code{Accuracy: 1, Documents: answer.Documents{document}},
			Warn: func(text string) { mu.Lock(); defer mu.Unlock(); told = append(told, text) },
		})
		defer r.stop()
		for _, c := range []struct{ path, body, want, unsaid string }{
			{"/v1/completions", `{"model":"m","prompt":"func add(","suffix":") int {"}`, `"text":"a, b int"`, ""},
			{"/v1/completions", `{"model":"m","prompt":"func add(a, b int) int {\n\tret"}`, `"text":"urn a + b\n}"`, ""},
			{"/infill", `{"input_prefix":"func add(a, b int) int {\n\treturn a + b\n}\n","input_suffix":"","model":"m"}`, `"content":"\n"`, ""},
			{"/v1/completions", `{"language":"go","segments":{"prefix":"func add(","suffix":") int {\n` + strings.Repeat(`// more\n`, 500) + `"}}`, `"text":"a, b int"`, ""}, // Tabby clips its prompt
			{"/v1/completions", `{"model":"m","prompt":"func mul(","suffix":") int {"}`, `"text":`, "no document has the text before the cursor"},
			{"/v1/completions", `{"model":"m","prompt":"func div(","suffix":") int {"}`, `"text":`, "no document has the text before the cursor"},
			{"/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"hi"}]}`, `"content":`, "the request is a conversation and has no place to fill in"},
		} {
			answer, err := r.post(t.Context(), c.path, c.body)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(answer.Body)
			answer.Body.Close()
			if err != nil || !strings.Contains(string(text), strings.ReplaceAll(c.want, "\n", `\n`)) {
				t.Errorf("%s: %s, %v; want %s in it", c.body, text, err, c.want)
			}
			if e, _ := r.server.Ledger.Latest(1); len(e) != 1 || e[0].Unsaid != c.unsaid {
				t.Errorf("%s: the ledger has %+v, want %q", c.body, e, c.unsaid)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		if len(told) != 2 || !strings.HasPrefix(told[0], "an answer is the mock's own words: no document has the text before the cursor (said once") {
			t.Errorf("told %q", told)
		}
	})
}
