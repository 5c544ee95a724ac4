package exchange

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"
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
	case !s.within(b) || walk(b, kind, m) || isSound(kind, b):
	case bytes.ContainsAny(b[:1], "{["):
		m.mask(b)
	default:
		m.page(b)
	}
	return s.hid
}

// noText is the media type, of ours alone, of bytes that are known to be no text.
const noText = "audio/x-no-text"

// isSound reports whether a body of a kind is no text, so that a short secret or another word is
// in it by chance.
func isSound(kind string, b []byte) bool {
	switch {
	case strings.HasPrefix(kind, "audio/"), strings.HasPrefix(kind, "video/"), kind == "application/ogg":
		return true
	case strings.HasPrefix(kind, "text/"), strings.Contains(kind, "json"), strings.Contains(kind, "xml"):
		return false // in whatever alphabet
	}
	return !readsAsText(b)
}

// mostStray is which part of a text may be bytes that are no letters of UTF-8: one of ten, as in
// one with a word of another encoding. Of random bytes it is a third and more. Assumed.
const mostStray = 10

// readsAsText reports whether bytes of no particular kind are text.
func readsAsText(b []byte) bool {
	stray := 0
	for rest := b; len(rest) > 0; {
		r, n := utf8.DecodeRune(rest)
		if r == utf8.RuneError && n == 1 || r < ' ' && !strings.ContainsRune("\t\n\f\r", r) || r == 0x7f {
			stray++
		}
		rest = rest[n:]
	}
	return stray*mostStray <= len(b)
}

// within reports whether a text may have the secret in it at all, be it in longer words or escaped.
func (s *seeker) within(b []byte) bool {
	low := lower(b)
	return bytes.IndexByte(b, '\\') >= 0 || slices.ContainsFunc(s.forms, func(form string) bool { return bytes.Contains(low, lower([]byte(form))) })
}

// text hides the secret in a text without escapes: anywhere as a word in one about a failure.
func (s *seeker) text(b []byte, failed bool) {
	if odd(s.secret) || failed && sayable(s.secret) {
		m := newCover(b)
		m.parts(s.forms)
		s.hid = s.hid || m.hid
	}
}

// bare hides it in what came in place of JSON, which is no pieces that could be looked at one by
// one: lines that are JSON stay. A secret that is a word alone is found in the pieces.
func (s *seeker) bare(b []byte, failed bool) {
	if !odd(s.secret) && !signed(s.secret) || json.Valid(b) {
		return
	}
	for line := range bytes.Lines(b) {
		if !json.Valid(line) {
			s.text(line, failed)
		}
	}
}

// signed reports whether a short secret has other signs than letters, and is long enough to be no
// sign of JSON.
func signed(secret string) bool {
	return len(secret) >= leastOdd && strings.ContainsFunc(secret, func(r rune) bool { return !unicode.IsLetter(r) })
}

// quoted hides it in a string of JSON, where any sign may be escaped.
func (s *seeker) quoted(b []byte, failed bool) {
	if bytes.IndexByte(b, '\\') < 0 {
		s.text(b, failed)
		return
	}
	in := spelled(b)
	masked := bytes.Clone(in.said)
	s.text(masked, failed)
	in.hide(masked)
}

// value hides a string of JSON that is the secret and the value of a member that is named for one.
func (s *seeker) value(b []byte, named bool) {
	if named && bytes.EqualFold(spelled(b).said, []byte(s.secret)) {
		newCover(b).cover(0, len(b))
		s.hid = true
	}
}
