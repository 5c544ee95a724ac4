package answer

import (
	"strings"
	"testing"

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
	for _, c := range []struct{ name, prefix, suffix, want string }{
		{"rest of the line", "func add(a, b int) int {\n\tret", "", "urn a + b\n}"},
		{"to where the suffix goes on", "func add(a, b int) int {\n\tret", "\n}\n", "urn a + b\n"},
		{"the place is told by the lines before", "func sub(a, b int) int {\n\treturn a", "\n}\n", " - b\n"},
		{"other lines before that are not in it", "import x\nfunc sub(a", "", ", b int) int {\n\treturn a - b\n}"},
		{"a bracket in the line is not yet the one of the suffix", "func f() {\n\tx := ", "\n}\n", "map[string]int{}\n\treturn"},
		{"a bracket that the editor has closed", "func f() {\n\tx := map[string]int{", "}\n\treturn\n}\n", ""},
		{"a suffix that is another further down", "func f() {\n\tx := ", "\n\treturn\n}\n\nfunc h() {\n", "map[string]int{}"},
		{"a line that stands twice, after a blank one", "func g() {\n\treturn\n", "", "}"},
		{"a blank line before the cursor", "func f() {\n\tx := map[string]int{}\n\t", "", "return\n}"},
		{"nothing but blank lines", "\n\n\t", "", ""},
		{"nowhere", "func mul(a", "", ""},
		{"nothing before", "", "", ""},
	} {
		if got := d.Continuation(c.prefix, c.suffix); got != strings.TrimRight(c.want, "\n") {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
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
	if _, ok := (&Code{Accuracy: 1}).Answer(&Asked{Texts: []string{"hello"}}); ok {
		t.Error("it answers what is no code")
	}
	if got, _ := (&Code{Accuracy: 1, Documents: Documents{document}}).Answer(&Asked{Fill: true, Prefix: "func add(", Suffix: ") int {"}); got != "a, b int" {
		t.Errorf("filled in %q", got)
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
