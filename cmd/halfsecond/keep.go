package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/exchange"
	"halfsecond/pipeline/trace"
)

// traceFile is the name of a run's traces in its folder.
const traceFile = "traces.jsonl"

// createTraces makes the folder and its trace file. It never writes over a run, unless it
// is one that did not begin.
func createTraces(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	name := filepath.Join(dir, traceFile)
	if holdsUnbegun(name) {
		if err := errors.Join(os.Remove(name), removeIfThere(filepath.Join(dir, rawFile))); err != nil {
			return nil, fmt.Errorf("--out: %w", err)
		}
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("--out %s: it holds a run already (%s); name another folder", dir, name)
	}
	return file, err
}

func removeIfThere(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// flushEvery is how much of a run in real time can be lost to a kill, at most.
const flushEvery = time.Second

// keeper writes a run's traces as they are finished, and its raw log beside them.
type keeper struct {
	file    *os.File
	writer  *trace.Writer
	flushed time.Time
	raw     *rawLog // nil for none
	made    bool    // the folder was made for the run
}

// newKeeper makes the files of a run in a folder.
func newKeeper(dir string, raw bool) (*keeper, error) {
	_, missing := os.Stat(dir)
	file, err := createTraces(dir)
	if err != nil {
		return nil, err
	}
	k := &keeper{file: file, made: errors.Is(missing, fs.ErrNotExist)}
	if raw {
		if k.raw, err = createRaw(filepath.Join(dir, rawFile)); err != nil {
			return nil, errors.Join(err, k.remove())
		}
	}
	return k, nil
}

// begin writes the headers.
func (k *keeper) begin(h trace.Header) error {
	w, err := trace.NewWriter(k.file, h)
	if err != nil {
		return err
	}
	k.writer, k.flushed = w, time.Now()
	if k.raw == nil {
		return nil
	}
	return k.raw.begin(exchange.Header{Scenario: h.Scenario, Target: h.Target, Hashed: h.TextsHashed})
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

// close ends the raw log, writes the footer of the traces, which says if the log is not
// whole, and closes both files. Of a run that did not begin only the traces stay, which
// then hold why.
func (k *keeper) close(run trace.Run) error {
	f := run.Footer
	var lost error
	if k.raw != nil {
		if lost = k.raw.close(); lost != nil {
			f.Finished, f.Reason = false, oneLine(lost)
		}
	}
	if k.writer == nil {
		if run.Header.Scenario == "" {
			return errors.Join(lost, k.remove())
		}
		k.raw = nil
		if err := k.begin(run.Header); err != nil {
			return errors.Join(lost, err, k.remove())
		}
	}
	return errors.Join(lost, k.writer.Close(f), closeKept(k.file))
}

// closeKept closes a file, and reports that it is not where it was made any more: what was
// written to it then is lost.
func closeKept(file *os.File) error {
	was, err := file.Stat()
	if err = errors.Join(err, file.Close()); err != nil || !was.Mode().IsRegular() {
		return err
	}
	if is, err := os.Stat(file.Name()); err != nil || !os.SameFile(was, is) {
		return fmt.Errorf("%s is no longer there: it was taken away while the run went on", file.Name())
	}
	return nil
}

// remove takes the trace file away, and its folder if that was made for it.
func (k *keeper) remove() error {
	err := errors.Join(k.file.Close(), os.Remove(k.file.Name()))
	if k.made {
		err = errors.Join(err, os.Remove(filepath.Dir(k.file.Name())))
	}
	return err
}
