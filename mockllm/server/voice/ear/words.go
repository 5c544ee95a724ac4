package ear

import (
	"math"
	"strings"
	"unicode"

	"halfsecond/mockllm/speech"
)

// PlainWord returns a word in lower case and without marks, as recognizers write what
// they do not format; those inside it stay, as in "o'clock". It is empty for a dash.
func PlainWord(word string) string {
	return strings.ToLower(strings.TrimFunc(word, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
	}))
}

// Plain returns the words in their plain form, without those that have none.
func Plain(words []speech.Word) []speech.Word {
	flat := make([]speech.Word, 0, len(words))
	for _, w := range words {
		if w.Text = PlainWord(w.Text); w.Text != "" {
			flat = append(flat, w)
		}
	}
	return flat
}

// Spelled returns the words as they are written, with a space between.
func Spelled(words []speech.Word) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.Text
	}
	return strings.Join(texts, " ")
}

// MeanConfidence returns that of the words, and 0 for none.
func MeanConfidence(words []speech.Word) float64 {
	sum := 0.
	for _, w := range words {
		sum += w.Confidence
	}
	return FourDigits(sum / float64(max(1, len(words))))
}

// FourDigits returns a figure as services write them.
func FourDigits(x float64) float64 { return math.Round(x*1e4) / 1e4 }
