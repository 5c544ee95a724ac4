package voice

import (
	"strings"
	"unicode/utf8"
)

// sentence watches the text of a reply until the first sentence ends. The end is
// seen with the sign itself: it does not look ahead to what follows. It looks at each
// piece of text once, so that an answer without an end costs no more a piece the longer
// it is.
type sentence struct {
	begun bool // there was more than white space
}

// add takes the next piece of text and reports whether it completes the first
// sentence. A line feed before the first other character ends nothing.
func (s *sentence) add(text string) bool {
	if !s.begun {
		text = strings.TrimLeft(text, " \t\r\n")
		s.begun = text != ""
	}
	return strings.ContainsFunc(text, endsSentence)
}

func endsSentence(r rune) bool {
	return r < utf8.RuneSelf && strings.ContainsRune(".!?\n", r) || strings.ContainsRune("。！？…", r)
}
