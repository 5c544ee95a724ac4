package voice

import (
	"strings"
	"unicode/utf8"
)

// sentence gathers the text of a reply until the first sentence ends. The end is
// seen with the sign itself: it does not look ahead to what follows.
type sentence struct {
	text strings.Builder
}

// add takes the next piece of text and reports whether the first sentence is
// complete.
func (s *sentence) add(text string) bool {
	s.text.WriteString(text)
	said := strings.TrimLeft(s.text.String(), " \t\r\n")
	return strings.ContainsFunc(said, endsSentence)
}

func endsSentence(r rune) bool {
	return r < utf8.RuneSelf && strings.ContainsRune(".!?\n", r) || strings.ContainsRune("。！？…", r)
}
