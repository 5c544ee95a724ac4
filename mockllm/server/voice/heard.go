package voice

import (
	"crypto/sha256"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode"

	"halfsecond/mockllm/speech"
)

// plain returns a word in lower case and without marks, as recognizers write what they
// do not format; those inside it stay, as in "o'clock". It is empty for a dash.
func plain(word string) string {
	return strings.ToLower(strings.TrimFunc(word, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
	}))
}

// spelled returns the words as they are written, with a space between.
func spelled(words []speech.Word) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.Text
	}
	return strings.Join(texts, " ")
}

// flattened returns the words in their plain form, without those that have none.
func flattened(words []speech.Word) []speech.Word {
	flat := make([]speech.Word, 0, len(words))
	for _, w := range words {
		if w.Text = plain(w.Text); w.Text != "" {
			flat = append(flat, w)
		}
	}
	return flat
}

// meanConfidence returns that of the words, and 0 for none.
func meanConfidence(words []speech.Word) float64 {
	sum := 0.
	for _, w := range words {
		sum += w.Confidence
	}
	return fourDigits(sum / float64(max(1, len(words))))
}

// inSeconds returns a position in seconds, to the millisecond.
func inSeconds(d time.Duration) float64 {
	return float64(d.Round(time.Millisecond)/time.Millisecond) / 1000
}

func fourDigits(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// newUUID returns a UUID that this service gives only once.
func (s *Service) newUUID() string { return uuidOf(s.newID("")) }

// uuidOf returns the UUID of a name: version 8, whose bits are the maker's (RFC 9562).
func uuidOf(name string) string {
	h := sha256.Sum256([]byte(name))
	h[6], h[8] = h[6]&0x0F|0x80, h[8]&0x3F|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", h[:4], h[4:6], h[6:8], h[8:10], h[10:16])
}
