package main

import (
	"slices"
	"testing"
)

func TestWords(t *testing.T) {
	for _, c := range []struct {
		command string
		want    []string
	}{
		{"", nil},
		{"  node  server.js\t--stdio ", []string{"node", "server.js", "--stdio"}},
		{`"/a b/node" 'it''s "one"' x\ y "\"" ''`, []string{"/a b/node", `its "one"`, "x y", `"`, ""}},
		{`a '\' $HOME *`, []string{"a", `\`, "$HOME", "*"}},
	} {
		if got, err := words(c.command); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("words(%s) = %q, %v; want %q", c.command, got, err, c.want)
		}
	}
	for _, c := range []string{`a "b`, `a 'b`, `a \`} {
		if got, err := words(c); err == nil {
			t.Errorf("words(%s) = %q, want an error", c, got)
		}
	}
}
