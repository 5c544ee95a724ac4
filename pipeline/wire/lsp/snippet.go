package lsp

import "strings"

// mostNested is how deep placeholders lie in each other, and mostWork how many steps are made
// for a character of a template: what is deeper, or comes later, stands as it is.
const (
	mostNested = 32
	mostWork   = 64
)

// Fill returns the text of a template as it is when nobody has touched its placeholders:
// ${1:name} is name and, elsewhere, $1 as well; of a choice ${1|a,b|} the first counts; a tab
// stop without a text is nothing, and so is a variable without one ($TM_FILENAME), for
// nobody here knows its value. A backslash before $, } or \ stands for the character alone.
// What is no template stands as it is written.
//
// Source: LSP 3.18, snippet syntax.
func Fill(template string) string {
	first := filler{stops: map[string]string{}}
	first.s = template
	first.text(0, "")
	// A tab stop may stand before the place that names its text.
	f := filler{s: template, stops: first.stops}
	return f.text(0, "")
}

// filler reads a template.
type filler struct {
	s     string
	at    int
	stops map[string]string // texts of placeholders by their numbers
	work  int               // steps made
}

// text reads to one of the characters of ends, which it leaves, or to the end.
func (f *filler) text(depth int, ends string) string {
	var b strings.Builder
	for f.at < len(f.s) {
		c := f.s[f.at]
		f.work++
		switch {
		case c == '\\' && f.at+1 < len(f.s) && strings.IndexByte(`$}\,|`, f.s[f.at+1]) >= 0:
			b.WriteByte(f.s[f.at+1])
			f.at += 2
		case strings.IndexByte(ends, c) >= 0:
			return b.String()
		case c == '$' && depth < mostNested && f.work <= mostWork*len(f.s):
			b.WriteString(f.dollar(depth))
		default:
			b.WriteByte(c)
			f.at++
		}
	}
	return b.String()
}

// dollar reads what a dollar sign begins, and returns the sign where that is nothing.
func (f *filler) dollar(depth int) string {
	from := f.at
	f.at++
	braced := f.at < len(f.s) && f.s[f.at] == '{'
	if braced {
		f.at++
	}
	name := f.name()
	if name != "" && !braced {
		return f.stops[name]
	}
	if name != "" {
		if text, ok := f.braces(name, depth); ok {
			return text
		}
	}
	f.at = from + 1
	return "$"
}

// name reads the number of a tab stop or the name of a variable.
func (f *filler) name() string {
	from := f.at
	digits := f.at < len(f.s) && isDigit(f.s[f.at])
	for f.at < len(f.s) && (isDigit(f.s[f.at]) || !digits && isLetter(f.s[f.at])) {
		f.at++
	}
	return f.s[from:f.at]
}

// braces reads what follows the name in braces. ok is false when it is no placeholder.
func (f *filler) braces(name string, depth int) (text string, ok bool) {
	if f.at == len(f.s) {
		return "", false
	}
	kind := f.s[f.at]
	f.at++
	switch kind {
	case '}':
		return f.stops[name], true
	case ':':
		text = f.text(depth+1, "}")
		ok = f.skip("}")
	case '|':
		text = f.text(mostNested, ",|")
		for f.skip(",") {
			f.text(mostNested, ",|")
		}
		ok = f.skip("|}")
	case '/': // a change of what the place holds, which is nothing
		f.text(mostNested, "/")
		ok = f.skip("/")
		depth := 0 // of the formats in it, such as ${1:/upcase}
		for ok && f.at < len(f.s) && (f.s[f.at] != '}' || depth > 0) {
			switch {
			case f.s[f.at] == '\\':
				f.at++
			case strings.HasPrefix(f.s[f.at:], "${"):
				depth++
			case f.s[f.at] == '}':
				depth--
			}
			f.at++
		}
		return "", ok && f.skip("}")
	}
	if _, known := f.stops[name]; ok && !known {
		f.stops[name] = text
	}
	return text, ok
}

// skip passes over a text that comes next, if it does.
func (f *filler) skip(text string) bool {
	ok := f.at <= len(f.s) && strings.HasPrefix(f.s[f.at:], text)
	if ok {
		f.at += len(text)
	}
	return ok
}

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }
