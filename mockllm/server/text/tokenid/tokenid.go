// Package tokenid numbers tokens, although the mock's tokenizer has no vocabulary.
package tokenid

import (
	"hash/fnv"
	"math"
	"strings"

	"halfsecond/mockllm/token"
)

// The mock's tokenizer has no vocabulary, so a token that a client names by its number
// has no text. It stands in a prompt as a text of one token that no other number has.

const (
	firstDigit = '\ua000' // of 64 letters of the Yi syllabary, one a digit
	digitsOf   = 6        // what the tokenizer takes for one word
	bitsOf     = 6        // of a digit
)

// Text returns the text that stands for a token given by its number, which must be
// one of a vocabulary: from 0 to 2^31-1.
func Text(n int) (text string, ok bool) {
	if n < 0 || n > math.MaxInt32 {
		return "", false
	}
	digits := make([]rune, digitsOf)
	for i := range digits {
		digits[i] = firstDigit + rune(n>>(bitsOf*i)&(1<<bitsOf-1))
	}
	return string(digits), true
}

// Texts is Text for a list.
func Texts(list []int) (text string, ok bool) {
	var b strings.Builder
	for _, n := range list {
		t, ok := Text(n)
		if !ok {
			return "", false
		}
		b.WriteString(t)
	}
	return b.String(), true
}

// Of returns the number of a token. The mock's tokenizer has no vocabulary, so it
// is a hash of the token's text, which never changes and cannot be turned back: FNV-1a
// of 32 bits without the highest, to fit the signed integers of clients.
func Of(text string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text)) // a hash never fails
	return int(h.Sum32() &^ (1 << 31))
}

// Append appends the number of each token of some texts.
func Append(dst []int, texts ...string) []int {
	for _, text := range texts {
		for len(text) > 0 {
			n := token.Next(text)
			dst = append(dst, Of(text[:n]))
			text = text[n:]
		}
	}
	return dst
}
