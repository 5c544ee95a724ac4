// Package realpart is for tests that meet programs which nobody here wrote: proxies,
// engines, monitoring, vendors' libraries. Such a test needs its part; where the part
// is not there, make test names it at its end, and under CI its absence is a failure.
package realpart

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// absentEnv names the file that make test reads at its end.
const absentEnv = "HALFSECOND_ABSENT_PARTS"

// Need returns the path of a program. Where it is not installed the test does not run,
// and its name goes to the closing summary with the way to get it; with CI set in the
// environment the test fails.
func Need(t testing.TB, program, install string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		absent(t, program, install)
	}
	return path
}

// NeedFile is Need for a part that is a file or a folder.
func NeedFile(t testing.TB, path, install string) {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		absent(t, path, install)
	}
}

// WantFile is NeedFile for a part that takes too long to make for every machine: the
// test does not run without it under CI either, and is named as not run.
func WantFile(t testing.TB, path, install string) {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		pass(t, path, install)
	}
}

// absent fails the test under CI, and passes over it elsewhere.
func absent(t testing.TB, part, install string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(sentence(t, part, install))
	}
	pass(t, part, install)
}

func sentence(t testing.TB, part, install string) string {
	return fmt.Sprintf("%s needs %s: %s", t.Name(), part, install)
}

// pass ends the test as one that was not run, and names it for the closing summary.
func pass(t testing.TB, part, install string) {
	t.Helper()
	text := sentence(t, part, install)
	if name := os.Getenv(absentEnv); name != "" {
		f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := fmt.Fprintln(f, text); err != nil {
			t.Fatal(err)
		}
	}
	t.Skip(text)
}
