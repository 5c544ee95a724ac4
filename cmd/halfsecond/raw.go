package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"halfsecond/pipeline/exchange"
)

// rawFile is the name of a run's raw log in its folder.
const rawFile = "exchanges.jsonl.gz"

// mostWaiting is how many bytes of exchanges that have ended may wait for the disk.
const mostWaiting = 256 << 20

// rawLog writes exchanges as they end. Its keep is called from goroutines of requests that
// are over, so that nothing waits for the disk that is measured.
type rawLog struct {
	file    *os.File
	writer  *exchange.Writer
	most    int64        // bytes that may wait
	waiting atomic.Int64 // bytes that are not written
	kept    atomic.Int64 // exchanges

	ended   chan struct{}
	flusher sync.WaitGroup
}

// createRaw makes the file of a raw log. It never writes over one.
func createRaw(name string) (*rawLog, error) {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("--out: %s is there already; name another", name)
	}
	if err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	return newRawLog(file), nil
}

func newRawLog(file *os.File) *rawLog {
	return &rawLog{file: file, most: mostWaiting, ended: make(chan struct{})}
}

// begin writes the header, and what is kept from now on at least every second.
func (l *rawLog) begin(h exchange.Header) error {
	w, err := exchange.NewWriter(l.file, h)
	if err != nil {
		return err
	}
	l.writer = w
	l.flusher.Go(l.flush)
	return nil
}

// flush makes readable what was kept, until the end. Its error is that of the next keep.
func (l *rawLog) flush() {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for flushed := int64(0); ; {
		select {
		case <-l.ended:
			return
		case <-tick.C:
		}
		if kept := l.kept.Load(); kept != flushed && l.writer.Flush() == nil {
			flushed = kept
		}
	}
}

// keep writes one exchange.
func (l *rawLog) keep(x *exchange.Exchange) error {
	n := int64(len(x.Ask) + len(x.Body))
	defer l.waiting.Add(-n)
	if l.waiting.Add(n) > l.most {
		return fmt.Errorf("write exchanges: %s is written too slowly: more than %d MiB wait; --no-raw leaves it out", l.file.Name(), l.most>>20)
	}
	defer l.kept.Add(1)
	return l.writer.Write(x)
}

// close ends the file. One that was not begun is removed.
func (l *rawLog) close() error {
	if l.writer == nil {
		return errors.Join(l.file.Close(), os.Remove(l.file.Name()))
	}
	close(l.ended)
	l.flusher.Wait()
	return errors.Join(l.writer.Close(), closeKept(l.file))
}

// openRaw opens the raw log in a folder, or that file; the caller closes the file. The
// error is fs.ErrNotExist when there is none.
func openRaw(path string) (*exchange.Reader, *os.File, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, rawFile)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	r, err := exchange.NewReader(file)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	return r, file, nil
}
