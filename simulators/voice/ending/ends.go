package ending

import (
	"slices"
	"strings"
	"unicode"
)

// Ends says how a transcript ends.
type Ends uint8

const (
	WithNeither     Ends = iota
	WithPunctuation      // a mark that ends a sentence
	WithNumber           // digits, or a word for them, whatever mark follows
)

// EndsOf returns how a text ends. English words for numbers count; "one" and "oh", which
// mean other things too, do so after another number only.
func EndsOf(text string) Ends {
	words := strings.Fields(text)
	if len(words) == 0 {
		return WithNeither
	}
	last := words[len(words)-1]
	switch {
	case endsNumber(words):
		return WithNumber
	case strings.ContainsAny(last[len(strings.TrimRight(last, ".!?…。！？")):], ".!?…。！？"):
		return WithPunctuation
	}
	return WithNeither
}

// endsNumber reports whether the last of the words is a number, which "oh" and "one" are
// when the words before them are.
func endsNumber(words []string) bool {
	for i := len(words) - 1; i >= 0; i-- {
		word := strings.TrimRightFunc(strings.ToLower(words[i]), unicode.IsPunct)
		switch {
		case word == "oh" || word == "one":
			continue
		case word == "":
			return false
		case slices.Contains(numbers, word):
			return true
		}
		return unicode.IsDigit(rune(word[len(word)-1]))
	}
	return false
}

var numbers = strings.Fields(`zero two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
	seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million`)
