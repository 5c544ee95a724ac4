package syntax

import (
	"testing"

	"halfsecond/simulators/ide/typing"
)

func TestGo(t *testing.T) {
	for _, c := range []struct {
		text string
		ok   bool
		at   int
		open bool
	}{
		{"package a\n", true, -1, false},
		{"package a\nvar x = 1", true, -1, false},
		{"package a\nvar x = (1", false, 20, true},
		{"package a\nvar x = (1\n", false, 20, false}, // the line's end ends the statement
		{"package a\nvar x = (1]", false, 20, false},
		{"package a\nfunc f() {\n", false, 21, true},
		{"package a\nty", false, 10, true},
		{"package a\nto", false, 10, false},
		{"package a\nty ", false, 10, false},
		{"package a\nvar x = \"b c", false, 18, true},
		{"package a\nvar x = \"b c\n", false, 18, false},
		{"package a\nvar x = `b c\n", false, 18, true},
		{"package a\n/* b\n", false, 10, true},
		{"package a\nvar x = 'b", false, 18, true},
		{"package a\nvar x = 0x", false, 20, true},
		{"package a\nvar x = ¶", false, 18, false},
		{"package a\nfunc f() { g() ) }", false, 25, false},
		{"package a\nfunc f() { a, b", false, 21, true},
		{"package a\nfunc f() { a, b :", false, 21, true},
		{"package a\nfunc f() { a, b)", false, 21, false},
		{"package a\nfunc f() { a, b\n", false, 21, false},
		{"x := 1", false, 0, false},
		{"", false, 0, true},
	} {
		got := Go{}.Check(c.text)
		if !got.Known || got.OK != c.ok || got.At != c.at || got.Open != c.open || got.OK != (got.Message == "") {
			t.Errorf("%q: %+v, want ok %t at %d, open %t", c.text, got, c.ok, c.at, c.open)
		}
	}
}

// Of a file that parses, no beginning is wrong: it only ends early.
func TestGoBeginnings(t *testing.T) {
	text, err := typing.Text("go-handler")
	if err != nil {
		t.Fatal(err)
	}
	handler := len(text)
	text += "\nfunc _() {\n\tx := []any{1e3, 0x1F, 'a', '\\n', \"\\u00e9\", `r\n`, 1i} /* c\n */\n\tx[0] = <-make(chan int)\n\tselect {\n\tdefault:\n\t}\n" +
		"\tswitch y := x[0].(type) {\n\tcase int, string:\n\t\tprint(y) // z\n\t}\nL:\n\tfor i := range 3 {\n\t\tgoto L\n\t\ti &^= 1\n\t}\n}\n\ntype p[T any, U ~int | ~string] struct {\n\ta, b T `x:\"y\"`\n\tq[T]\n}\n"
	if r := (Go{}).Check(text); !r.OK {
		t.Fatal(r)
	}
	for i := range text {
		if i < handler && i%11 != 0 { // to save time
			continue
		}
		if r := (Go{}).Check(text[:i]); !r.fine() {
			t.Errorf("...%q: %+v", text[max(0, i-60):i], r)
		}
	}
}
