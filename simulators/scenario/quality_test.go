package scenario

import (
	"strings"
	"testing"
	"time"
)

// What a check needs is in the canonical text: the language that the text's name tells, and the
// repair cost where it is stated, a cost of nothing too.
func TestQuality(t *testing.T) {
	const seven = 7 * time.Second
	for _, c := range []struct {
		text, keys string
		language   string
		repair     time.Duration // -1 where it is not stated
		want       string        // in the canonical text, or in the error
	}{
		{"go-handler", "{}", "go", -1, "  quality:\n    language: go\n"},
		{"go-handler", "{repair: 7s}", "go", seven, "  quality:\n    language: go\n    repair: 7s\n"},
		{"go-handler", "{repair: 0s}", "go", 0, "    repair: 0s\n"},
		{"python-report", "{}", "python", -1, "    language: python\n"},
		{"go-handler", "{language: .py}", "python", -1, "    language: python\n"},
		{"notes", "{language: json}", "json", -1, "    language: json\n"},
		{"notes", "{repair: 1s}", "", -1, "ide.quality: language is missing: nothing tells the language of what is typed; want one, such as {language: go}"},
		{"go-handler", "{repair: 2h}", "", -1, "ide.quality.repair: 2h is not possible: it must be from 0s to 1h0m0s"},
		{"go-handler", "{repairs: 2s}", "", -1, "ide.quality.repairs: unknown key; nearest: repair"},
	} {
		s, err := Parse("f", []byte("halfsecond: 1\nkind: ide\nname: n\nide:\n  typist: {profile: fast, text: "+c.text+"}\n  llm: {ttft: 1ms, tokens_per_second: 50}\n  quality: "+c.keys+"\n"),
			func(string) ([]byte, error) { return []byte("some words\nand more\n"), nil })
		if c.language == "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s of %s: error %v, want %q", c.keys, c.text, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s of %s: %v", c.keys, c.text, err)
			continue
		}
		repair := time.Duration(-1)
		if r := s.IDE.Quality.Repair; r != nil {
			repair = *r
		}
		if s.IDE.Quality.Language != c.language || repair != c.repair || !strings.Contains(s.Canonical(), c.want) {
			t.Errorf("%s of %s: %q, %s in\n%s", c.keys, c.text, s.IDE.Quality.Language, repair, s.Canonical())
		}
	}
}
