package exchange

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// Writer writes exchanges. Its methods may be called from any goroutine.
type Writer struct {
	mu     sync.Mutex
	zip    *gzip.Writer
	hashed bool
	err    error // the first; nothing is written after it
}

// NewWriter writes a file's header, whose version it sets.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	h.Version = Version
	f := &Writer{zip: z, hashed: h.Hashed}
	f.write(json.Marshal(h))
	f.flush()
	return f, f.err
}

// Write writes one exchange. A long body goes out piece by piece, and takes no more memory
// than it has as it is.
func (w *Writer) Write(x *Exchange) error {
	e, err := newEncoder(x, w.hashed)
	line := new(bytes.Buffer)
	if err == nil && e.short() {
		err = e.writeTo(line) // outside of the lock
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.err != nil:
	case err != nil:
		w.fail(err)
	case e.short():
		_, err = line.WriteTo(w.zip)
		w.fail(err)
	default:
		w.fail(e.writeTo(w.zip))
	}
	return w.err
}

// write writes a line, unless there is none for want of that error.
func (w *Writer) write(line []byte, err error) {
	if w.err != nil {
		return
	}
	if err == nil {
		_, err = w.zip.Write(append(line, '\n'))
	}
	w.fail(err)
}

func (w *Writer) fail(err error) {
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("write exchanges: %w", err)
	}
}

// Flush makes what was written readable even if the program is killed.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.flush()
	return w.err
}

func (w *Writer) flush() {
	if w.err == nil {
		w.fail(w.zip.Flush())
	}
}

// Close ends the file. It does not close what it is written to.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.zip.Close()
	if w.err == nil {
		w.fail(err)
	}
	defer func() { w.err = errors.Join(w.err, errClosed) }()
	return w.err
}

var errClosed = errors.New("write exchanges: it was closed")
