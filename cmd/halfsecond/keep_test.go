package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"halfsecond/pipeline/trace"
	"halfsecond/simulators/runner"
)

// TestFullDisk: both files of a run that cannot be written are told in one sentence.
func TestFullDisk(t *testing.T) {
	o := &runOptions{out: filepath.Join(t.TempDir(), "out")}
	run, _ := o.carryOut(bar{}, runner.Settings{Target: runner.Endpoint, N: 1}, func(set runner.Settings) (trace.Run, error) {
		return trace.Run{Header: trace.Header{Scenario: "s"}, Footer: trace.Footer{Finished: true}}, set.Begin(trace.Header{Scenario: "s", Target: runner.Endpoint})
	})
	if !run.Footer.Finished {
		t.Fatalf("a run that was kept: %s", run.Footer.Reason)
	}
	if got, want := unkeptReason(errors.Join(errors.New("write exchanges: no space"), errors.New("write trace: no space"))), "write exchanges: no space; write trace: no space, so the file holds fewer than this report"; got != want || strings.Contains(got, "\n") {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestTakenAway: a run whose folder is gone, or another one, when it ends was not kept, and
// says so; a file that was moved is not there either.
func TestTakenAway(t *testing.T) {
	for name, meanwhile := range map[string]func(dir string) error{
		"removed": os.RemoveAll,
		"moved":   func(dir string) error { return os.Rename(dir, dir+"-old") },
		"replaced": func(dir string) error {
			return errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o755),
				os.WriteFile(filepath.Join(dir, traceFile), nil, 0o644), os.WriteFile(filepath.Join(dir, rawFile), nil, 0o644))
		},
	} {
		for _, target := range []string{runner.Sim, runner.Endpoint} {
			o := &runOptions{out: filepath.Join(t.TempDir(), "out")}
			run, err := o.carryOut(bar{}, runner.Settings{Target: target, N: 1}, func(set runner.Settings) (trace.Run, error) {
				h := trace.Header{Scenario: "s", Target: target}
				return trace.Run{Header: h, Footer: trace.Footer{Finished: true}}, errors.Join(set.Begin(h), meanwhile(o.out))
			})
			traces, raw := filepath.Join(o.out, traceFile), filepath.Join(o.out, rawFile)
			want := traces + " is no longer there: it was taken away while the run went on, so the file holds fewer than this report"
			if target == runner.Endpoint {
				want = raw + " is no longer there: it was taken away while the run went on; " + want
			}
			if err != nil || run.Footer.Finished || run.Footer.Reason != want {
				t.Errorf("%s, %s: finished %t, %q, error %v; want %q", name, target, run.Footer.Finished, run.Footer.Reason, err, want)
			}
		}
	}
}
