package prompt

import (
	"slices"

	"halfsecond/mockllm/token"
)

const lookahead = token.Lookahead

// tally counts the tokens of a text that grows and shrinks at its end. The zero
// tally belongs to the empty text.
type tally struct {
	ends []int32 // of the tokens from the start, as far as they are known
}

// cut says that the text is about to change from byte n on.
func (t *tally) cut(n int) {
	i := len(t.ends)
	for i > 0 && int(t.ends[i-1])+lookahead > n {
		i--
	}
	t.ends = t.ends[:i]
}

// settle finds the tokens that are not known.
func (t *tally) settle(text []byte) {
	at := 0
	if n := len(t.ends); n > 0 {
		at = int(t.ends[n-1])
	}
	for tail := string(text[at:]); len(tail) > 0; {
		n := token.Next(tail)
		at, tail = at+n, tail[n:]
		t.ends = append(t.ends, int32(at))
	}
}

// next returns the length of the first token of a text, of which it copies no more than
// that can depend on: a blank and six letters or three digits of up to four bytes each, or
// a run of sixteen blanks, and the character behind.
func next(text []byte) int { return token.Next(string(text[:min(len(text), 32)])) }

// count returns the tokens of text[a:b] by itself, and where the last of them begin: at a
// boundary that nothing behind b can move. The tokens of all of the text must be settled.
func (t *tally) count(text []byte, a, b int) (n, tail, tailTokens int) {
	at, counted := a, 0
	for tail = a; at < b && !t.boundary(at); n++ {
		at += next(text[at:b])
	}
	if last := t.boundaryUpTo(b - lookahead); at < b && last > at {
		n += t.until(last) - t.until(at)
		at, tail, counted = last, last, n
	}
	for ; at < b; n++ {
		at += next(text[at:b])
	}
	return n, tail, n - counted
}

// until returns how many tokens end up to a byte of the text.
func (t *tally) until(at int) int {
	n, _ := slices.BinarySearch(t.ends, int32(at+1))
	return n
}

// boundary reports whether a token ends, and the next begins, at a byte of the text.
func (t *tally) boundary(at int) bool { return t.boundaryUpTo(at) == at }

// boundaryUpTo returns the last boundary up to a byte of the text.
func (t *tally) boundaryUpTo(at int) int {
	if n := t.until(at); n > 0 {
		return int(t.ends[n-1])
	}
	return 0
}

// lines finds the starts of the lines of a text that grows and shrinks at its end. The
// zero lines belongs to the empty text.
type lines struct {
	starts []int32 // of all lines but the first
	seen   int
}

// cut says that the text is about to change from byte n on.
func (l *lines) cut(n int) {
	l.seen = min(l.seen, n)
	for len(l.starts) > 0 && int(l.starts[len(l.starts)-1]) > l.seen {
		l.starts = l.starts[:len(l.starts)-1]
	}
}

// settle finds the lines that are not known.
func (l *lines) settle(text []byte) {
	for i, c := range text[l.seen:] {
		if c == '\n' {
			l.starts = append(l.starts, int32(l.seen+i+1))
		}
	}
	l.seen = len(text)
}

// start returns where a line begins, counted from 0.
func (l *lines) start(line int) int {
	if line <= 0 {
		return 0
	}
	return int(l.starts[line-1])
}

// FirstTokens returns how many tokens, at most n, the start of the text holds,
// and their length in bytes.
func FirstTokens(text string, n int) (tokens, bytes int) {
	for ; tokens < n && bytes < len(text); tokens++ {
		bytes += token.Next(text[bytes:])
	}
	return tokens, bytes
}
