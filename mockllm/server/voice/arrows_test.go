package voice

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestArrows: protocols do not import one another, and what they share does not import
// them. Test files aside.
func TestArrows(t *testing.T) {
	const home = "halfsecond/mockllm/server/voice/"
	shared := map[string][]string{"talk": {}, "ear": {"talk"}, "mouth": {"talk"}, "voicetest": {"talk", "ear"}}
	files, err := filepath.Glob("*/*.go")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d files, %v: the test does not see the code", len(files), err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		allowed, ok := shared[filepath.Dir(name)]
		if !ok {
			allowed = []string{"talk", "ear", "mouth"}
		}
		for _, spec := range f.Imports {
			path, _ := strconv.Unquote(spec.Path.Value) // the parser has seen that it is quoted
			if to, ours := strings.CutPrefix(path, home); ours && !slices.Contains(allowed, to) {
				t.Errorf("%s imports %s: it may import %v", name, to, allowed)
			}
		}
	}
}
