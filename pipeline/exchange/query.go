package exchange

import (
	"bytes"
	"maps"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Query is what a URL says behind its path, and in front of its host: it may hold something
// that opens a door. The zero Query is none.
type Query struct {
	secrets []string // hidden as a key is
	pairs   []string // hidden where they stand whole, name and value
}

// random matches a value of any name that is taken for a secret: a UUID, or 16 letters and
// digits in a row, which versions, dates and names of models do not have. Assumed.
var random = regexp.MustCompile(`(?i)[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-z]{16}`)

// QueryOf returns that of a URL; one that cannot be read, and is none, says what stands behind
// its first question mark.
func QueryOf(text string) (q Query) {
	q.url(text, math.MaxInt)
	return q
}

// url takes what a URL says, while there are fewer texts than so many.
func (q *Query) url(text string, most int) {
	full := func() bool { return len(q.secrets)+len(q.pairs) >= most }
	if full() {
		return
	}
	if u, err := url.Parse(text); err == nil && u.User != nil {
		password, _ := u.User.Password()
		q.secret(u.User.Username())
		q.secret(password)
	}
	i := strings.IndexAny(text, "?#")
	if i < 0 {
		return
	}
	for part := range strings.FieldsFuncSeq(text[i+1:], func(r rune) bool { return r == '&' || r == ';' || r == '?' || r == '#' }) {
		if full() {
			return
		}
		q.part(part, most)
	}
}

// part takes one parameter, as it stands in the URL and without its escapes. Of a value that is
// a URL itself, as where a login goes on to, it takes that one's parameters, and not the whole for
// a secret.
func (q *Query) part(part string, most int) {
	name, value, paired := strings.Cut(part, "=")
	if !paired {
		name, value = "", part
	}
	names, odd := spellings(name)
	plainName := names[len(names)-1]
	values, _ := spellings(value)
	for _, v := range values {
		anyCode := len(v) < leastPart && strings.EqualFold(plainName, "code") // that of logins is longer
		nested := address.MatchString(v)
		if (odd || namesSecret(plainName)) && !anyCode || !nested && isRandom(v) {
			q.secret(v)
		}
		if nested {
			q.nested(v, most)
		}
		switch {
		case paired && v != "":
			for _, n := range names {
				q.pairs = with(q.pairs, n+"="+v)
			}
		case len(v) >= leastForm: // a word alone may be any, such as that of JSON
			q.pairs = with(q.pairs, "?"+v, "&"+v, "#"+v)
		}
	}
}

// address matches a URL, or a path with parameters.
var address = regexp.MustCompile(`^(?:[A-Za-z][A-Za-z0-9+.-]*:)?/.*|^[^=&]*[?#].*=`)

// nested takes what a URL says that is a value in another one, and what in its path is random.
func (q *Query) nested(text string, most int) {
	q.url(text, most)
	path, _, _ := strings.Cut(text, "?")
	for part := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '/' || r == '#' || r == ':' }) {
		if isRandom(part) && len(q.secrets) < most {
			q.secret(part)
		}
	}
}

// mostEscapes is how often a text may be escaped again: once for each URL that is a value in
// another.
const mostEscapes = 4

// spellings returns a text as it stands in a URL and, where those are others, without its escapes,
// and without those that stood in them. odd says that the first cannot be read.
func spellings(text string) (all []string, odd bool) {
	all = []string{text}
	for range mostEscapes {
		plain, err := url.QueryUnescape(text)
		if err != nil {
			return all, len(all) == 1
		}
		if plain == text {
			break
		}
		all, text = append(all, plain), plain
	}
	return all, false
}

func (q *Query) secret(s string) {
	if isSecret(s) {
		q.secrets = with(q.secrets, s)
	}
}

// with returns a list with more in it, each once.
func with(list []string, more ...string) []string {
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// isRandom reports whether a value of any name is taken for a secret.
func isRandom(s string) bool { return random.MatchString(s) && mixed(s) }

// mixed reports whether a value is letters and digits, as one that nobody chose.
func mixed(s string) bool {
	return strings.ContainsAny(s, "0123456789") && !strings.ContainsAny(s, " ,") &&
		strings.ContainsFunc(s, func(r rune) bool { return 'a' <= r|0x20 && r|0x20 <= 'z' })
}

// Empty reports whether it says nothing.
func (q Query) Empty() bool { return len(q.secrets)+len(q.pairs) == 0 }

// And returns what both say.
func (q Query) And(other Query) Query {
	return Query{with(slices.Clip(q.secrets), other.secrets...), with(slices.Clip(q.pairs), other.pairs...)}
}

// Mask returns a text in which asterisks stand for what a query says, one for each letter, in
// any of the ways that a server may repeat it in: for a value that is, or by its name may be, a
// secret wherever it stands, as Mask hides a key; for any parameter where its name and its
// value stand together. Other values alone, such as that of encoding=linear16, are words of
// an API, and stay.
func (q Query) Mask(text string) string { return q.masked(text, sayable) }

// MaskText does what Mask does, to a text that nobody expects a secret in, see MaskText.
func (q Query) MaskText(text string) string { return q.masked(text, odd) }

// MaskHeader does what Mask does, to the value of a header, see MaskHeader.
func (q Query) MaskHeader(name, value string) string {
	if slices.Contains(readHeaders, strings.ToLower(name)) {
		return q.MaskText(value)
	}
	return q.masked(value, isSecret)
}

func (q Query) masked(text string, which func(secret string) bool) string {
	if b := []byte(text); q.cover(b, which, true) {
		return string(b)
	}
	return text
}

// hide takes what the query says out of a body of a kind, in place, and reports whether it was
// there. Failed says that the body is of a failure. In sound anything but a long secret is by
// chance.
func (q Query) hide(b []byte, kind string, failed bool) bool {
	hid := q.cover(b, func(secret string) bool { return len(secret) >= leastPart }, !isSound(kind, b))
	for _, s := range q.secrets {
		if len(s) < leastPart {
			hid = seek(b, kind, s, failed) || hid
		}
	}
	return hid
}

// cover hides in a text those secrets that are wanted, and the pairs if these are, and reports
// whether any was there.
func (q Query) cover(text []byte, which func(secret string) bool, pairs bool) bool {
	if q.Empty() {
		return false
	}
	m := newCover(text)
	for _, s := range q.secrets {
		if which(s) {
			m.parts(forms(s))
		}
	}
	for _, p := range q.pairs {
		if pairs {
			m.whole(p)
		}
	}
	return m.hid
}

// mostWords is how many bytes of what a server says of a failure are looked at: a record has
// room for some hundred of them, and the rest of a page of many MiB is in the raw log.
const mostWords = 16 << 10

// Words returns what a server says of a failure, masked, and not more of it than is worth
// telling: up to the white space in front of mostWords.
func (q Query) Words(text string) string {
	if len(text) > mostWords {
		text = text[:mostWords]
		if i := strings.LastIndexAny(text, " \t\r\n"); i > 0 {
			text = text[:i]
		}
	}
	return q.Mask(text)
}

// whole hides what is all of a secret, and not part of a longer word.
func (m *cover) whole(secret string) {
	for _, form := range forms(secret) {
		m.secret = lower([]byte(form))
		for at := 0; ; {
			i := bytes.Index(m.low[at:], m.secret)
			if i < 0 {
				break
			}
			from := at + i
			at = from + len(m.secret)
			if (!m.goesOn(from-1, from) || separated(m.low[:from])) && !m.goesOn(at-1, at) {
				m.cover(from, at)
			}
		}
	}
	m.settle()
}

// separated reports whether a text ends with what stands in front of a parameter, escaped: as
// part of another URL, or in JSON.
func separated(low []byte) bool {
	return slices.ContainsFunc([]string{"%26", "%3f", "%3b", "%23", `\u0026`, `\u003f`, "%2526", "%253f"}, func(s string) bool { return bytes.HasSuffix(low, []byte(s)) })
}

// leadElsewhere are the headers of a response that name other places, in small letters.
var leadElsewhere = []string{"location", "content-location", "refresh", "link"}

// behindPath matches what a URL in a header says behind its path.
var behindPath = regexp.MustCompile(`[?#][^\s<>"',]*`)

// beforeHost matches what one says up to its host, where it names a user.
var beforeHost = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://[^\s<>"',/?#]*@`)

// mostLed is how many texts are hidden that the headers of a response say, or two more: headers
// may have a MiB, and each text is some ten passes over the whole answer. What was asked with
// is hidden besides.
const mostLed = 100

// Led returns what the headers of a response say in the queries of the places that they lead
// to.
func Led(headers map[string][]string) (q Query) {
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		if slices.Contains(leadElsewhere, strings.ToLower(name)) {
			for _, v := range headers[name] {
				q.led(name, v)
			}
		}
	}
	return q
}

// led takes what one header says.
func (q *Query) led(name, value string) {
	if isPlace(name) {
		q.url(value, mostLed)
		return
	}
	for _, user := range beforeHost.FindAllString(value, mostLed) {
		q.url(user+"host", mostLed)
	}
	for _, part := range behindPath.FindAllString(value, -1) {
		q.url(part, mostLed)
	}
}

// isPlace reports whether a header is one URL; others that lead elsewhere have them among words.
func isPlace(name string) bool {
	return strings.EqualFold(name, "Location") || strings.EqualFold(name, "Content-Location")
}

// place returns what is kept of a header: of one that leads elsewhere no query.
func place(name, value string) string {
	switch {
	case isPlace(name):
		return Place(value)
	case slices.Contains(leadElsewhere, strings.ToLower(name)):
		return beforeHost.ReplaceAllStringFunc(behindPath.ReplaceAllString(value, ""), func(user string) string { return user[:strings.Index(user, "//")+2] })
	}
	return value
}
