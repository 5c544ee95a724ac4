package wire

import (
	"bytes"
	"time"
)

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
	// Comment, when set, is told of each comment; its text is valid until it returns.
	Comment func(text []byte, at time.Duration)

	lines   lineCutter
	started bool // the first line is through, so no byte order mark can come

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
	return d.lines.feed(p, at, func(line []byte, lineAt time.Duration) bool {
		e, ok := d.endLine(line, lineAt, at)
		return !ok || emit(e)
	})
}

// Flush ends a stream that ended cleanly: an event that lacks its blank line,
// perhaps with a last line that lacks its end, is emitted as Pending.
func (d *EventDecoder) Flush(emit func(Event) bool) {
	d.lines.flush(func(line []byte, lineAt time.Duration) { d.endLine(line, lineAt, lineAt) })
	if e, ok := d.endEvent(d.dataAt); ok {
		e.Pending = true
		emit(e)
	}
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
	case "":
		if d.Comment != nil {
			d.Comment(value, lineAt)
		}
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
