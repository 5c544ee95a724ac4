package fit

import (
	"bytes"
	"flag"
	"os"
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
