package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// traceFile is the name of a run's traces in its folder.
const traceFile = "traces.jsonl"

// createTraces makes the folder and its trace file. It never writes over a run.
func createTraces(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	name := filepath.Join(dir, traceFile)
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("--out %s: it holds a run already (%s); name another folder", dir, name)
	}
	return file, err
}

// flushEvery is how much of a run in real time can be lost to a kill, at most.
const flushEvery = time.Second

// keeper writes a run's traces as they are finished.
type keeper struct {
	file    *os.File
	writer  *trace.Writer
	flushed time.Time
}

// begin writes the header.
func (k *keeper) begin(h trace.Header) error {
	w, err := trace.NewWriter(k.file, h)
	if err == nil {
		k.writer, k.flushed = w, time.Now()
	}
	return err
}

// keep writes one trace.
func (k *keeper) keep(t *pipeline.Trace) error {
	if err := k.writer.Write(t); err != nil {
		return err
	}
	if time.Since(k.flushed) < flushEvery {
		return nil
	}
	k.flushed = time.Now()
	return k.writer.Flush()
}

// close writes the footer and closes the file. A file in which no run began is
// removed.
func (k *keeper) close(f trace.Footer) error {
	if k.writer == nil {
		return errors.Join(k.file.Close(), os.Remove(k.file.Name()))
	}
	return errors.Join(k.writer.Close(f), k.file.Close())
}
