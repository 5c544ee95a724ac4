package others

import (
	"fmt"
	"io"
)

// maxRecord bounds one record, so that a file of any size is read in little memory.
const maxRecord = 16 << 20

// guard counts lines, and stops a record that is too large.
type guard struct {
	from  io.Reader
	left  int     // bytes that the record at hand may still take
	read  int64   // bytes so far
	line  int     // of the offset asked for last
	feeds []int64 // offsets of line feeds behind that
	full  bool    // a record was too large
}

func newGuard(from io.Reader) *guard { return &guard{from: from, left: maxRecord, line: 1} }

// next begins another record.
func (g *guard) next() { g.left = maxRecord }

// Read implements io.Reader.
func (g *guard) Read(p []byte) (int, error) {
	if g.left <= 0 {
		g.full = true
		return 0, fmt.Errorf("a record is larger than %d MiB: want one turn, call or span a record", maxRecord>>20)
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
