// Package token is the mock's own tokenizer and its inverse, a writer of texts
// with an exact token count. Clients that make their prompts with it send exactly
// as many tokens as a simulation of the same scenario counts.
//
// It is no model's vocabulary. It cuts text as byte-pair tokenizers tend to: a
// word of up to six letters with the space before it, up to three digits, a run
// of white space with its line breaks, or one sign. For English and code that
// gives about four characters a token.
package token

import (
	"unicode"
	"unicode/utf8"
)

const (
	maxLetters = 6
	maxDigits  = 3
	maxBlank   = 16
)

// Next returns the length in bytes of the first token of text: 0 for no text,
// else at least one whole character.
func Next(text string) int {
	at := 0
	if len(text) > 1 && text[0] == ' ' && !blank(rune(text[1])) {
		at = 1
	}
	first, size := utf8.DecodeRuneInString(text[at:])
	switch {
	case size == 0:
		return 0
	case unicode.IsLetter(first) || first == '_':
		return at + run(text[at:], maxLetters, letter)
	case unicode.IsDigit(first):
		return at + run(text[at:], maxDigits, unicode.IsDigit)
	case blank(first):
		return at + blankRun(text[at:])
	}
	return at + size
}

// Count returns the number of tokens in text.
func Count(text string) int {
	n := 0
	for len(text) > 0 {
		text = text[Next(text):]
		n++
	}
	return n
}

// Prefix returns the first n tokens of text, or all of it when it has fewer.
func Prefix(text string, n int) string {
	at := 0
	for ; n > 0 && at < len(text); n-- {
		at += Next(text[at:])
	}
	return text[:at]
}

// run returns the length of the first at most n characters that belong to a class.
func run(text string, n int, class func(rune) bool) int {
	at := 0
	for range n {
		r, size := utf8.DecodeRuneInString(text[at:])
		if size == 0 || !class(r) {
			break
		}
		at += size
	}
	return at
}

// blankRun returns the length of a run of white space. A single space that is
// followed by something else is left to that something.
func blankRun(text string) int {
	n := run(text, maxBlank, blank)
	if n > 1 && n < len(text) && text[n-1] == ' ' && text[n-2] != ' ' {
		if r, _ := utf8.DecodeRuneInString(text[n:]); !blank(r) {
			return n - 1
		}
	}
	return n
}

func letter(r rune) bool { return unicode.IsLetter(r) || r == '_' }

func blank(r rune) bool { return r == ' ' || r == '\n' || r == '\t' || r == '\r' }
