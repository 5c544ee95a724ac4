package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
)

// TestImportInterrupted: who ends an import did not use it badly.
func TestImportInterrupted(t *testing.T) {
	name := filepath.Join(t.TempDir(), "turns.csv")
	if err := os.WriteFile(name, []byte("session,turn\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	err := runImport(ctx, &program{out: &out, err: &errs}, &importOptions{given: func(string) bool { return false }}, []string{name})
	if exit, ok := err.(*exitError); !ok || exit.code != exitUnmeasured || err.Error() != "interrupted while the files were read" {
		t.Errorf("error %v, want exit code %d and that it was interrupted", err, exitUnmeasured)
	}
}
