// Package token is the mock's own tokenizer and its inverse, a writer of texts
// with an exact token count. Clients that make their prompts with it send exactly
// as many tokens as a simulation of the same scenario counts, and share as much of
// them with other prompts.
//
// Read token.go for the tokenizer, passage.go for texts that are made of named
// segments, and block.go for how prompts are compared in a cache of prefixes.
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

// Lookahead is how many bytes past its end a token can depend on: a blank and one
// character.
const Lookahead = 1 + utf8.UTFMax

// Next returns the length in bytes of the first token of text: 0 for no text,
// else at least one whole character.
func Next(text string) int {
	at := 0
	if len(text) > 1 && text[0] == ' ' && classes[text[1]] != blank {
		at = 1
	}
	switch first, size := classAt(text, at); first {
	case letter:
		return at + run(text[at:], maxLetters, letter)
	case digit:
		return at + run(text[at:], maxDigits, digit)
	case blank:
		return at + blankRun(text[at:])
	default:
		return at + size
	}
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
func run(text string, n int, c class) int {
	at := 0
	for range n {
		is, size := classAt(text, at)
		if size == 0 || is != c {
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
	if n > 1 && n < len(text) && text[n-1] == ' ' && text[n-2] != ' ' && classes[text[n]] != blank {
		return n - 1
	}
	return n
}

// class is a kind of character.
type class uint8

const (
	sign class = iota
	letter
	digit
	blank
)

// classes holds the class of each character of one byte, and sign for the bytes of
// longer ones, none of which is blank.
var classes = func() (table [256]class) {
	for c := range rune(utf8.RuneSelf) {
		table[c] = classOf(c)
	}
	return table
}()

// classAt returns the class and the length of the character that begins there; the
// length is 0 at the end of the text.
func classAt(text string, at int) (c class, size int) {
	if at < len(text) && text[at] < utf8.RuneSelf {
		return classes[text[at]], 1
	}
	return classBeyond(text[at:])
}

// classBeyond is classAt for a character of several bytes, and for none. It is a
// function of its own so that the common case is compiled into its callers.
func classBeyond(text string) (c class, size int) {
	r, size := utf8.DecodeRuneInString(text)
	return classOf(r), size
}

func classOf(r rune) class {
	switch {
	case unicode.IsLetter(r) || r == '_':
		return letter
	case unicode.IsDigit(r):
		return digit
	case r == ' ' || r == '\n' || r == '\t' || r == '\r':
		return blank
	}
	return sign
}
