package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// decodeLine reads the line of an exchange. The body, which makes all of the size of a long
// one, is read where it stands, so that it takes no memory beside its line, which is lost.
func decodeLine(text []byte, hashed bool) (*Exchange, error) {
	from, to := bodyIn(text)
	rest := text
	if to > 0 {
		rest = slices.Concat(text[:from], text[to:])
	}
	var l line
	if err := decode(rest, &l); err != nil {
		return nil, err
	}
	if to > 0 {
		if l.Body != "" {
			return nil, errors.New("body: it is there twice")
		}
		body, err := unquoted(text[from:to:to])
		if err != nil {
			return nil, fmt.Errorf("body: %w", err)
		}
		return l.exchange(hashed, body)
	}
	return l.exchange(hashed, []byte(l.Body))
}

func decode(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

// bodyIn returns what stands between the quotation marks of the body in a line; to is 0
// where there is none.
func bodyIn(text []byte) (from, to int) {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			end := i + stringEnd(text[i:])
			if depth == 1 && string(text[i:end]) == `"body"` && bytes.HasPrefix(text[end:], []byte(`:"`)) {
				from = end + len(`:"`)
				to = end + 1 + stringEnd(text[end+1:]) - 1
				if !utf8.Valid(text[from:max(from, to)]) {
					return 0, 0 // left to the decoder, which puts U+FFFD in places
				}
				return from, max(from, to)
			}
			i = end - 1
		}
	}
	return 0, 0
}

// stringEnd returns where the string ends that a JSON text begins with.
func stringEnd(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return len(text)
}

// escapes are the short ones of a JSON string.
var escapes = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unquoted returns what a JSON string says between its quotation marks, in its place.
func unquoted(s []byte) ([]byte, error) {
	out := s[:0]
	for len(s) > 0 {
		n := bytes.IndexByte(s, '\\')
		if n < 0 {
			n = len(s)
		}
		if i := slices.IndexFunc(s[:n], func(c byte) bool { return c < ' ' }); i >= 0 {
			return nil, fmt.Errorf("the character %#02x has no place in a string", s[i])
		}
		out, s = append(out, s[:n]...), s[n:]
		if len(s) == 0 {
			break
		}
		r, n := unescaped(s)
		if n == 0 {
			return nil, fmt.Errorf("%.6q is no escape", s)
		}
		out, s = utf8.AppendRune(out, r), s[n:]
	}
	return out, nil
}

// unescaped returns the character of the escape that s begins with, and how long that is; 0
// where it is none. What is no character is U+FFFD.
func unescaped(s []byte) (r rune, n int) {
	if len(s) < 2 {
		return 0, 0
	}
	if c, ok := escapes[s[1]]; ok {
		return rune(c), 2
	}
	r = codeUnit(s)
	if r < 0 {
		return 0, 0
	}
	if pair := utf16.DecodeRune(r, codeUnit(s[6:])); pair != utf8.RuneError {
		return pair, 12
	}
	return r, 6
}

// codeUnit returns the number of the escape \u0000 that s begins with, -1 for none.
func codeUnit(s []byte) rune {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return -1
	}
	n, err := strconv.ParseUint(string(s[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(n)
}
