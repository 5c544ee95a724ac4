package realpart

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// recorder is a test that notes how it ended.
type recorder struct {
	testing.TB
	ended string // "", "failed" or "skipped"
}

func (r *recorder) Helper()      {}
func (r *recorder) Name() string { return "TestIt" }
func (r *recorder) Fatal(...any) { r.end("failed") }
func (r *recorder) Skip(...any)  { r.end("skipped") }
func (r *recorder) end(how string) {
	r.ended = how
	runtime.Goexit()
}

// A part that is missing fails a test under CI, unless it is optional; a test that did not
// run for want of one is named.
func TestMissingParts(t *testing.T) {
	here, gone := t.TempDir(), filepath.Join(t.TempDir(), "gone")
	for _, c := range []struct {
		name, ci string
		ask      func(t testing.TB)
		want     string
		named    bool
	}{
		{"there", "1", func(t testing.TB) { NeedFile(t, here, "make it") }, "", false},
		{"optional and there", "1", func(t testing.TB) { WantFile(t, here, "make it") }, "", false},
		{"missing", "", func(t testing.TB) { NeedFile(t, gone, "make it") }, "skipped", true},
		{"missing under CI", "1", func(t testing.TB) { NeedFile(t, gone, "make it") }, "failed", false},
		{"program missing under CI", "1", func(t testing.TB) { Need(t, gone, "make it") }, "failed", false},
		{"optional and missing", "", func(t testing.TB) { WantFile(t, gone, "make it") }, "skipped", true},
		{"optional and missing under CI", "1", func(t testing.TB) { WantFile(t, gone, "make it") }, "skipped", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := filepath.Join(t.TempDir(), "absent")
			t.Setenv("CI", c.ci)
			t.Setenv(absentEnv, list)
			r := &recorder{TB: t}
			done := make(chan struct{})
			go func() {
				defer close(done)
				c.ask(r)
			}()
			<-done
			if r.ended != c.want {
				t.Errorf("ended %q, want %q", r.ended, c.want)
			}
			named, _ := os.ReadFile(list) // there is none where nothing is named
			want := ""
			if c.named {
				want = fmt.Sprintf("TestIt needs %s: make it\n", gone)
			}
			if string(named) != want {
				t.Errorf("named %q, want %q", named, want)
			}
		})
	}
}
