package text

import (
	"math"
	"strings"
	"unicode/utf8"

	"halfsecond/mockllm/token"
)

// The mock's tokenizer has no vocabulary, so a token that a client names by its number
// has no text. It stands in a prompt as a text of one token that no other number has.

const (
	numeralFirst  = '\ua000' // of 64 letters of the Yi syllabary, one a digit
	numeralDigits = 6        // what the tokenizer takes for one word
	numeralBits   = 6        // of a digit
)

// numeral returns the text that stands for a token given by its number, which must be
// one of a vocabulary: from 0 to 2^31-1.
func numeral(n int) (text string, ok bool) {
	if n < 0 || n > math.MaxInt32 {
		return "", false
	}
	digits := make([]rune, numeralDigits)
	for i := range digits {
		digits[i] = numeralFirst + rune(n>>(numeralBits*i)&(1<<numeralBits-1))
	}
	return string(digits), true
}

// numerals is numeral for a list.
func numerals(list []int) (text string, ok bool) {
	var b strings.Builder
	for _, n := range list {
		t, ok := numeral(n)
		if !ok {
			return "", false
		}
		b.WriteString(t)
	}
	return b.String(), true
}

// tail returns the last n tokens of a text, or all of it when it has fewer.
func tail(text string, n int) string {
	skip := token.Count(text) - n
	if skip <= 0 {
		return text
	}
	return text[len(token.Prefix(text, skip)):]
}

// lastBytes returns the last n bytes of a text, without the rest of a character that
// begins before them.
func lastBytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	at := len(text) - n
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return text[at:]
}
