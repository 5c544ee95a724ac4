package main

import (
	"errors"
	"os"
	"testing"

	"halfsecond/budgets/report"
)

// TestBenchOfAnUnfitTester: a comparison from which nothing follows is none that passed, and
// has no pictures.
func TestBenchOfAnUnfitTester(t *testing.T) {
	why := "the tester itself ran late"
	b := &report.Bench{Finished: true, Unfit: &why, Cells: []report.BenchCell{{TTFT: &report.BenchSample{}}}}
	var exit *exitError
	if err := benchError(b, "comparison"); !errors.As(err, &exit) || exit.code != exitUnmeasured || exit.err != nil {
		t.Errorf("error %v, want exit code %d and no words: the report has them", err, exitUnmeasured)
	}
	if b.Unfit = nil; benchError(b, "comparison") != nil {
		t.Errorf("error %v of a fit one", benchError(b, "comparison"))
	}
	b.Unfit, b.Cells = &why, nil
	o := &runOptions{out: t.TempDir()}
	if err := o.draw(b); err != nil {
		t.Fatal(err)
	}
	if files, err := os.ReadDir(o.out); err != nil || len(files) != 1 || files[0].Name() != cellsFile {
		t.Errorf("%v, error %v: want the table of cells alone", files, err)
	}
}
