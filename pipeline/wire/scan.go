package wire

import "unicode/utf8"

// scan reads JSON of a plain shape much faster than encoding/json does. Its methods
// report false where the text has another shape, or might mean something else to
// encoding/json: then nothing that they gave may be used, and encoding/json has to read
// it all.
type scan struct {
	text []byte
	at   int
}

// next returns the next byte that is no white space, 0 at the end.
func (s *scan) next() byte {
	for ; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// take takes c if it is next.
func (s *scan) take(c byte) bool {
	if s.next() != c {
		return false
	}
	s.at++
	return true
}

// word takes a word such as null if it is next.
func (s *scan) word(w string) bool {
	if s.next(); len(s.text)-s.at < len(w) || string(s.text[s.at:s.at+len(w)]) != w {
		return false
	}
	s.at += len(w)
	return true
}

// end reports whether there is no more.
func (s *scan) end() bool { return s.next() == 0 && s.at == len(s.text) }

// object takes an object, and calls value with each key for it to take what belongs to
// it.
func (s *scan) object(value func(key []byte) bool) bool {
	if !s.take('{') {
		return false
	}
	if s.take('}') {
		return true
	}
	for {
		key, ok := s.plain()
		if !ok || !s.take(':') || !value(key) {
			return false
		}
		if s.take('}') {
			return true
		}
		if !s.take(',') {
			return false
		}
	}
}

// plain takes a string without escapes and returns what is between its quotes.
func (s *scan) plain() ([]byte, bool) {
	inner, escaped, ok := s.quoted()
	return inner, ok && !escaped
}

// quoted takes a string and returns what is between its quotes.
func (s *scan) quoted() (inner []byte, escaped, ok bool) {
	if !s.take('"') {
		return nil, false, false
	}
	for i, rest := 0, s.text[s.at:]; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == '"':
			s.at += i + 1
			return rest[:i], escaped, true
		case c == '\\':
			escaped = true
			i++ // what is escaped may be a quote
		case c < ' ':
			return nil, false, false
		}
	}
	return nil, false, false
}

// string takes a string into v; null leaves v as it is.
func (s *scan) string(v *string) bool {
	if s.next() == 'n' {
		return s.word("null")
	}
	inner, escaped, ok := s.quoted()
	if !ok || !utf8.Valid(inner) {
		return false
	}
	if escaped {
		return unescape(inner, v)
	}
	*v = string(inner)
	return true
}

// escapes are the bytes that stand behind a backslash, and what for.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescape puts into v what the inside of a string stands for, unless that is said in
// code points.
func unescape(inner []byte, v *string) bool {
	var room [64]byte
	plain := room[:0]
	for i := 0; i < len(inner); i++ {
		c := inner[i]
		if c == '\\' {
			i++
			if c = escapes[inner[i]]; c == 0 {
				return false
			}
		}
		plain = append(plain, c)
	}
	*v = string(plain)
	return true
}

// count takes a whole number of few digits into v; null leaves v as it is.
func (s *scan) count(v *int) bool {
	if s.next() == 'n' {
		return s.word("null")
	}
	digits, ok := s.digits()
	if !ok || len(digits) > 9 {
		return false
	}
	*v = 0
	for _, c := range digits {
		*v = 10**v + int(c-'0')
	}
	return true
}

// digits takes a number that is nothing but its digits.
func (s *scan) digits() ([]byte, bool) {
	s.next()
	rest := s.text[s.at:]
	n := 0
	for n < len(rest) && rest[n]-'0' <= 9 {
		n++
	}
	s.at += n
	return rest[:n], n == 1 || n > 1 && rest[0] != '0'
}

// skip takes a value of which nothing is wanted: a string without escapes, a whole
// number, or a word.
func (s *scan) skip() (ok bool) {
	switch s.next() {
	case '"':
		_, ok = s.plain()
	case 'n':
		ok = s.word("null")
	case 't':
		ok = s.word("true")
	case 'f':
		ok = s.word("false")
	default:
		_, ok = s.digits()
	}
	return ok
}
