package others

import (
	"fmt"
	"io"
)

// maxRecord bounds one record, so that a file of any size is read in little memory.
const maxRecord = 16 << 20

// maxBarren is how much of a file is read in which nothing more is known: some, such as pipes
// and devices, never end.
const maxBarren = 256 << 20

// guard counts lines, and stops a record that is too large, and a file in which
// nothing more is known.
type guard struct {
	from  io.Reader
	left  int     // bytes that the record at hand may still take
	read  int64   // bytes so far
	line  int     // of the offset asked for last
	feeds []int64 // offsets of line feeds behind that
	full  bool    // a record was too large

	taken func() int // counts what was known so far
	had   int        // of that, as of the offset below
	since int64
}

// newGuard returns the guard of a file; taken counts what was known so far.
func newGuard(from io.Reader, taken func() int) *guard {
	return &guard{from: from, left: maxRecord, line: 1, taken: taken, had: taken()}
}

// next begins another record.
func (g *guard) next() { g.left = maxRecord }

// Read implements io.Reader.
func (g *guard) Read(p []byte) (int, error) {
	if g.left <= 0 {
		g.full = true
		return 0, fmt.Errorf("a record is larger than %d MiB: want one turn, call or span a record", maxRecord>>20)
	}
	if n := g.taken(); n != g.had {
		g.had, g.since = n, g.read
	}
	if g.read-g.since >= maxBarren {
		return 0, fmt.Errorf("nothing is known of %d MiB of it; want %s", maxBarren>>20, Formats)
	}
	n, err := g.from.Read(p[:min(len(p), g.left)])
	for i, c := range p[:n] {
		if c == '\n' {
			g.feeds = append(g.feeds, g.read+int64(i))
		}
	}
	g.left -= n
	g.read += int64(n)
	return n, err
}

// lineAt returns the line of an offset, which must not lie before one asked for earlier.
func (g *guard) lineAt(offset int64) int {
	n := 0
	for n < len(g.feeds) && g.feeds[n] < offset {
		n++
	}
	g.feeds = g.feeds[n:]
	g.line += n
	return g.line
}
