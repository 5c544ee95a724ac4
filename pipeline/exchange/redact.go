package exchange

import (
	"bytes"
	"slices"
)

// leastPart is how many letters of a secret's beginning or end are worth hiding. Vendors
// repeat the last four of a key, so that its owner knows which one is meant; nobody can
// use these. A secret of fewer letters is a key such as EMPTY, which a server of one's own
// is given for want of one: it is hidden as a word, and stays part of longer ones; and it is
// hidden where secrets are told, see short.go, or an answer of such a server could not be read
// again.
const leastPart = 8

// noSecrets are words of JSON, which nobody takes for a secret.
var noSecrets = []string{"null", "true", "false"}

// Mask returns a text about a failure in which asterisks stand for a secret, be it in capitals or
// not: one for each of its letters, so that the text keeps its size. Of a secret of eight letters
// or more they also stand for eight and more of its beginning or of its end; a shorter one is
// hidden where it is a word of its own, and not where it is digits alone. It may also be written
// in another way, see forms.
func Mask(text, secret string) string {
	if !sayable(secret) {
		return text
	}
	return mask(text, secret)
}

func mask(text, secret string) string {
	if b := []byte(text); maskBytes(b, secret) {
		return string(b)
	}
	return text
}

// maskBytes hides a secret in a text in place, wherever it stands, and reports whether it was
// there. It takes as much memory as the text beside it.
func maskBytes(text []byte, secret string) bool {
	if !isSecret(secret) || len(text) < min(leastPart, len(secret)) {
		return false
	}
	m := newCover(text)
	m.parts(forms(secret))
	return m.hid
}

// isSecret reports whether anybody takes a text for a secret.
func isSecret(text string) bool {
	return text != "" && !slices.Contains(noSecrets, string(lower([]byte(text))))
}

// cover is the masking of one text.
type cover struct {
	text        []byte // masked as far as that has come
	low, secret []byte // in small letters
	fresh, hid  bool   // something was hidden since low was settled, and ever
}

func newCover(text []byte) *cover { return &cover{text: text, low: lower(text)} }

// parts hides a secret of these forms, and long parts of it.
func (m *cover) parts(forms []string) {
	for _, form := range forms {
		m.secret = lower([]byte(form))
		n := min(leastPart, len(form))
		m.heads(n)
		m.tails(n)
	}
	m.settle()
}

// settle has what was hidden be so for the next secret.
func (m *cover) settle() {
	if m.fresh {
		copy(m.low, lower(m.text))
		m.fresh = false
	}
}

// heads hides what begins as the secret does, for n letters or more.
func (m *cover) heads(n int) {
	for at := 0; ; {
		i := bytes.Index(m.low[at:], m.secret[:n])
		if i < 0 {
			return
		}
		from, k := at+i, n
		for k < len(m.secret) && from+k < len(m.low) && m.low[from+k] == m.secret[k] {
			k++
		}
		at = from + k
		m.hide(from, at)
	}
}

// tails hides what ends as the secret does, for n letters or more.
func (m *cover) tails(n int) {
	tail := m.secret[len(m.secret)-n:]
	for at := 0; ; {
		i := bytes.Index(m.low[at:], tail)
		if i < 0 {
			return
		}
		at += i + n
		k := n
		for k < len(m.secret) && k < at && m.low[at-k-1] == m.secret[len(m.secret)-k-1] {
			k++
		}
		m.hide(at-k, at)
	}
}

// hide puts asterisks over a part of the text, unless it is a part of a word that is
// too short to be a secret.
func (m *cover) hide(from, to int) {
	if len(m.secret) < leastPart && (m.goesOn(from-1, from) || m.goesOn(to-1, to)) {
		return
	}
	m.cover(from, to)
}

func (m *cover) cover(from, to int) {
	m.fresh, m.hid = true, true
	for i := from; i < to; i++ {
		m.text[i] = '*'
	}
}

// goesOn reports whether the letters at two neighbouring places are of one word.
func (m *cover) goesOn(i, j int) bool {
	return i >= 0 && j < len(m.low) && inWord(m.low[i]) && inWord(m.low[j])
}

func inWord(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_'
}

// lower returns a copy of a text with small letters for those of ASCII.
func lower(text []byte) []byte {
	b := slices.Clone(text)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return b
}
