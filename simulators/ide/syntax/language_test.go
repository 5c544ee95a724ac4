package syntax

import "testing"

func TestLanguages(t *testing.T) {
	for file, want := range map[string]string{
		"a/b.go": "go", "x.PY": "python", "x.tar.json": "json", "x.zig": "zig", "go-handler": "go", "python-report": "python", "Makefile": "", "": "",
	} {
		if got := LanguageOf(file); got != want {
			t.Errorf("LanguageOf(%q) = %q, want %q", file, got, want)
		}
	}
	only := says{}
	all := With(Checkers{".py": only, "json": only})
	for file, want := range map[string]Checker{"a.go": Go{}, "a.json": only, "a.pyi": only} {
		if got, ok := all.For(file); !ok || got != want {
			t.Errorf("For(%q) = %#v, %t, want %#v", file, got, ok, want)
		}
	}
	if c, ok := all.For("a.rs"); ok {
		t.Errorf("a file of Rust is checked by %#v", c)
	}
}
