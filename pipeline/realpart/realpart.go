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

func absent(t testing.TB, part, install string) {
	t.Helper()
	text := fmt.Sprintf("%s needs %s: %s", t.Name(), part, install)
	if os.Getenv("CI") != "" {
		t.Fatal(text)
	}
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
