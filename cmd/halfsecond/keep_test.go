package main

import (
	"errors"
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
