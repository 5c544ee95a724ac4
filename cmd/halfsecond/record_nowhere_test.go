package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"halfsecond/pipeline/exchange"
)

// TestRecordNowhere: of a file that cannot be written there is one error, and no file.
func TestRecordNowhere(t *testing.T) {
	name := filepath.Join(t.TempDir(), "c.gz")
	if err := os.WriteFile(name, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(name) // which takes no writes, as a full disk
	if err != nil {
		t.Fatal(err)
	}
	var tape taping
	err = tape.beginLog(newRawLog(file), exchange.Header{})
	if err == nil || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "remove") {
		t.Errorf("error %v, want that of the write alone", err)
	}
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file is there: %v", err)
	}
}
