package answer

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"halfsecond/pipeline/dist"
)

// Every way of going wrong that a text allows comes up, and no other.
func TestBreak(t *testing.T) {
	for _, c := range []struct {
		text, language string
		want           []string
	}{
		{"x", "go", []string{"x)"}},
		{")", "go", []string{"))"}},
		{"", "go", []string{"("}},
		{"x := y", "go", []string{"x := y)", "x := (y", `x := "y`}},
		{"f(a)", "go", []string{"f(a", "f(a))", "f((a)", `f("a)`}},
		{"f(value)", "go", []string{"f(value", "f(value))", "f((value)", `f("value)`, "f(val"}},
		{`p("a)", 'b')`, "go", []string{`p("a), 'b')`, `p("a)", 'b)`, `p("a)", 'b'`, `p("a)", 'b'))`}},
		{`is open")`, "go", []string{`is open)`, `is open"`, `is open"))`}},
		{"x() // don't (y)", "go", []string{"x( // don't (y)", "x()) // don't (y)"}},
		{"x() # don't (y)", "python", []string{"x( # don't (y)", "x()) # don't (y)"}},
		{"\n\treturn", "go", []string{"\n\treturn)"}},
		{"\n", "go", []string{"\n("}},
		{"if a:\n    b\n    c", "python", []string{
			"if a:\n    b\n    c)", "if (a:\n    b\n    c", `if "a:` + "\n    b\n    c", "if a:\n    (b\n    c", "if a:\n    \"b\n    c",
			"if a:\n    b\n    (c", "if a:\n    b\n    \"c", "if a:\nb\n    c", "if a:\n    b\n     c",
		}},
		{"f(a,\n    b)", "python", []string{"f(a,\n    b", "f(a,\n    b))", "f((a,\n    b)", "f(\"a,\n    b)", "f(a,\n    (b)", "f(a,\n    \"b)"}},
	} {
		got := map[string]bool{}
		for seed := range uint64(600) {
			dice := dist.Stream(seed, "break")
			got[Break(c.text, c.language, &dice)] = true
		}
		all, want := slices.Sorted(maps.Keys(got)), slices.Sorted(slices.Values(c.want))
		if !slices.Equal(all, want) {
			t.Errorf("%q becomes %q, want %q", c.text, all, want)
		}
	}
}

// Where nobody says what a text is, it is Python when it has a block of that.
func TestBreakOfNoLanguage(t *testing.T) {
	for text, want := range map[string]bool{
		"if a:\n    b": true, "a\n  for b in c:\n    d": true, "else:\n\tb": true,
		"case b:\n\tc()": false, "if a:\nb": false, "if a\n  b": false, "if a:": false, "iffy:\n  b": false,
	} {
		if looksLikePython(text) != want {
			t.Errorf("%q looks like Python: %t", text, !want)
		}
	}
}

// A broken text begins as the whole one does.
func TestBreakLater(t *testing.T) {
	for _, text := range strings.SplitAfter(document, "\n") {
		if strings.TrimSpace(text) == "" {
			continue
		}
		first := strings.IndexFunc(text, func(c rune) bool { return c > ' ' }) + 1
		for seed := range uint64(100) {
			dice := dist.Stream(seed, "break")
			got := Break(text, "go", &dice)
			if got == text || !strings.HasPrefix(got, text[:first]) {
				t.Errorf("%q becomes %q", text, got)
			}
		}
	}
}
