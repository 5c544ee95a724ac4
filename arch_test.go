package halfsecond

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// layers lists, for each top folder, the top folders whose packages it may
// import. A folder that is not listed may not exist.
var layers = map[string][]string{
	"pipeline":   {},
	"mockllm":    {"pipeline"},
	"budgets":    {"pipeline"},
	"simulators": {"budgets", "mockllm", "pipeline"},
	"web":        {"simulators", "budgets", "mockllm", "pipeline"},
	"cmd":        {"web", "simulators", "budgets", "mockllm", "pipeline"},
}

// homes lists libraries that only some packages may use.
var homes = []struct {
	library string
	allowed []string // package folders, or a folder and "/..." for all below
	why     string
}{
	{"github.com/gofiber", []string{"web/..."}, "fiber cannot see a client hang up, so nothing that serves models may use it"},
	{"github.com/gorilla/websocket", []string{"mockllm/server/voice/talk", "mockllm/server/voice/voicetest", "mockllm/server/voice/peer", "pipeline/endpoint/talk"}, "sockets belong to the two ends of a connection"},
	{"halfsecond/mockllm/server/voice/voicetest", nil, "it is for tests"},
	{"halfsecond/mockllm/server/voice/peer", nil, "it is for tests"},
	{"github.com/nats-io", []string{"simulators/fleet"}, "scaling out is one package's business"},
	{"database/sql", []string{"web/store"}, "runs are kept in one place"},
	{"github.com/spf13", []string{"cmd/..."}, "flags and settings end where plain structs begin"},
	{"github.com/montanaflynn/stats", []string{"pipeline/quantile"}, "there is one percentile definition"},
	{"github.com/HdrHistogram", []string{"pipeline/quantile"}, "there is one percentile definition"},
	{"github.com/goccy/go-yaml", []string{"pipeline/strict", "simulators/scenario", "mockllm/fault", "budgets/thresholds"}, "files that people write are read strictly, with positions: experiments, faults and thresholds"},
	{"github.com/prometheus", []string{"mockllm/server/ledger", "pipeline/endpoint/counters"}, "metrics are served where requests are, and read in one place"},
	{"github.com/schollz/progressbar", []string{"cmd/..."}, "progress is for the person at the terminal"},
	{"gonum.org/v1/plot", []string{"budgets/report/picture"}, "pictures are drawn in one place"},
	{"os/exec", []string{"pipeline/realpart", "pipeline/endpoint/langserver", "simulators/runner/checker"}, "programs of other people are started where they are ended, with all that they started"},
	{"net", []string{"mockllm/server", "mockllm/server/...", "mockllm/fault", "mockllm/mock", "pipeline/endpoint", "pipeline/endpoint/...", "simulators/runner", "web/...", "cmd/..."}, "models compute; only the ends of a connection open sockets"},
	{"net/http", []string{"mockllm/server", "mockllm/server/...", "mockllm/fault", "mockllm/mock", "pipeline/endpoint", "pipeline/endpoint/...", "simulators/runner", "web/...", "cmd/..."}, "models compute; only the ends of a connection open sockets"},
}

// pure lists packages that compute: no clock, file, socket or global randomness. Text
// comes and goes by readers, writers and what is built in. pipeline's root is one but for the files of the Wall driver, see drivers.
var pure = []string{
	"pipeline", "pipeline/dist", "pipeline/quantile", "pipeline/link", "pipeline/document", "pipeline/strict", "pipeline/trace", "pipeline/trace/others", "pipeline/exchange", "pipeline/price", "pipeline/wire/...", "pipeline/endpoint/probe/seen", "pipeline/endpoint/audition/heard",
	"mockllm/catalog", "mockllm/roofline", "mockllm/engine", "mockllm/engine/kv", "mockllm/cluster", "mockllm/fit", "mockllm/speech", "mockllm/speech/audio", "mockllm/speech/stage", "mockllm/token", "mockllm/given", "mockllm/answer", "mockllm/cassette", "mockllm/observe",
	"mockllm/server/text/sample", "mockllm/server/text/fim", "mockllm/server/text/tokenid",
	"budgets", "budgets/grid", "budgets/steady", "budgets/versus", "budgets/quality", "budgets/finding", "budgets/finding/spoken", "budgets/diagnosis", "budgets/dashboard", "budgets/ghost", "budgets/frontier", "budgets/thresholds", "budgets/report", "budgets/report/picture",
	"simulators/arrival", "simulators/voice", "simulators/voice/...", "simulators/ide", "simulators/ide/...", "simulators/bench",
}

// impure lists what a pure package may not import.
var impure = []string{"os", "net", "net/http", "database/sql", "os/exec", "syscall", "log"}

// drivers are the files of the Wall driver, which alone may look at a clock.
var drivers = []string{"pipeline/wall.go", "pipeline/sleeper.go", "pipeline/sleeper_linux.go", "pipeline/sleeper_other.go"}

// clocks and dice are what a pure file may not call: package and names.
var forbidden = map[string][]string{
	"time": {"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick"},
	"rand": {"Int", "IntN", "Int64", "Int64N", "Uint64", "Float64", "NormFloat64", "ExpFloat64", "Perm", "Shuffle", "N", "Seed"},
}

// TestArrows checks the import graph that doc.go draws, test files aside.
func TestArrows(t *testing.T) {
	files := 0
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && (d.Name() == "testdata" || d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && name != ".") {
				return fs.SkipDir
			}
			return err
		}
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			files++
			checkFile(t, filepath.ToSlash(name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 20 {
		t.Errorf("checked %d files: the walk does not see the code", files)
	}
}

func checkFile(t *testing.T, name string) {
	f, err := parser.ParseFile(token.NewFileSet(), filepath.FromSlash(name), nil, 0)
	if err != nil {
		t.Error(err)
		return
	}
	folder := path.Dir(name)
	if slices.Contains(drivers, name) {
		return
	}
	if within(folder, pure) {
		for _, call := range impureCalls(f) {
			t.Errorf("%s calls %s: models see time only through the loop and draw from named streams", name, call)
		}
	}
	for _, spec := range f.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, fault := range faults(folder, imported) {
			t.Errorf("%s imports %s: %s", name, imported, fault)
		}
	}
}

// impureCalls returns the clocks and dice that a file uses.
func impureCalls(f *ast.File) (found []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && x.Obj == nil && slices.Contains(forbidden[x.Name], s.Sel.Name) {
				found = append(found, x.Name+"."+s.Sel.Name)
			}
		}
		return true
	})
	return found
}

// faults returns what is wrong with an import by a package in folder.
func faults(folder, imported string) (found []string) {
	from := top(folder)
	allowed, known := layers[from]
	if !known && folder != "." {
		found = append(found, from+" is no folder of the drawing in doc.go")
	}
	if rest, ours := strings.CutPrefix(imported, "halfsecond/"); ours && known {
		if to := top(rest); from != to && !slices.Contains(allowed, to) {
			found = append(found, from+" may import "+strings.Join(append([]string{from}, allowed...), ", ")+" only")
		}
	}
	for _, h := range homes {
		if (imported == h.library || strings.HasPrefix(imported, h.library+"/") && h.library != "net") && !within(folder, h.allowed) {
			found = append(found, h.why)
		}
	}
	if within(folder, pure) && slices.Contains(impure, imported) {
		found = append(found, "models compute and do no I/O")
	}
	return found
}

func top(folder string) string {
	first, _, _ := strings.Cut(folder, "/")
	return first
}

func within(folder string, allowed []string) bool {
	for _, a := range allowed {
		if below, all := strings.CutSuffix(a, "/..."); a == folder || all && (folder == below || strings.HasPrefix(folder, below+"/")) {
			return true
		}
	}
	return false
}

// TestFaults checks that forbidden imports are seen.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		folder, imported string
		want             int
	}{
		{"pipeline", "halfsecond/mockllm/engine", 1},
		{"pipeline", "os", 1},
		{"tools", "fmt", 1},
		{"pipeline/trace", "halfsecond/pipeline", 0},
		{"mockllm/engine", "halfsecond/budgets", 1},
		{"budgets/report", "halfsecond/simulators/runner", 1},
		{"cmd/halfsecond", "halfsecond/simulators/runner", 0},
		{"simulators/runner", "github.com/spf13/cobra", 1},
		{"cmd/halfsecond", "github.com/spf13/cobra", 0},
		{"mockllm/server", "net/http", 0},
		{"mockllm/engine", "net/http", 2},
		{"pipeline/wire", "net/http", 2},
		{"budgets", "os", 1},
		{"mockllm/fit", "os", 1},
		{"mockllm/engine/kv", "os", 1},
		{"simulators/scenario", "halfsecond/mockllm/fit", 0},
		{"budgets/report", "gonum.org/v1/plot", 1},
		{"budgets/report/picture", "gonum.org/v1/plot/vg", 0},
		{"mockllm/server", "github.com/gofiber/fiber/v2", 1},
	} {
		if got := faults(c.folder, c.imported); len(got) != c.want {
			t.Errorf("faults(%s, %s) = %q, want %d", c.folder, c.imported, got, c.want)
		}
	}
}

func TestImpureCalls(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "x.go", `package x
import ("time"; "math/rand/v2")
func f(rand2 *rand.Rand) (time.Duration, int) { return time.Since(time.Now()), rand.IntN(3) + rand2.IntN(3) }
func g() *rand.Rand { time := clock{}; time.Now(); return rand.New(nil) }`, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := impureCalls(f), []string{"time.Since", "time.Now", "rand.IntN"}; !slices.Equal(got, want) {
		t.Errorf("impure calls %q, want %q", got, want)
	}
}
