package main

import (
	"strings"
	"testing"
	"time"
)

// A wait before anything begins is told to a terminal, and to nothing else.
func TestWaitsAreTold(t *testing.T) {
	for terminal, want := range map[bool]string{true: "it asks to wait 2s before it lists its models: waiting\n", false: ""} {
		var out strings.Builder
		(&program{err: &out, progress: terminal}).waits(2 * time.Second)
		if out.String() != want {
			t.Errorf("terminal %t: %q, want %q", terminal, out.String(), want)
		}
	}
}
