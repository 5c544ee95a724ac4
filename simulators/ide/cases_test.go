package ide_test

import (
	"compress/gzip"
	"embed"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"testing"

	"halfsecond/simulators/ide/cases"
)

// The built-in cases, their sources and their form are in testdata.
//
//go:embed testdata/cases
var shipped embed.FS

var caseFile = flag.String("cases", "", "a `file` of ghost-text cases, in place of those in testdata")

// TestCases runs every case on the virtual clock: all figures are exact.
func TestCases(t *testing.T) {
	eachCase(t, func(t *testing.T, s *cases.Setup, v *cases.Variant) {
		o, err := s.Run()
		if err != nil {
			t.Fatal(err)
		}
		got, err := o.Figures()
		if err != nil {
			t.Fatal(err)
		}
		compare(t, v, got)
	})
}

// eachCase has a test of each variant of each case.
func eachCase(t *testing.T, run func(*testing.T, *cases.Setup, *cases.Variant)) {
	t.Helper()
	if *caseFile != "" {
		runCases(t, *caseFile, os.ReadFile, run)
		return
	}
	for _, name := range []string{"cases.json", "more.json"} {
		runCases(t, "testdata/cases/ide/"+name, shipped.ReadFile, run)
	}
}

// runCases runs the cases of a file.
func runCases(t *testing.T, name string, read func(string) ([]byte, error), run func(*testing.T, *cases.Setup, *cases.Variant)) {
	t.Helper()
	data, err := read(name)
	if err != nil {
		t.Fatal(err)
	}
	file, err := cases.Read(name, data)
	if err != nil {
		t.Fatal(err)
	}
	above := filepath.Dir(filepath.Dir(filepath.Dir(name))) // the folder that holds "cases"
	folder := func(path string) ([]byte, error) {
		if *caseFile == "" && path == "traces/keystrokes/vscode_session1.edits.jsonl" {
			return unpacked("recording/sessions/vscode_session1.edits.jsonl.gz")
		}
		return read(filepath.ToSlash(filepath.Join(above, path)))
	}
	for i := range file.Cases {
		c := &file.Cases[i]
		for j := range c.Variants {
			v := &c.Variants[j]
			t.Run(c.ID+"/"+v.Name, func(t *testing.T) {
				s, err := c.Setup(v, folder)
				if err != nil {
					t.Fatal(err)
				}
				run(t, s, v)
			})
		}
	}
}

// unpacked returns what a compressed file holds.
func unpacked(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// compare compares figures with what is expected.
func compare(t *testing.T, v *cases.Variant, got map[string]any) {
	t.Helper()
	names := make([]string, 0, len(v.Expect))
	for name := range v.Expect {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		want := v.Expect[name]
		have, known := got[name]
		if !known {
			t.Errorf("%s is not told", name)
			continue
		}
		right := same(have, want.Value, want.Tolerance)
		for _, other := range want.Or {
			right = right || same(have, other, want.Tolerance)
		}
		if !right {
			t.Errorf("%s = %s, want %v within %v", name, brief(have), want.Value, want.Tolerance)
		}
	}
}

// same compares a figure; one value stands for each element of a list.
func same(got, want any, tolerance float64) bool {
	list, isList := got.([]any)
	wants, isWants := want.([]any)
	switch {
	case isList && isWants:
		if len(list) != len(wants) {
			return false
		}
		for i := range list {
			if !same(list[i], wants[i], tolerance) {
				return false
			}
		}
		return true
	case isList:
		for _, x := range list {
			if !same(x, want, tolerance) {
				return false
			}
		}
		return len(list) > 0
	}
	a, isNumber := got.(float64)
	b, isWanted := want.(float64)
	if isNumber && isWanted {
		return math.Abs(a-b) <= tolerance+1e-9
	}
	return reflect.DeepEqual(got, want)
}

func brief(x any) string {
	s := fmt.Sprint(x)
	if len(s) > 200 {
		return s[:200] + "..."
	}
	return s
}
