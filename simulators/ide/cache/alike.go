package cache

import (
	"bytes"
	"strings"

	"github.com/agnivade/levenshtein"
)

// fits reports whether an entry's text is that of a point, whose text before the cursor
// was such; fuzzy is whether it may also differ as the rules allow.
func (c *Cache) fits(e *entry, before []byte, p *Point, fuzzy bool) bool {
	return e.ends(before) && e.After == p.After || fuzzy && c.config.Fuzzy.alike(e, before, p)
}

// alike reports whether one of the rules looks past the differences.
func (f *Fuzzy) alike(e *entry, before []byte, p *Point) bool {
	was := e.before()
	return f.LostLines > 0 && e.After == p.After && lost(was, before, f.LostLines) ||
		f.Near.Before > 0 && f.Near.After > 0 && f.Near.alike(was, before, e.After, p.After) ||
		f.Spaces && spaced(was, before) && spaced(e.After, p.After) ||
		f.Edits.Lines > 0 && f.Edits.alike(was, before, e.After, p.After)
}

// lost reports whether a text is what is left of another without some of its first lines,
// at most n.
func lost(was, text []byte, n int) bool {
	for range n {
		i := bytes.IndexByte(was, '\n')
		if i < 0 {
			return false
		}
		if was = was[i+1:]; bytes.Equal(was, text) {
			return true
		}
	}
	return false
}

// alike reports whether the texts around two places are the same near them.
func (n *Near) alike(was, before []byte, wasAfter, after string) bool {
	return bytes.HasSuffix(before, was[max(0, len(was)-n.Before):]) && strings.HasPrefix(after, wasAfter[:min(n.After, len(wasAfter))])
}

// spaced reports whether two texts are the same but for the lengths of their white space.
func spaced[T ~string | ~[]byte](a, b T) bool {
	i, j := skip(a, 0), skip(b, 0)
	for i < len(a) && j < len(b) {
		if a[i] != b[j] {
			return false
		}
		i, j = i+1, j+1
		x, y := skip(a, i), skip(b, j)
		if (x > i) != (y > j) && x < len(a) && y < len(b) {
			return false
		}
		i, j = x, y
	}
	return i == len(a) && j == len(b)
}

// skip returns where the white space ends that begins there.
func skip[T ~string | ~[]byte](text T, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] >= '\t' && text[at] <= '\r') {
		at++
	}
	return at
}

// alike reports whether the lines above two places differ by little.
func (r *Edits) alike(was, before []byte, wasAfter, after string) bool {
	wasAbove, wasLine := split(was)
	above, line := split(before)
	if !bytes.Equal(wasLine, line) || nextLine(wasAfter) != nextLine(after) {
		return false
	}
	wasFar, far := wasAbove, above
	for range r.Lines {
		wasFar, _ = split(wasFar)
		far, _ = split(far)
	}
	if !bytes.Equal(wasFar, far) {
		return false
	}
	for range r.Lines {
		var a, b []byte
		wasAbove, a = split(wasAbove)
		above, b = split(above)
		if (len(a) == 0) != (len(b) == 0) || !r.close(string(a), string(b)) {
			return false
		}
	}
	return true
}

// close reports whether a line is as little different as it may be.
func (r *Edits) close(was, line string) bool {
	allowed := r.Base
	if r.Step > 0 {
		allowed += len(was) / r.Step
	}
	allowed = min(allowed, r.Most)
	return was == line || levenshtein.ComputeDistance(was, line) <= allowed
}

// split parts a text into its last line and what stands above it, without white space at
// the ends.
func split(text []byte) (above, line []byte) {
	i := bytes.LastIndexByte(text, '\n') + 1
	return bytes.TrimSpace(text[:i]), text[i:]
}

// nextLine returns the first line below the current one that is not blank.
func nextLine(after string) string {
	_, below, _ := strings.Cut(after, "\n")
	for line := range strings.Lines(below) {
		if strings.TrimSpace(line) != "" {
			return line
		}
	}
	return ""
}
