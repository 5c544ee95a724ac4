package voice

import (
	"strings"
	"unicode/utf8"
)

// sentence gathers the text of a reply until the first sentence ends. The end is
// seen with the sign itself: it does not look ahead to what follows.
type sentence struct {
	text strings.Builder
	done bool
}

// add takes the next piece of text and reports whether the first sentence is
// complete.
func (s *sentence) add(text string) bool {
	s.text.WriteString(text)
	s.done = strings.TrimSpace(s.text.String()) != "" && strings.ContainsFunc(text, endsSentence)
	return s.done
}

func endsSentence(r rune) bool {
	return r < utf8.RuneSelf && strings.ContainsRune(".!?\n", r) || strings.ContainsRune("。！？…", r)
}
