package scenario

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"halfsecond/pipeline/strict"
)

//go:embed builtin examples
var embedded embed.FS

// builtins are the built-in scenarios: one for each kind, in the order of kinds.
var builtins = []string{"voice", "ide", "load", "bench"}

// Names returns the names of the built-in scenarios, one for each kind. Those of
// the kinds bench and grid are load, a load of requests, and bench, a comparison.
func Names() []string { return slices.Clone(builtins) }

// Examples returns the names of further scenarios that Load knows: chains and
// stacks of constants whose result is known by hand, traps that engines have, and
// comparisons of what is done about them.
func Examples() []string {
	files, err := fs.Glob(embedded, "examples/*.yaml")
	if err != nil {
		panic(err)
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(path.Base(f), ".yaml")
	}
	return files
}

// Source returns the text of a built-in scenario or an example.
func Source(name string) (text string, ok bool) {
	folder := "builtin"
	switch {
	case slices.Contains(Examples(), name):
		folder = "examples"
	case !slices.Contains(builtins, name):
		return "", false
	}
	data, err := embedded.ReadFile(path.Join(folder, name+".yaml"))
	if err != nil {
		panic(err)
	}
	return string(data), true
}

// Load returns the built-in scenario or the example of that name, or else the
// one in that file: a file called "voice" is reached as "./voice". Text files that
// it names are looked for beside it. The error names the file, or joins its
// Problems as Parse does.
func Load(name string) (*Scenario, error) { return LoadWith(name, nil) }

// LoadWith is Load of a scenario with changes.
func LoadWith(name string, changes []Change) (*Scenario, error) {
	if text, ok := Source(name); ok {
		return ParseWith(name, []byte(text), nil, changes)
	}
	data, err := read(name, strict.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(name, `./\`) {
		return nil, fmt.Errorf("no built-in scenario and no file %q; %s", name, strict.Suggest(name, append(Names(), Examples()...)))
	}
	if err != nil {
		return nil, fmt.Errorf("load scenario: %w", err)
	}
	return ParseWith(name, data, func(text string) ([]byte, error) {
		if !filepath.IsAbs(text) {
			text = filepath.Join(filepath.Dir(name), text)
		}
		return read(text, maxCassette)
	}, changes)
}

// read returns a file; of one that is too long, no more than shows that it is.
func read(name string, most int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most+1))
}

// Init returns a built-in scenario to start from, with every key written out and
// explained; of an example its text, with its comments.
func Init(name string) (string, error) {
	if !slices.Contains(builtins, name) {
		if text, ok := Source(name); ok {
			return text, nil
		}
		return "", fmt.Errorf("no built-in scenario %q; %s", name, strict.Suggest(name, append(Names(), Examples()...)))
	}
	s, err := Load(name)
	if err != nil {
		return "", err
	}
	places := Endpoints{LLM: &Endpoint{URL: "http://127.0.0.1:8000/v1", Protocol: "openai-chat", Model: "NAME", KeyEnv: "OPENAI_API_KEY"}}
	if s.Grid != nil { // each of its models has a name there
		places.LLM.Model = ""
		for _, m := range s.Grid.Models {
			places.Cells = append(places.Cells, Cell{Model: m, Name: "NAME"})
		}
	}
	sample := schema.write(Scenario{Endpoints: places}).keep(func(key string) bool { return key == "endpoints" })
	return initHead + schema.write(*s).render(true) + initEndpoints + commented(sample.render(true)), nil
}

const (
	initHead = `# A scenario for halfsecond, with every key of its kind. A key that is left out has
# its default, an unknown key is refused. Check a file with
# halfsecond run FILE --check
`
	initEndpoints = `
# To ask a real service: halfsecond run FILE --target endpoint
`
)

// commented returns the lines as comments.
func commented(lines string) string {
	return "# " + strings.ReplaceAll(strings.TrimSpace(lines), "\n", "\n# ") + "\n"
}
