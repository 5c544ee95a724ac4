package fit

import (
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

const accuracyFile = "accuracy.csv"

// accuracyTable returns the table of accuracies that the published measurements give.
func accuracyTable() string {
	p := published()
	key := func(j Judged) string { return j.Family + "," + hardwareFamily(j) }
	in, left := By(p.in.Rows, key), By(p.gpu.Rows, key)
	lines := []string{strings.Join(accuracyColumns, ",")}
	for _, k := range slices.Sorted(maps.Keys(in)) {
		lines = append(lines, fmt.Sprintf("%s,%d,%.6f,%.6f", k, in[k].N, in[k].MeanAPE, left[k].MeanAPE))
	}
	return strings.Join(lines, "\n") + "\n"
}

// The table of accuracies that is built in is the one that Validate and Cross give.
func TestAccuracyTable(t *testing.T) {
	if *update {
		if err := os.WriteFile(accuracyFile, []byte(accuracyTable()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want := accuracyTable(); accuraciesCSV != want {
		t.Errorf("%s is not what validation gives: run go test ./mockllm/fit -run TestAccuracyTable -update and look at the difference\n%s", accuracyFile, want)
	}
}

// What is said of a family of engines, of hardware, of both and of everything is what
// the rows themselves give.
func TestAccuracyOf(t *testing.T) {
	p := published()
	for _, test := range []struct{ engine, hardware string }{{"", ""}, {"vllm", ""}, {"", "hopper"}, {"llama.cpp", "geforce"}, {"vllm", "rdna"}, {"nobody", ""}} {
		of := func(rows []Judged) Summary {
			return Summarise(slices.DeleteFunc(slices.Clone(rows), func(j Judged) bool {
				return test.engine != "" && j.Family != test.engine || test.hardware != "" && hardwareFamily(j) != test.hardware
			}))
		}
		got, in, left := AccuracyOf(test.engine, test.hardware), of(p.in.Rows), of(p.gpu.Rows)
		if got.Rows != in.N || in.N > 0 && (math.Abs(got.InSample-in.MeanAPE) > 1e-6 || math.Abs(got.LeftOut-left.MeanAPE) > 1e-6) {
			t.Errorf("%q on %q: %+v, want %d rows, %g and %g", test.engine, test.hardware, got, in.N, in.MeanAPE, left.MeanAPE)
		}
	}
	if got := AccuracyOf("vllm", "rdna"); got != (Accuracy{}) {
		t.Errorf("vllm on rdna, which nobody measured: %+v", got)
	}
}

func TestReadAccuraciesErrors(t *testing.T) {
	header := strings.Join(accuracyColumns, ",") + "\n"
	for text, want := range map[string]string{
		"":                          "the header is not engine,hardware,rows,in_sample,gpu_left_out",
		header + "a,b,1,x,0\n":      "line 2: ",
		header + "a,b,1,0,0\na,b\n": "record on line 3",
	} {
		if _, err := readAccuracies(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
