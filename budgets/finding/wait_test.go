package finding

import (
	"strings"
	"testing"
)

// TestNoPaceOfOneChunk: of reasoning that was not sent no pace is stated where the answer behind
// it came at one instant.
func TestNoPaceOfOneChunk(t *testing.T) {
	text := delta("Paris is the capital of France, and more words.")
	for name, c := range map[string]struct {
		body []any
		want bool
	}{
		"one chunk":  {join(role, 10*begin, text, stop, usage(200, 0, 52, 32), done), false},
		"two chunks": {join(role, 10*begin, text, begin, text, stop, usage(200, 0, 52, 32), done), true},
	} {
		_, found := examine(t, &script{body: always(c.body...)}, nil)
		said := render(found)
		if !strings.Contains(said, "32 of its 52 tokens are reasoning, none was sent") || strings.Contains(said, "tpot is") != c.want {
			t.Errorf("%s: %s\nwant a pace: %t", name, said, c.want)
		}
	}
}
