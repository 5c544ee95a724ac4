package wire

import (
	"bytes"
	"fmt"
	"time"
)

// MaxLine is the longest line, in bytes without its end, that a decoder of streams takes.
const MaxLine = 16 << 20

// ErrLineTooLong is what Feed returns for a line over MaxLine.
var ErrLineTooLong = fmt.Errorf("the stream has a line longer than %d MiB", MaxLine>>20)

// LineDecoder cuts a stream of JSON lines into lines, however its bytes are cut into
// reads. The zero value is ready. Blank lines are skipped.
type LineDecoder struct{ lines lineCutter }

// Feed is as EventDecoder.Feed. A line is an Event without name, complete when its end
// came.
func (d *LineDecoder) Feed(p []byte, at time.Duration, emit func(Event) bool) error {
	return d.lines.feed(p, at, func(line []byte, _ time.Duration) bool {
		return len(bytes.TrimSpace(line)) == 0 || emit(Event{Data: line, At: at})
	})
}

// Flush ends a stream that ended cleanly: a last line that lacks its end is emitted as
// Pending.
func (d *LineDecoder) Flush(emit func(Event) bool) {
	d.lines.flush(func(line []byte, lineAt time.Duration) {
		if len(bytes.TrimSpace(line)) > 0 {
			emit(Event{Data: line, At: lineAt, Pending: true})
		}
	})
}

// lineCutter cuts bytes into lines, which end with LF, CR or CR LF.
type lineCutter struct {
	line    []byte        // start of a line whose end has not come
	lineAt  time.Duration // when the last byte of line came
	afterCR bool          // the last byte was a CR: a LF belongs to it
}

// feed takes the bytes of one read, which came at that instant, and calls each for every
// line that they end, with the instant of its last byte, until each returns false; the
// rest of the bytes is then dropped.
func (c *lineCutter) feed(p []byte, at time.Duration, each func(line []byte, lineAt time.Duration) bool) error {
	for len(p) > 0 {
		if c.afterCR {
			c.afterCR = false
			if p[0] == '\n' {
				p = p[1:]
				continue
			}
		}
		end := lineEnd(p)
		if end < 0 {
			return c.keep(p, at)
		}
		line, lineAt := p[:end], at
		if len(c.line) > 0 {
			if err := c.keep(line, at); err != nil {
				return err
			}
			line, lineAt = c.line, c.lineAt
			c.line = c.line[:0]
		} else if end > MaxLine {
			return ErrLineTooLong
		}
		c.afterCR = p[end] == '\r'
		p = p[end+1:]
		if !each(line, lineAt) {
			return nil
		}
	}
	return nil
}

// flush calls each for a last line that lacks its end.
func (c *lineCutter) flush(each func(line []byte, lineAt time.Duration)) {
	if len(c.line) > 0 {
		each(c.line, c.lineAt)
		c.line = c.line[:0]
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
func (c *lineCutter) keep(p []byte, at time.Duration) error {
	if len(c.line)+len(p) > MaxLine {
		return ErrLineTooLong
	}
	if len(p) > 0 {
		c.line = append(c.line, p...)
		c.lineAt = at
	}
	return nil
}
