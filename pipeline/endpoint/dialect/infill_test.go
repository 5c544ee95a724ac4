package dialect

import (
	"strings"
	"testing"

	"halfsecond/pipeline"
)

// TestInfillTyped: what is typed of the line has a field of its own, and is not in the prefix.
func TestInfillTyped(t *testing.T) {
	for _, c := range []struct {
		prompt pipeline.Prompt
		want   string
	}{
		{pipeline.Prompt{Text: "a\n  b", Suffix: "()\n", Typed: "  b"}, `{"input_prefix":"a\n","input_suffix":"()\n","prompt":"  b",`},
		{pipeline.Prompt{Text: "a\n  b", Suffix: "()\n"}, `{"input_prefix":"a\n  b","input_suffix":"()\n",`},
	} {
		body, err := llamaInfill.Ask(Question{Prompt: c.prompt, MaxTokens: 8})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(body), c.want) {
			t.Errorf("%+v is asked as %s, want %s...", c.prompt, body, c.want)
		}
	}
	body, err := openAICompletions.Ask(Question{Prompt: pipeline.Prompt{Text: "a\n  b", Suffix: "()\n", Typed: "  b"}})
	if err != nil || !strings.Contains(string(body), `"prompt":"a\n  b"`) {
		t.Errorf("a server without the field is asked %s, %v, want all of the text", body, err)
	}
}
