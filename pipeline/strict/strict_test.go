package strict_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goccy/go-yaml/ast"

	"halfsecond/pipeline/strict"
)

func Example() {
	r := &strict.Reader{File: "speeds.yaml"}
	root := r.Document([]byte("slow: 3\nfst: [9]\n"), "slow:")
	values, _ := strict.Mapping(root)
	for _, v := range values {
		name := v.Key.(*ast.StringNode)
		r.Within(name.Value, name.Token.Position, func() {
			if name.Value != "slow" && name.Value != "fast" {
				r.FailHere("unknown key; %s", strict.Suggest(name.Value, []string{"slow", "fast"}))
			}
			if _, ok := v.Value.(*ast.IntegerNode); !ok {
				r.Fail(v.Value, "want a number; found %s", strict.Describe(v.Value))
			}
		})
	}
	fmt.Println(strict.Join(r.Problems))
	// Output:
	// speeds.yaml:2:1: fst: unknown key; nearest: fast
	// speeds.yaml:2:6: fst: want a number; found a list
}

// TestRefused: files that are no plain document are refused with a place and a way out.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{"", `f:1:1: the file is empty: it begins with "a:"`},
		{"# nothing\n", `f:1:1: the file is empty: it begins with "a:"`},
		{"a: \"\xff\"\n", "f:1:5: this is not UTF-8 text"},
		{"é: \xff", "f:1:4: this is not UTF-8 text"},
		{"a:\n\t- b\n", "f:2:1: not valid YAML: found character tab: indent with spaces"},
		{"a: {b: *}\n", "f:1:8: not valid YAML: quote a text that begins with a star"},
		{"a: 1\n---\nb: 2\n", "f:2:1: a second document begins here: a file holds one"},
		{"%YAML 1.2\n---\na: 1\n", "f:1:1: directives such as %YAML are not used here: remove the line"},
		{"a: &x 1\nb: *x\n", "f:1:4: a: anchors (&name) are not used here: write the value out\nf:2:4: b: aliases (*name) are not used here: write the value out, or quote a text that begins with a star"},
		{"a: !!int 1\n", "f:1:4: a: tags (!name) are not used here: remove it"},
		{"a: {<<: {b: 1}}\n", "f:1:5: a.<<: merge keys (<<) are not used here: write the keys out"},
		{"a: " + strings.Repeat("[", 33), "f:1:36: brackets or lists are nested more than 32 deep"},
		{strings.Repeat("- ", 33), "f:1:65: brackets or lists are nested more than 32 deep"},
		{strings.Repeat("a:\n", 20_000), "f:10001:1: the file is too long: it may have at most 20000 words and signs"},
		{strings.Repeat("#", strict.MaxBytes+1), "f:1:1: the file is larger than 1048576 bytes"},
	} {
		r := &strict.Reader{File: "f"}
		r.Document([]byte(c.file), "a:")
		if got := fmt.Sprint(strict.Join(r.Problems)); got != c.want {
			t.Errorf("%.40q:\n%s\nwant\n%s", c.file, got, c.want)
		}
	}
}

// TestTaken: what editors of other systems put around a document is no part of it.
func TestTaken(t *testing.T) {
	for _, file := range []string{"\ufeffa: 1\r\nb: 2\r\n", "{\n\t\"a\": 1,\n\t\"b\": 2\n}\n", "---\na: 1\nb: 2\n"} {
		r := &strict.Reader{}
		if values, ok := strict.Mapping(r.Document([]byte(file), "a:")); !ok || len(values) != 2 || r.Problems != nil {
			t.Errorf("%q: %v, %v", file, values, r.Problems)
		}
	}
}

func TestSuggest(t *testing.T) {
	names := []string{"stall", "status", "drop", "slow_headers"}
	for _, c := range []struct{ name, want string }{
		{"stal", "nearest: stall"},
		{"SlowHeaders", "nearest: slow_headers"},
		{"sta", "nearest: stall"},
		{"x", "want one of stall, status, drop, slow_headers"},
		{"", "want one of stall, status, drop, slow_headers"},
		{strings.Repeat("stall", 100), "want one of stall, status, drop, slow_headers"},
	} {
		if got := strict.Suggest(c.name, names); got != c.want {
			t.Errorf("Suggest(%.20q) = %s, want %s", c.name, got, c.want)
		}
	}
}

// FuzzDocument: any bytes are a document or have a problem with a place.
func FuzzDocument(f *testing.F) {
	for _, seed := range []string{"a: 1\n", "- - a\n", "{a: [b, {c: d}]}", "a: |\n  b\n", "a: &b 1\nc: *b\n", "%YAML 1.2\n---\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := &strict.Reader{}
		n := r.Document(data, "a:")
		if n == nil && r.Problems == nil {
			t.Error("there is neither a document nor a problem")
		}
		for _, p := range r.Problems {
			if p.Line < 1 || p.Column < 1 || p.Message == "" {
				t.Errorf("problem %+v", p)
			}
		}
		if n != nil {
			strict.Position(n)
			strict.Describe(n)
		}
	})
}
