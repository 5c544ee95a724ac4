package fit

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"halfsecond/mockllm/catalog"
)

var update = flag.Bool("update", false, "rewrite the table of constants")

const fittedFile = "../roofline/fitted.csv"

// The table of constants that is built in is the one that the published measurements
// give.
func TestFittedTable(t *testing.T) {
	var b bytes.Buffer
	if err := WriteConstants(&b, Constants(catalog.Builtin(), Published())); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(fittedFile, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(fittedFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), want) {
		t.Errorf("the measurements give other constants than %s holds: run go test ./mockllm/fit -run TestFittedTable -update and look at the difference\n%s", fittedFile, b.String())
	}
}

// Constants come by name, with their prior and the rows that depend on them.
func TestConstants(t *testing.T) {
	got := Constants(catalog.Builtin(), []Row{decodeOf(100), decodeOf(120), {GPU: "none"}})
	var b strings.Builder
	if err := WriteConstants(&b, got); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(lines) != 4 || lines[0] != "name,value,prior,rows" {
		t.Fatalf("%s\nwant a header and the 3 constants of a server in 16 bits", b.String())
	}
	for i, name := range []string{"layer.serving", "mbu.serving", "mfu.serving.16"} {
		if !strings.HasPrefix(lines[i+1], name+",") || !strings.HasSuffix(lines[i+1], ",2") || got[i].Value != rounded(got[i].Value) {
			t.Errorf("line %d: %s, want %s of 2 rows in %d digits", i+1, lines[i+1], name, digits)
		}
	}
}

func TestRounded(t *testing.T) {
	for v, want := range map[float64]float64{0: 0, .12345: .123, 99.96: 100, 1234.5: 1230, 2e-7: 2e-7} {
		if got := rounded(v); got != want {
			t.Errorf("rounded(%g) = %g, want %g", v, got, want)
		}
	}
}
