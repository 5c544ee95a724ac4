package syntax

import (
	"fmt"
	"strings"
	"testing"

	"halfsecond/simulators/ide/typing"
)

// says is a checker of a user's: it says yes to texts whose parentheses close and no more.
type says struct{}

func (says) Check(text string) Result {
	open := 0
	for _, c := range text {
		switch c {
		case '(':
			open++
		case ')':
			open--
		case '?':
			return Result{Message: "took too long"}
		}
	}
	return Result{Known: true, OK: open == 0, At: -1, Message: "parentheses"}
}

func TestJudge(t *testing.T) {
	const head, tail = "package a\n\nfunc f(a, b int) int {\n\t", "\n}\n\nfunc g() {}\n"
	for _, c := range []struct {
		name, before, after, text string
		will                      string
		closed                    int
		cut                       bool
		want                      Verdict
	}{
		{name: "a statement", before: head, after: tail, text: "return a", want: Parses},
		{name: "nothing", before: head, after: tail, text: "\n\t", want: Unknown},

		// The document parses without it.
		{name: "a bracket that nothing opens", before: head, after: tail, text: "return a)", want: Breaks},
		{name: "a bracket that nothing closes", before: head, after: tail, text: "return f(a, b", want: Breaks},
		{name: "the same, cut", before: head, after: tail, text: "return f(a, b", cut: true, want: Unfinished},
		{name: "wrong before it was cut", before: head, after: tail, text: "return a) + f(", cut: true, want: Breaks},
		{name: "a string that does not end", before: head, after: tail, text: `print("a)`, want: Breaks},
		{name: "a block that nothing closes", before: head, after: tail, text: "if a > b {", want: Breaks},

		// It does not, since it is being typed.
		{name: "a call goes on", before: head + "return f(", after: tail, text: "a, b)", want: Parses},
		{name: "a call does not end", before: head + "return f(", after: tail, text: "a, b", want: Breaks},
		{name: "nor does it when it is cut", before: head + "return f(", after: tail, text: "a, b", cut: true, want: Unfinished},
		{name: "two operands", before: head + "return a", after: tail, text: " b", want: Breaks},
		{name: "an operator too many", before: head + "return a + ", after: tail, text: "* ) b", want: Breaks},
		{name: "wrong before the cursor", before: "package a\n\nfunc f( {\n\treturn ", after: tail, text: "a", want: Unknown},
		{name: "and wrong in it too", before: "package a\n\nfunc f( {\n\treturn ", after: tail, text: "a)", want: Unknown},
		{name: "wrong far behind, no longer here", before: head + "return f(", after: "\n}\n\nfunc g( {}\n", text: "a, b)", want: Parses},
		{name: "wrong far behind and here", before: head, after: "\n}\n\nfunc g( {}\n", text: "return f(", want: Breaks},
		{name: "wrong far behind as before", before: head, after: "\n}\n\nfunc g( {}\n", text: "return a", want: Unknown},
		{name: "wrong far behind, and cut", before: head, after: "\n}\n\nfunc g( {}\n", text: "return f(", cut: true, want: Unfinished},
		{name: "the document ends there", before: head, after: "\n", text: "if a > b {\n", want: Unfinished},
		{name: "it ends there after a mistake", before: head, after: "\n", text: "if a > b) {\n", want: Breaks},
		{name: "the editor closed the bracket", before: head + "return f(", after: ")" + tail, closed: 1, text: "a, b)", want: Parses},
		{name: "and the answer leaves it", before: head + "return f(", after: ")" + tail, closed: 1, text: "a, b", want: Parses},
		{name: "it is not the editor's", before: head + "return f(", after: ")" + tail, text: "a, b)", want: Breaks},

		// It is known what will be typed.
		{name: "the truth", before: head, after: tail, will: "if a > b {\n\t\treturn a\n\t}\n\treturn b", text: "if a > b {", want: Parses},
		{name: "another condition", before: head, after: tail, will: "if a > b {\n\t\treturn a\n\t}\n\treturn b", text: "if b < a {", want: Parses},
		{name: "two lines, for as many", before: head, after: tail, will: "if a > b {\n\t\treturn a\n\t}\n\treturn b", text: "if b < a {\n\t\treturn 1 + a", want: Parses},
		{name: "the whole block", before: head, after: tail, will: "if a > b {\n\t\treturn a\n\t}\n\treturn b", text: "if b < a {\n\t\treturn a\n\t}", want: Parses},
		{name: "a line is no block that closes later", before: head + "if a {", after: "\n\t}" + tail, will: "\n\t\tg()\n\t}\n\tif b {", text: "\n\t\tg()}", want: Breaks},
		{name: "the whole block and one line more", before: head, after: tail, will: "if a > b {\n\t\treturn a\n\t}", text: "if b < a {\n\t\treturn a\n\t}\n\treturn b", want: Parses},
		{name: "a condition without its block", before: head, after: tail, will: "if a > b {\n\t\treturn a\n\t}\n\treturn b", text: "if b < a", want: Breaks},
		{name: "a cut one", before: head, after: tail, will: "if a > b {\n\t\treturn a\n\t}\n\treturn b", text: "if b < a", cut: true, want: Unfinished},
		{name: "a cut truth", before: head, after: tail, will: "if a > b {\n\t\treturn a\n\t}\n\treturn b", text: "if a >", cut: true, want: Parses},
		{name: "the truth without its end", before: head, after: tail, will: "return f(a, b)", text: "return f(a, b", want: Breaks},
		{name: "a cut wrong one", before: head, after: tail, will: "return f(a, b)", text: "return f(a], b", cut: true, want: Breaks},
		{name: "the line's end, and the next", before: head + "if a > b {", after: "}" + tail, closed: 1, will: "\n\t\treturn a\n\t}\n\treturn b", text: "\n\t\treturn f(a, b)", want: Parses},
		{name: "what will be typed is wrong too", before: head, after: tail, will: "return f(a, b", text: "return a)", want: Breaks},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Judge(Go{}, Place{c.before, c.after, c.closed, c.will}, c.text, c.cut)
			if got.Verdict != c.want || (got.Reason == "") != (got.Verdict == Parses) {
				t.Errorf("%q: %+v, want %s", c.text, got, c.want)
			}
		})
	}
}

func TestJudgeJSON(t *testing.T) {
	for _, c := range []struct {
		before, text, after string
		want                Verdict
	}{
		{`{"a": `, `[1, 2]`, `}`, Parses},
		{`{"a": `, `[1, 2}`, `}`, Breaks},
		{`{"a": `, `[1, 2`, ``, Unfinished},
		{`{"a": `, `[1, 2`, "\n", Unfinished},
		{`{"a": `, `[1, 2`, `}`, Breaks},
		{`{"a" "b", "c": `, `1`, `}`, Unknown},
	} {
		if got := Judge(JSON{}, Place{Before: c.before, After: c.after}, c.text, false); got.Verdict != c.want {
			t.Errorf("%s[%s]%s: %+v, want %s", c.before, c.text, c.after, got, c.want)
		}
	}
}

// A checker that says only yes and no can still tell what was whole before.
func TestJudgeWithoutPositions(t *testing.T) {
	for _, c := range []struct {
		before, text, after, will string
		cut                       bool
		want                      Verdict
	}{
		{"a", "(b)", "c", "", false, Parses},
		{"a", "(b", "c", "", false, Breaks},
		{"a", "(b", "c", "", true, Unknown},
		{"a(", "b", "c", "", false, Unknown},
		{"a(", "b", "c", "d)", false, Breaks},
		{"a(", "b", "c", "d\n)", false, Parses},
		{"a", "b?", "c", "", false, Unknown},
	} {
		got := Judge(says{}, Place{Before: c.before, After: c.after, Will: c.will}, c.text, c.cut)
		if got.Verdict != c.want {
			t.Errorf("%s[%s]%s: %+v, want %s", c.before, c.text, c.after, got, c.want)
		}
	}
}

// What is really typed next, a line of it or the beginning of a line, never breaks a
// document, and hardly ever leaves it unknown.
func TestTruthParses(t *testing.T) {
	text, err := typing.Text("go-handler")
	if err != nil {
		t.Fatal(err)
	}
	end := len(text) - 400
	for at := 0; at < end; at += 29 {
		p := Place{Before: text[:at], After: text[end:], Will: text[at:end]}
		line, _, _ := strings.Cut(strings.TrimLeft(p.Will, "\n"), "\n")
		line = p.Will[:strings.Index(p.Will, line)+len(line)]
		half := line[:len(line)/2]
		for _, c := range []struct {
			text string
			cut  bool
		}{{line, false}, {half, true}} {
			if got := Judge(Go{}, p, c.text, c.cut); got.Verdict != Parses && strings.TrimSpace(c.text) != "" {
				t.Errorf("at %d %q: %+v", at, c.text, got)
			}
			p.Will = ""
			if got := Judge(Go{}, p, c.text, true); got.Verdict == Breaks {
				t.Errorf("at %d %q, not knowing what follows: %+v", at, c.text, got)
			}
			p.Will = text[at:end]
		}
	}
}

func ExampleJudge() {
	p := Place{Before: "package a\n\nvar x = f(", After: "\n"}
	for _, completion := range []string{"1, 2)", "1, 2]", "1, 2"} {
		j := Judge(Go{}, p, completion, false)
		fmt.Printf("%s: %s (%s)\n", completion, j.Verdict, j.Reason)
	}
	// Output:
	// 1, 2): parses ()
	// 1, 2]: breaks (missing ',' in argument list)
	// 1, 2: breaks (missing ',' before newline in argument list)
}

func BenchmarkJudge(b *testing.B) {
	text, err := typing.Text("go-handler")
	if err != nil {
		b.Fatal(err)
	}
	at := strings.Index(text, "query.Get(")
	end := at + strings.IndexByte(text[at:], '\n')
	p := Place{Before: text[:at], After: text[end:], Will: text[at:end]}
	for _, c := range []struct{ name, text string }{{"parses", text[at:end]}, {"breaks", text[at:end] + ")"}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Judge(Go{}, p, c.text, false)
			}
		})
	}
}
