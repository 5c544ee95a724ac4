package text_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/mockllm/observe"
	"halfsecond/mockllm/server/text/serve"
	"halfsecond/mockllm/server/text/stand"
	"halfsecond/pipeline/document"
)

// asks are the ways to ask for a completion of a document: the text before the cursor is to
// be put in for %s, in JSON.
var asks = []struct{ name, path, body string }{
	{"OpenAI, with a suffix", "/v1/completions", `{"model":"m","prompt":"%s","suffix":")\n","max_tokens":3}`},
	{"OpenAI, with tokens", "/v1/completions", `{"model":"m","prompt":"<|fim_prefix|>%s<|fim_suffix|>)\n<|fim_middle|>","max_tokens":3}`},
	{"OpenAI, suffix first", "/v1/completions", `{"model":"m","prompt":"[SUFFIX])\n[PREFIX]%s","max_tokens":3}`},
	{"OpenAI, no suffix", "/v1/completions", `{"model":"m","prompt":"%s","max_tokens":3}`},
	{"OpenAI chat, a hole filler", "/v1/chat/completions", `{"model":"m","messages":[{"role":"system","content":"fill"},{"role":"user","content":"<QUERY>\n%s{{FILL_HERE}})\n</QUERY>"}],"max_tokens":3}`},
	{"Anthropic, minuet", "/v1/messages", `{"model":"m","messages":[{"role":"user","content":"<contextAfterCursor>\n)\n\n<contextBeforeCursor>\n%s<cursorPosition>"}],"max_tokens":3}`},
	{"Gemini, minuet", "/v1beta/models/m:generateContent", `{"contents":[{"parts":[{"text":"<contextBeforeCursor>\n%s<cursorPosition>\n<contextAfterCursor>\n)\n"}]}],"generationConfig":{"maxOutputTokens":3}}`},
	{"Ollama, with a suffix", "/api/generate", `{"model":"m","prompt":"%s","suffix":")\n","stream":false,"options":{"num_predict":3}}`},
	{"Ollama, raw", "/api/generate", `{"model":"m","prompt":"<PRE> %s <SUF>)\n <MID>","raw":true,"stream":false,"options":{"num_predict":3}}`},
	{"llama.cpp", "/completion", `{"prompt":"<|fim_prefix|>%s<|fim_suffix|>)\n<|fim_middle|>","n_predict":3}`},
	{"llama.cpp, infill", "/infill", `{"input_prefix":"import x\n","prompt":"%s","input_suffix":")\n","input_extra":[{"filename":"b.go","text":"package b"}],"n_predict":3}`},
	{"Codestral", "/v1/fim/completions", `{"model":"m","prompt":"%s","suffix":")\n","max_tokens":3}`},
	{"Tabby", "/v1/completions", `{"language":"python","segments":{"prefix":"%s","suffix":")\n"}}`},
}

// TestObserved: an observer hears of completions in every protocol, and of what was typed
// between two of them.
func TestObserved(t *testing.T) {
	for _, c := range asks {
		o := observe.New(observe.Config{})
		stand.Run(t, serve.Config{Observer: o}, func(s *stand.Stand) {
			for _, before := range []string{"of the beginning con", "of the beginning cons"} {
				if status, text, _ := s.Whole("POST", c.path, fmt.Sprintf(c.body, before)); status != http.StatusOK {
					s.T.Fatalf("%s: %d %s", c.name, status, text)
				}
			}
			r := o.Report(true)
			if len(r.Documents) != 1 || r.Documents[0].Typed != 1 || r.Documents[0].Steps[1].Text != "s" || r.Connections != 1 || r.Others != 0 {
				s.T.Fatalf("%s: %+v; want one document, one key s, one connection", c.name, r)
			}
			first := r.Documents[0].Steps[0]
			if first.PromptTokens == 0 || first.Answer == "" || first.OnArrival != document.Exact || *first.FirstToken != 100 || first.Cached != nil {
				s.T.Errorf("%s: %+v; want an answer whose first token came after 100 ms, and no cache", c.name, first)
			}
		})
	}
}

// TestObservedOthers: what completes no document is counted and not looked at.
func TestObservedOthers(t *testing.T) {
	o := observe.New(observe.Config{})
	stand.Run(t, serve.Config{Observer: o}, func(s *stand.Stand) {
		s.Whole("POST", "/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"Hello"}],"max_tokens":3}`)
		s.Whole("POST", "/infill", `{"input_prefix":"","input_suffix":"","input_extra":[{"text":"package b"}],"n_predict":0}`)
		s.Whole("POST", "/v1/completions", `{"model":"n","prompt":"a"}`)
		if got, want := o.Counts(), (observe.Counts{Others: 2, Refused: 1}); got != want {
			s.T.Errorf("%+v, want %+v", got, want)
		}
	})
}

// TestObservedGivenUp: an observer hears when a client has left, and what it had read by then.
func TestObservedGivenUp(t *testing.T) {
	o := observe.New(observe.Config{})
	stand.Run(t, serve.Config{Observer: o}, func(s *stand.Stand) {
		ctx, leave := context.WithTimeout(s.T.Context(), 125*time.Millisecond)
		defer leave()
		q, err := http.NewRequestWithContext(ctx, "POST", "http://mock/v1/completions", strings.NewReader(`{"model":"m","prompt":"a","max_tokens":50,"stream":true,"mock_answer":"one two three four five six"}`))
		if err != nil {
			s.T.Fatal(err)
		}
		answer, err := s.Client.Do(q)
		if err != nil {
			s.T.Fatal(err)
		}
		defer answer.Body.Close()
		if _, err := io.ReadAll(answer.Body); err == nil {
			s.T.Error("the answer has an end")
		}
		synctest.Wait()
		r := o.Report(true)
		step := r.Documents[0].Steps[0]
		if r.GivenUp != 1 || *step.Left != 125 || step.Answer != "one two three" {
			s.T.Errorf("%d given up, at %v ms after %q; want 1, at 125 ms after 3 words", r.GivenUp, *step.Left, step.Answer)
		}
	})
}
