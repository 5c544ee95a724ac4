package wire

import (
	"bytes"
	"fmt"
	"time"
)

// MaxLine is the longest line, in bytes without its end, that an EventDecoder
// takes.
const MaxLine = 16 << 20

// ErrLineTooLong is what EventDecoder.Feed returns for a line over MaxLine.
var ErrLineTooLong = fmt.Errorf("event stream has a line longer than %d MiB", MaxLine>>20)

// Event is one event of an event stream.
type Event struct {
	Name string // the event field; empty when there was none
	// Data is the data fields joined with newlines, never empty. It is valid
	// until the function that it was given to returns.
	Data []byte
	// At is when the event was complete: when the byte came that ends its blank
	// line or, for a Pending event, the last byte of its data.
	At time.Duration
	// Pending marks an event whose blank line never came.
	Pending bool
}

// EventDecoder cuts an event stream into events, however its bytes are cut into
// reads. The zero value is ready. It follows the chapter on server-sent events of
// the HTML standard: UTF-8 with one leading byte order mark dropped; lines end with LF, CR or CR LF and with nothing else; one space
// after the colon is optional; a line that begins with a colon is a comment;
// several data fields join with a newline; other fields are skipped. An event
// without data, or whose data is empty, is none.
type EventDecoder struct {
	line    []byte        // start of a line whose end has not come
	lineAt  time.Duration // when the last byte of line came
	started bool          // the first line is through, so no byte order mark can come
	afterCR bool          // the last byte was a CR: a LF belongs to it

	name    string
	data    []byte
	hasData bool          // a data field came
	dataAt  time.Duration // when the last byte of data came
}

var byteOrderMark = []byte("\ufeff")

// Feed takes the bytes of one read, which came at that instant, and calls emit
// for each event that they complete, until emit returns false; the rest of the
// bytes is then dropped. It returns ErrLineTooLong, and must not be called again,
// when a line grows over MaxLine.
func (d *EventDecoder) Feed(p []byte, at time.Duration, emit func(Event) bool) error {
	for len(p) > 0 {
		if d.afterCR {
			d.afterCR = false
			if p[0] == '\n' {
				p = p[1:]
				continue
			}
		}
		end := lineEnd(p)
		if end < 0 {
			return d.keep(p, at)
		}
		line, lineAt := p[:end], at
		if len(d.line) > 0 {
			if err := d.keep(line, at); err != nil {
				return err
			}
			line, lineAt = d.line, d.lineAt
			d.line = d.line[:0]
		} else if end > MaxLine {
			return ErrLineTooLong
		}
		d.afterCR = p[end] == '\r'
		p = p[end+1:]
		if e, ok := d.endLine(line, lineAt, at); ok && !emit(e) {
			return nil
		}
	}
	return nil
}

// Flush ends a stream that ended cleanly: an event that lacks its blank line,
// perhaps with a last line that lacks its end, is emitted as Pending.
func (d *EventDecoder) Flush(emit func(Event) bool) {
	if len(d.line) > 0 {
		d.endLine(d.line, d.lineAt, d.lineAt)
		d.line = d.line[:0]
	}
	if e, ok := d.endEvent(d.dataAt); ok {
		e.Pending = true
		emit(e)
	}
}

// lineEnd returns where the first line of p ends, or -1. It looks for either end
// in one stretch of p after the other, so that it is as fast as IndexByte and yet
// does not scan all of p for each line when only one of the two is in use.
func lineEnd(p []byte) int {
	const stretch = 512
	for from := 0; from < len(p); from += stretch {
		s := p[from:min(from+stretch, len(p))]
		end := bytes.IndexByte(s, '\n')
		if end >= 0 {
			s = s[:end]
		}
		if cr := bytes.IndexByte(s, '\r'); cr >= 0 {
			end = cr
		}
		if end >= 0 {
			return from + end
		}
	}
	return -1
}

// keep adds p to the line whose end has not come.
func (d *EventDecoder) keep(p []byte, at time.Duration) error {
	if len(d.line)+len(p) > MaxLine {
		return ErrLineTooLong
	}
	if len(p) > 0 {
		d.line = append(d.line, p...)
		d.lineAt = at
	}
	return nil
}

// endLine handles a whole line whose last byte came at lineAt and whose end came
// at at. It returns the event that the line completes, if any.
func (d *EventDecoder) endLine(line []byte, lineAt, at time.Duration) (Event, bool) {
	if !d.started {
		d.started = true
		line = bytes.TrimPrefix(line, byteOrderMark)
	}
	if len(line) == 0 {
		return d.endEvent(at)
	}
	field, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(field) {
	case "data":
		if d.hasData {
			d.data = append(d.data, '\n')
		}
		d.data = append(d.data, value...)
		d.hasData = true
		d.dataAt = lineAt
	case "event":
		d.name = string(value)
	}
	return Event{}, false
}

// endEvent returns the event gathered so far, if it is one, and starts the next.
func (d *EventDecoder) endEvent(at time.Duration) (Event, bool) {
	e := Event{Name: d.name, Data: d.data, At: at}
	d.name, d.data, d.hasData = "", d.data[:0], false
	return e, len(e.Data) > 0
}

// AppendEvent appends an event with that name, which may be empty, and that data.
// Each line of the data gets a data field of its own, so that the reader sees it
// again with LF line ends. The name must hold no line end.
func AppendEvent(dst []byte, name string, data []byte) []byte {
	if name != "" {
		dst = append(dst, "event: "...)
		dst = append(dst, name...)
		dst = append(dst, '\n')
	}
	for {
		end := lineEnd(data)
		dst = append(dst, "data: "...)
		if end < 0 {
			dst = append(dst, data...)
			return append(dst, "\n\n"...)
		}
		dst = append(dst, data[:end]...)
		dst = append(dst, '\n')
		if bytes.HasPrefix(data[end:], []byte("\r\n")) {
			end++
		}
		data = data[end+1:]
	}
}
