package tabby

import (
	"encoding/json"
	"testing"
)

// TestRealRequest reads what a plugin sends, and what it may send besides.
func TestRealRequest(t *testing.T) {
	body := `{"language":"python","segments":{"prefix":"def f(","suffix":")","filepath":"a/b.py","git_url":null,"declarations":[{"filepath":"c.py","body":"x"}],
		"relevant_snippets_from_changed_files":[{"filepath":"d.py","body":"y","score":0.5}],"clipboard":"z"},"temperature":0.1,"seed":1,"mode":"standard","later":true,
		"debug_options":{"return_prompt":true}}`
	var q CompletionRequest
	if err := json.Unmarshal([]byte(body), &q); err != nil {
		t.Fatal(err)
	}
	s := q.Segments
	if s.Prefix != "def f(" || *s.Suffix != ")" || s.GitURL != nil || s.Declarations[0].Filepath != "c.py" || s.Changed[0].Score != .5 || !q.DebugOptions.ReturnPrompt {
		t.Errorf("read %+v", q)
	}
}

func TestResponse(t *testing.T) {
	prompt, none := "p", []Snippet{}
	for want, r := range map[string]CompletionResponse{
		`{"id":"cmpl-1","choices":[{"index":0,"text":"x"}],"mode":"standard"}`:         {ID: "cmpl-1", Choices: []Choice{{Text: "x"}}, Mode: ModeStandard},
		`{"id":"","choices":null,"mode":"","debug_data":{"snippets":[],"prompt":"p"}}`: {DebugData: &DebugData{Snippets: &none, Prompt: &prompt}},
	} {
		if text, err := json.Marshal(r); err != nil || string(text) != want {
			t.Errorf("%s, error %v; want %s", text, err, want)
		}
	}
}

func FuzzRequest(f *testing.F) {
	f.Add([]byte(`{"segments":{"prefix":"a","edit_history":{}},"debug_options":{"raw_prompt":"x"}}`))
	f.Add([]byte(`{"segments":[]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var q CompletionRequest
		_ = json.Unmarshal(body, &q) // it must not panic
		var e Event
		_ = json.Unmarshal(body, &e)
	})
}
