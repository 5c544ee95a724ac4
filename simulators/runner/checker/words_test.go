package checker

import (
	"slices"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for line, want := range map[string][]string{
		"gofmt":                          {"gofmt"},
		"  gofmt   -l\t-e ":              {"gofmt", "-l", "-e"},
		`python3 -c 'import ast; x("")'`: {"python3", "-c", `import ast; x("")`},
		`a "b c" d"e"'f' "" \" "\"" '\'`: {"a", "b c", "def", "", `"`, `"`, `\`},
		`a\ b 'ü|$'`:                     {"a b", "ü|$"},
	} {
		if got, err := words(line); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v; want %q", line, got, err, want)
		}
	}
	for line, want := range map[string]string{
		"":            "no program",
		"''":          "no program",
		"a 'b":        "quote ' is not closed",
		`a "b`:        `quote " is not closed`,
		`a \`:         "ends with a backslash",
		"a | b":       "'|' at 3 is for a shell",
		"a > b":       "'>' at 3 is for a shell",
		`a "$HOME"`:   "'$' at 4 is for a shell",
		"a `b`":       "'`' at 3 is for a shell",
		"a && b":      "'&' at 3 is for a shell",
		"a; b":        "';' at 2 is for a shell",
		"a $(b)":      "'$' at 3 is for a shell",
		"a <(b)":      "'<' at 3 is for a shell",
		`a "'" 'b" $`: "quote ' is not closed",
	} {
		if got, err := words(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v; want an error with %q", line, got, err, want)
		}
	}
}

func FuzzWords(f *testing.F) {
	f.Add(`a 'b c' "d" \e`)
	f.Fuzz(func(t *testing.T, line string) {
		all, err := words(line)
		if err != nil {
			return
		}
		// Quoted again, the words are the same.
		var quoted []string
		for _, w := range all {
			quoted = append(quoted, "'"+strings.ReplaceAll(w, "'", `'\''`)+"'")
		}
		if again, err := words(strings.Join(quoted, " ")); err != nil || !slices.Equal(again, all) {
			t.Errorf("%q: %q, then %q, %v", line, all, again, err)
		}
	})
}
