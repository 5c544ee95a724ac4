package exchange

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A secret of fewer letters than leastPart may be anybody's word: EMPTY, none, data, 0. Whoever
// hides it wherever it stands destroys what it is read from. So it is hidden by where that is:
// in headers and in what is said of a failure, where servers repeat keys, and as the value of a
// member that is named for one; elsewhere only where it is no word of anybody, see odd.

// leastOdd is how many letters and digits together are nobody's word.
const leastOdd = 4

// odd reports whether a secret is long, or short and such that nobody else writes it: letters
// and digits mixed.
func odd(secret string) bool {
	return len(secret) >= leastPart || len(secret) >= leastOdd && mixed(secret)
}

// sayable reports whether a secret may be hidden in words about a failure: it is not digits
// alone, which are a figure there.
func sayable(secret string) bool {
	return len(secret) >= leastPart || strings.ContainsFunc(secret, func(r rune) bool { return r < '0' || r > '9' })
}

// MaskText does what Mask does, to a text that nobody expects a secret in: what an answer says,
// and names that a program gives. A short secret is hidden only where it is letters and digits.
func MaskText(text, secret string) string {
	if !odd(secret) {
		return text
	}
	return Mask(text, secret)
}

// readHeaders are those by which a response is read, in small letters.
var readHeaders = []string{"content-type", "content-encoding", "retry-after", "retry-after-ms", "date", "halfsecond-date"}

// MaskHeader does what Mask does, to the value of a header, and hides there what is digits alone
// as well. In one by which the response is read a short secret is hidden as in MaskText.
func MaskHeader(name, value, secret string) string {
	if slices.Contains(readHeaders, strings.ToLower(name)) {
		return MaskText(value, secret)
	}
	return mask(value, secret)
}

// ofFailure matches JSON that says of itself that it is of a failure.
var ofFailure = regexp.MustCompile(`(?i)"(?:[a-z_]*type|event|status|state|level)"\s*:\s*"[^"]*(?:error|fail)`)

// seeker hides a short secret in texts that have a form, and leaves that form to be read.
type seeker struct {
	secret string
	forms  []string
	hid    bool
}

// seek hides a secret in the texts of a body of a kind and reports whether it was there. Failed
// says that the body is of a failure.
func seek(b []byte, kind, secret string, failed bool) bool {
	s := &seeker{secret: secret, forms: forms(secret)}
	m := masker{seeker: s, failed: failed}
	switch {
	case !s.within(b) || walk(b, kind, m) || isSound(kind) || !utf8.Valid(b):
	case bytes.ContainsAny(b[:1], "{["):
		m.mask(b)
	default:
		m.page(b)
	}
	return s.hid
}

// noText is the media type of bytes that are no text.
const noText = "application/octet-stream"

// isSound reports whether a body of a kind is no text, so that a short secret or another word is
// in it by chance.
func isSound(kind string) bool {
	return strings.HasPrefix(kind, "audio/") || strings.HasPrefix(kind, "video/") || kind == "application/ogg" || kind == noText
}

// within reports whether a text has the secret in it at all, be it in longer words.
func (s *seeker) within(b []byte) bool {
	low := lower(b)
	return slices.ContainsFunc(s.forms, func(form string) bool { return bytes.Contains(low, lower([]byte(form))) })
}

// text hides the secret in a text without escapes: anywhere as a word in one about a failure.
func (s *seeker) text(b []byte, failed bool) { s.in(newCover(b), failed) }

// quoted hides it in a string of JSON, in which a sign behind a backslash is of no word, as the
// n of \none is not.
func (s *seeker) quoted(b []byte, failed bool) {
	m := newCover(b)
	for i := 0; i+1 < len(b); i++ {
		if b[i] == '\\' {
			n := 2
			if b[i+1] == 'u' {
				n = 6
			}
			clear(m.low[i:min(i+n, len(b))])
			i += n - 1
		}
	}
	s.in(m, failed)
}

func (s *seeker) in(m *cover, failed bool) {
	if odd(s.secret) || failed && sayable(s.secret) {
		m.parts(s.forms)
		s.hid = s.hid || m.hid
	}
}

// value hides a string of JSON that is the secret and the value of a member that is named for one.
func (s *seeker) value(b []byte, named bool) {
	if named && bytes.EqualFold(b, []byte(s.secret)) {
		newCover(b).cover(0, len(b))
		s.hid = true
	}
}
