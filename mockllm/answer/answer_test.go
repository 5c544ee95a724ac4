package answer

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"halfsecond/mockllm/token"
)

func TestEcho(t *testing.T) {
	if got, ok := (Echo{}).Answer(&Asked{Texts: []string{"be brief", "hello", " "}}); got != "hello" || !ok {
		t.Errorf("echo %q, %t", got, ok)
	}
	if got, ok := (Echo{}).Answer(&Asked{}); ok {
		t.Errorf("echo of nothing is %q", got)
	}
}

func TestFixture(t *testing.T) {
	f, err := ReadFixture("f", []byte("{\"contains\":\"weather\",\"model\":\"a\",\"answer\":\"Rain.\"}\n\n{\"contains\":\"weather\",\"answer\":\"Sun.\"}\n{\"answer\":\"What?\"}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ model, text, want string }{
		{"a", "the weather", "Rain."}, {"b", "the weather", "Sun."}, {"a", "hello", "What?"},
	} {
		if got, _ := f.Answer(&Asked{Model: c.model, Texts: []string{"system", c.text}}); got != c.want {
			t.Errorf("%s asked %q: %q, want %q", c.model, c.text, got, c.want)
		}
	}
	f, err = ReadFixture("f", []byte("Always\nthis.\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := f.Answer(&Asked{}); got != "Always\nthis." {
		t.Errorf("a text answers %q", got)
	}
	for data, want := range map[string]string{
		" \n":                            "f: no text in it",
		"{\"answer\":\"x\"}\n{\"answr\"": `f:2: unexpected EOF: want {"contains": "...", "model": "...", "answer": "..."} on one line`,
		`{"answr":"x"}`:                  `f:1: unknown field "answr": want {"contains": "...", "model": "...", "answer": "..."} on one line`,
		`{"contains":"x"}`:               "f:1: answer: missing or empty",
		`{"answer":"x"} {"answer":"y"}`:  "f:1: more than one object on the line",
	} {
		if _, err := ReadFixture("f", []byte(data)); err == nil || err.Error() != want {
			t.Errorf("%q: error %v, want %s", data, err, want)
		}
	}
}

const document = `func add(a, b int) int {
	return a + b
}

func sub(a, b int) int {
	return a - b
}
`

func TestContinuation(t *testing.T) {
	const braces = "func f() {\n\tx := map[string]int{}\n\treturn\n}\n\nfunc g() {\n\treturn\n}\n"
	d := Documents{"package other\n", document, braces}
	for _, c := range []struct {
		name, prefix, suffix, want string
		nowhere                    bool
	}{
		{"rest of the line", "func add(a, b int) int {\n\tret", "", "urn a + b\n}", false},
		{"to where the suffix goes on", "func add(a, b int) int {\n\tret", "\n}\n", "urn a + b\n", false},
		{"the place is told by the lines before", "func sub(a, b int) int {\n\treturn a", "\n}\n", " - b\n", false},
		{"other lines before that are not in it", "import x\nfunc sub(a", "", ", b int) int {\n\treturn a - b\n}", false},
		{"a bracket in the line is not yet the one of the suffix", "func f() {\n\tx := ", "\n}\n", "map[string]int{}\n\treturn", false},
		{"a bracket that the editor has closed", "func f() {\n\tx := map[string]int{", "}\n\treturn\n}\n", "", false},
		{"a suffix that is another further down", "func f() {\n\tx := ", "\n\treturn\n}\n\nfunc h() {\n", "map[string]int{}", false},
		{"a line that stands twice, after a blank one", "func g() {\n\treturn\n", "", "}", false},
		{"a blank line before the cursor", "func f() {\n\tx := map[string]int{}\n\t", "", "return\n}", false},
		{"nothing but blank lines", "\n\n\t", "", "", true},
		{"the end of a document", braces, "", "", false},
		{"nowhere", "func mul(a", "", "", true},
		{"nothing before", "", "", "", true},
	} {
		got, found := d.Continuation(c.prefix, c.suffix)
		if got != strings.TrimRight(c.want, "\n") || found != !c.nowhere {
			t.Errorf("%s: %q, %t, want %q, %t", c.name, got, found, c.want, !c.nowhere)
		}
	}
}

// TestCode: as many answers are right and as many are broken as is set, each whatever the
// other.
func TestCode(t *testing.T) {
	truth := ""
	shares := func(c Code) (right, balanced float64) {
		const n = 4000
		for seed := range uint64(n) {
			got, ok := c.Answer(&Asked{Given: truth, Seed: seed})
			if again, _ := c.Answer(&Asked{Given: truth, Seed: seed}); !ok || again != got {
				t.Fatalf("seed %d says %q, then %q", seed, got, again)
			}
			if got == truth {
				right++
			} else if c.Broken == 0 && token.Count(got) < token.Count(truth) {
				t.Fatalf("seed %d: %q is shorter than the truth", seed, got)
			}
			if balance(got) == balance(truth) {
				balanced++
			}
		}
		return right / n, balanced / n
	}
	for _, truth = range []string{"return f(a, b[0])", `say("hi", 'x', []int{1}, f(g("[")))`, "x}, b)\n\tif (a) {", "x + y"} {
		for _, c := range []struct{ accuracy, broken float64 }{{1, 0}, {.7, 0}, {.7, .2}, {0, .2}, {1, .25}, {0, 0}} {
			right, balanced := shares(Code{Accuracy: c.accuracy, Broken: c.broken})
			if want := c.accuracy * (1 - c.broken); right < want-.03 || right > want+.03 {
				t.Errorf("%q with %v: %.3f are right, want %.3f", truth, c, right, want)
			}
			if c.accuracy == 1 && c.broken == 0 && right != 1 {
				t.Errorf("%q: %.3f are right, want all", truth, right)
			}
			if want := 1 - c.broken; balanced < want-.03 || balanced > want+.03 || c.broken == 0 && balanced != 1 {
				t.Errorf("%q with %v: %.3f are balanced, want %.3f", truth, c, balanced, want)
			}
		}
	}
	if got, _ := (&Code{Accuracy: 1, Documents: Documents{document}}).Answer(&Asked{Fill: true, Prefix: "func add(", Suffix: ") int {"}); got != "a, b int" {
		t.Errorf("filled in %q", got)
	}
}

// TestUnsaid: a source that has nothing to say says why.
func TestUnsaid(t *testing.T) {
	fixture, err := ReadFixture("f", []byte(`{"contains":"weather","answer":"Sun."}`))
	if err != nil {
		t.Fatal(err)
	}
	code := &Code{Accuracy: 1, Documents: Documents{document}}
	for _, c := range []struct {
		source     Source
		asked      Asked
		said, want string
	}{
		{code, Asked{Fill: true, Prefix: "func mul("}, "", "no document has the text before the cursor"},
		{code, Asked{Fill: true, Prefix: " \n", Suffix: document}, "", "no text stands before the cursor by which its place could be found"},
		{code, Asked{Texts: []string{document}}, "", "the request is a conversation and has no place to fill in"},
		{&Code{Accuracy: 1}, Asked{Fill: true, Prefix: "func add("}, "", "there are no documents, and the request dictates no answer"},
		{code, Asked{Fill: true, Prefix: document}, "\n", ""},
		{code, Asked{Fill: true, Prefix: "func add(a, b int", Suffix: ") int {\n\treturn a + b"}, "\n", ""},
		{code, Asked{Completion: true, Texts: []string{"func add(a, b int) int {\n\tret", ""}}, "urn a + b\n}", ""},
		{fixture, Asked{Texts: []string{"hello"}}, "", "no answer of the file suits the prompt"},
		{Echo{}, Asked{Texts: []string{" "}}, "", "the prompt has no text to echo"},
	} {
		text, ok := c.source.Answer(&c.asked)
		if text != c.said || ok != (c.said != "") || c.asked.Unsaid != c.want {
			t.Errorf("%+v says %q, %t, and why not: %q; want %q, %q", c.asked, text, ok, c.asked.Unsaid, c.said, c.want)
		}
	}
}

// balance returns how many brackets of each kind a text leaves open, and whether quotes.
func balance(text string) (open [6]int) {
	for i, pair := range []string{"()", "[]", "{}"} {
		open[i] = strings.Count(text, pair[:1]) - strings.Count(text, pair[1:])
	}
	for i, quote := range []string{"\"", "'", "`"} {
		open[3+i] = strings.Count(text, quote) % 2
	}
	return open
}

// TestReadDocuments: hidden files, and those that are no text, are none of the documents.
func TestReadDocuments(t *testing.T) {
	folder := fstest.MapFS{
		"a.go": {Data: []byte("package a\n")}, "b/c.go": {Data: []byte("package c\n")}, ".git/x": {Data: []byte("x")}, "b/.y": {Data: []byte("y")},
		"image": {Data: []byte{0xff, 0xd8}}, "zero": {Data: []byte{'a', 0}}, "large": {Data: make([]byte, mostDocument+1)},
	}
	got, err := ReadDocuments(folder)
	if want := (Documents{"package a\n", "package c\n"}); err != nil || !slices.Equal(got, want) {
		t.Errorf("read %q, %v; want %q", got, err, want)
	}
	if _, err := ReadDocuments(fstest.MapFS{}); err == nil || err.Error() != "no texts in it" {
		t.Errorf("an empty folder: %v", err)
	}
}
