package exchange

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// spelling is a string of JSON, as it is written and without its escapes.
type spelling struct {
	written []byte
	said    []byte
	at      []int // where in written each byte of said begins
}

// spelled reads what stands between the quotes of a string of JSON. What is no escape of JSON
// stands for itself.
func spelled(b []byte) *spelling {
	s := &spelling{written: b}
	for i := 0; i < len(b); {
		sign, n := leading(b[i:])
		for range sign {
			s.at = append(s.at, i)
		}
		s.said = append(s.said, sign...)
		i += n
	}
	return s
}

// leading returns the sign that a text begins with, and how many bytes it is written in.
func leading(b []byte) (sign []byte, n int) {
	if b[0] != '\\' || len(b) < 2 {
		return b[:1], 1
	}
	switch c := b[1]; c {
	case 'b', 'f', 'n', 'r', 't':
		return []byte{' '}, 2 // of no word
	case 'u':
		return inHex(b)
	default:
		return b[1:2], 2
	}
}

// inHex does it for a text that begins with \u, which may take two of them for one sign.
func inHex(b []byte) (sign []byte, n int) {
	r, ok := unit(b)
	if !ok {
		return b[:1], 1
	}
	n = 6
	if utf16.IsSurrogate(r) {
		low, _ := unit(b[n:])
		if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
			n = 12
		}
	}
	return utf8.AppendRune(nil, r), n
}

// unit returns what the escape \u at the beginning of a text stands for.
func unit(b []byte) (r rune, ok bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	return rune(n), err == nil
}

// hide writes asterisks for what they stand for in a masked copy of what is said.
func (s *spelling) hide(masked []byte) {
	for i, c := range masked {
		if c == s.said[i] {
			continue
		}
		for k := s.at[i]; k < s.end(i); k++ {
			s.written[k] = '*'
		}
	}
}

// end returns where the sign of a byte of said ends.
func (s *spelling) end(i int) int {
	for k := i + 1; k < len(s.at); k++ {
		if s.at[k] > s.at[i] {
			return s.at[k]
		}
	}
	return len(s.written)
}
