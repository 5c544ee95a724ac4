package prompt

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"

	"halfsecond/mockllm/token"
	"halfsecond/pipeline/document"
)

// cutter finds what of one document goes into a prompt. It remembers what it has counted.
type cutter struct {
	tally tally
	lines lines
	rest  rest
}

// follow takes in what has changed since it was last asked.
func (c *cutter) follow(d *document.Document) {
	kept := d.Unchanged()
	c.tally.cut(kept)
	c.lines.cut(kept)
	c.tally.settle(d.Before())
	c.lines.settle(d.Before())
}

// from returns where the prefix begins.
func (c *cutter) from(text []byte, s *Shape) int {
	var from int
	switch n := s.Prefix.N; s.Prefix.Unit {
	case Tokens:
		if first := step(len(c.tally.ends)-n, s.Grid); first > 0 {
			from = int(c.tally.ends[first-1])
		}
	case Lines:
		from = c.lines.start(step(len(c.lines.starts)-n, s.Grid))
	case Bytes:
		from = step(len(text)-n, s.Grid)
		for from < len(text) && !utf8.RuneStart(text[from]) {
			from++
		}
	}
	if s.WholeLines && from > 0 && text[from-1] != '\n' {
		from += bytes.IndexByte(text[from:], '\n') + 1
	}
	return from
}

// step returns the last multiple of grid up to n, at least 0.
func step(n, grid int) int {
	n = max(0, n)
	if grid > 1 {
		n -= n % grid
	}
	return n
}

// end returns where the prefix ends, and what is typed of the current line begins, which
// is nothing where that is white space to skip.
func (c *cutter) end(text []byte, s *Shape) (line, end int) {
	line, end = c.lines.start(len(c.lines.starts)), len(text)
	if s.SkipBlank && len(bytes.TrimSpace(text[line:])) == 0 {
		end = line
	}
	if s.Layout != LineAfterMiddle {
		line = end
	}
	return line, end
}

// rest is the suffix of a document, which seldom changes. The zero rest belongs to the
// empty text.
type rest struct {
	after string
	part
}

// suffix returns what of the text after the cursor goes in.
func (c *cutter) suffix(after string, s *Shape) *part {
	if c.rest.after == after {
		return &c.rest.part
	}
	c.rest.after = after
	if s.NextLine {
		_, after, _ = strings.Cut(after, "\n")
		after = strings.TrimLeft(after, " \t\r\n")
	}
	if after = after[:suffixLen(after, s)]; !s.Sticky.keeps(c.rest.text, after) {
		c.rest.part = plain(after)
	}
	return &c.rest.part
}

// keeps reports whether a suffix is so like a new one that it stays.
func (s *Sticky) keeps(old, fresh string) bool {
	if s.Tokens == 0 || old == "" || fresh == "" {
		return false
	}
	numbers := map[string]rune{}
	a, b := s.first(old, numbers), s.first(fresh, numbers)
	return a[0] == b[0] && 100*levenshtein.ComputeDistance(string(a), string(b)) < s.Percent*len(b)
}

// first returns the first tokens of a text, each as one character by its number.
func (s *Sticky) first(text string, numbers map[string]rune) (all []rune) {
	for range s.Tokens {
		n := token.Next(text)
		if n == 0 {
			break
		}
		if _, known := numbers[text[:n]]; !known {
			numbers[text[:n]] = rune(len(numbers) + 1)
		}
		all = append(all, numbers[text[:n]])
		text = text[n:]
	}
	return all
}

// suffixLen returns the length of the suffix.
func suffixLen(after string, s *Shape) int {
	n := 0
	switch s.Suffix.Unit {
	case Tokens:
		_, n = FirstTokens(after, s.Suffix.N)
	case Lines:
		for i := 0; i <= s.Suffix.N; i++ {
			end := strings.IndexByte(after[n:], '\n')
			if end < 0 {
				return len(after)
			}
			n += end + 1
		}
	case Bytes:
		for n = min(s.Suffix.N, len(after)); n < len(after) && !utf8.RuneStart(after[n]); n-- {
		}
	}
	if s.WholeLines && n < len(after) {
		if end := strings.LastIndexByte(after[:n], '\n'); end >= 0 {
			return end + 1
		}
	}
	return n
}
