// Package prompt makes the prompts of a ghost-text plugin out of a document.
//
// Read window.go first: how much of the document goes in. tally.go counts tokens
// as the document grows.
package prompt

import (
	"halfsecond/mockllm/token"
)

// lookahead is the number of bytes past its end that a token can depend on: a
// blank and one character.
const lookahead = 5

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

// last returns how many tokens, at most n, the end of the text holds, and the
// byte at which they begin.
func (t *tally) last(text []byte, n int) (tokens, from int) {
	t.settle(text)
	first := len(t.ends) - n
	if first <= 0 {
		return len(t.ends), 0
	}
	return n, int(t.ends[first-1])
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

// ahead counts the first tokens of a text that seldom changes, and remembers the
// answer. The zero ahead belongs to the empty text.
type ahead struct {
	text          string
	n             int
	tokens, bytes int
}

// first returns how many tokens, at most n, the start of the text holds, and
// their length.
func (a *ahead) first(text string, n int) (tokens, bytes int) {
	if a.n == n && a.text == text {
		return a.tokens, a.bytes
	}
	tokens, bytes = FirstTokens(text, n)
	*a = ahead{text, n, tokens, bytes}
	return tokens, bytes
}

// FirstTokens returns how many tokens, at most n, the start of the text holds,
// and their length in bytes.
func FirstTokens(text string, n int) (tokens, bytes int) {
	for ; tokens < n && bytes < len(text); tokens++ {
		bytes += token.Next(text[bytes:])
	}
	return tokens, bytes
}
