package document

import (
	"strings"
	"testing"
)

func TestSuggestion(t *testing.T) {
	for _, c := range []struct {
		name, before, typed, text, want string // | is the cursor
	}{
		{"at the end", "x = |", "", "1\n", "x = 1\n|"},
		{"in the middle", "f|g", "", "oo", "foo|g"},
		{"brackets that stood there", "f(|)", "", "x)", "f(x)|)"},
		{"closes what the editor closed", "f|", "(|)", "x)", "f(x)|"},
		{"closes its own", "f|", "(|)", "g()", "f(g()|)"},
		{"closes both", "f|", "(|)", "g())\n", "f(g())\n|"},
		{"closes the inner one", "f(|)", "[|]", "1]", "f([1]|)"},
		{"closes another", "f|", "(|)", "]", "f(]|)"},
		{"closes another first", "f[|", "(|)", "])", "f[(])|"},
		{"closes more", "f|", "(|)", "))", "f())|"},
		{"a block", "f |;", "{\n\t|\n}", "x\n}\n", "f {\n\tx\n}\n|;"},
	} {
		var d Document
		before, after, _ := strings.Cut(c.before, "|")
		d.Open(before+after, len(before))
		typed, added, _ := strings.Cut(c.typed, "|")
		d.Apply(Edit{Offset: len(before), Insert: typed + added, Cursor: len(before + typed)})
		d.Apply(d.Suggestion(c.text))
		text := d.Text()
		if got := text[:d.Cursor()] + "|" + text[d.Cursor():]; got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
