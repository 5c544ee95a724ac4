package trace

import (
	"encoding/json"
	"fmt"
	"io"

	"halfsecond/pipeline"
)

// flushAt is the size at which buffered lines are handed on.
const flushAt = 64 << 10

// Writer writes a run, line by line. It is not safe for concurrent use.
type Writer struct {
	to  io.Writer
	buf []byte
	n   int
	err error // the first of the underlying writer; nothing is written after it
}

// NewWriter returns a writer that has written the header.
func NewWriter(to io.Writer, h Header) (*Writer, error) {
	line, err := json.Marshal(headerToWire(h))
	if err != nil {
		return nil, fmt.Errorf("write trace header: %w", err)
	}
	w := &Writer{to: to, buf: append(line, '\n')}
	return w, w.Flush()
}

// Write adds one interaction. The trace may be reused afterwards.
func (w *Writer) Write(t *pipeline.Trace) error {
	w.buf = append(Append(w.buf, t), '\n')
	w.n++
	if len(w.buf) < flushAt {
		return nil
	}
	return w.Flush()
}

// Flush hands every line so far to the underlying writer. After an error of that,
// which it goes on returning, nothing more is written: what the file holds may end
// in half a line, and the lines before it are good.
func (w *Writer) Flush() error {
	if w.err != nil {
		return w.err
	}
	if _, err := w.to.Write(w.buf); err != nil {
		w.err = fmt.Errorf("write trace: %w", err)
	}
	w.buf = w.buf[:0]
	return w.err
}

// Close writes the footer, with its N set to the interactions written, and
// flushes. It does not close the underlying writer.
func (w *Writer) Close(f Footer) error {
	f.N = w.n
	line, err := json.Marshal(footerToWire(f))
	if err != nil {
		return fmt.Errorf("write trace footer: %w", err)
	}
	w.buf = append(append(w.buf, line...), '\n')
	return w.Flush()
}
