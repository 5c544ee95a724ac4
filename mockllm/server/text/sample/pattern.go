package sample

import (
	"regexp/syntax"
	"strings"

	"halfsecond/pipeline/dist"
)

// moreRepeats is how often a sampled text repeats at most what a pattern lets it repeat
// without need.
const moreRepeats = 3

// matching returns a text that matches a regular expression; ok is false for one that
// Go's syntax does not have, such as one that looks ahead.
func matching(pattern string, dice *dist.Rand) (text string, ok bool) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", false
	}
	var b strings.Builder
	match(&b, re, dice)
	return b.String(), true
}

func match(b *strings.Builder, re *syntax.Regexp, dice *dist.Rand) {
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(oneOf(re.Rune, dice))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte("abcdefghijklmnopqrstuvwxyz"[dice.IntN(26)])
	case syntax.OpStar:
		repeat(b, re.Sub[0], 0, -1, dice)
	case syntax.OpPlus:
		repeat(b, re.Sub[0], 1, -1, dice)
	case syntax.OpQuest:
		repeat(b, re.Sub[0], 0, 1, dice)
	case syntax.OpRepeat:
		repeat(b, re.Sub[0], re.Min, re.Max, dice)
	case syntax.OpAlternate:
		match(b, re.Sub[dice.IntN(len(re.Sub))], dice)
	case syntax.OpConcat, syntax.OpCapture:
		for _, sub := range re.Sub {
			match(b, sub, dice)
		}
	}
}

// repeat writes at least low repetitions and, unless high is -1, at most high. A text
// that has grown over maxSample grows no further.
func repeat(b *strings.Builder, re *syntax.Regexp, low, high int, dice *dist.Rand) {
	if high < 0 || high > low+moreRepeats {
		high = low + moreRepeats
	}
	for range low + dice.IntN(high-low+1) {
		if b.Len() > maxSample {
			return
		}
		match(b, re, dice)
	}
}

// oneOf returns a character of a class, given as pairs of first and last: of the first
// pair that holds plain letters, digits or signs.
func oneOf(pairs []rune, dice *dist.Rand) rune {
	for i := 0; i+1 < len(pairs); i += 2 {
		first, last := max(pairs[i], '!'), min(pairs[i+1], '~')
		if first <= last {
			return first + rune(dice.IntN(int(last-first)+1))
		}
	}
	if len(pairs) == 0 {
		return 'x' // a class that matches nothing
	}
	return pairs[0]
}
