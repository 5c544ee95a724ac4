package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"halfsecond": main, "langserver": serveLanguage})
}

// The scripts under testdata double as a manual of the command line.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", RequireExplicitExec: true,
		// Under the race detector a program sleeps for a second before it exits.
		Setup: func(e *testscript.Env) error { e.Setenv("GORACE", "atexit_sleep_ms=0"); return nil },
	})
}
