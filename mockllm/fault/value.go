package fault

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"halfsecond/pipeline/strict"
)

// word returns the text of a scalar, and whether it was written without quotes.
func word(n ast.Node) (text string, bare bool) {
	switch v := n.(type) {
	case *ast.StringNode:
		t := v.GetToken()
		return v.Value, t.Type != token.SingleQuoteType && t.Type != token.DoubleQuoteType
	case *ast.LiteralNode:
		return v.Value.Value, false
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, true
	}
	return "", false
}

func isWord(n ast.Node) bool {
	switch n.(type) {
	case *ast.StringNode, *ast.LiteralNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return true
	}
	return false
}

// scalar returns the key of a value that is one word. parse returns false for a word
// of another kind, and bounds what must hold when the value is an impossible one.
func scalar[T comparable](name, want string, at *T, parse func(text string, bare bool) (T, bool), bounds func(T) string, text func(T) string) key {
	return key{
		name: name, want: want,
		read: func(r *reader, n ast.Node) {
			s, bare := word(n)
			v, ok := parse(s, bare)
			if !ok || !isWord(n) {
				r.Fail(n, "want %s; found %s", want, strict.Describe(n))
			} else if must := bounds(v); must != "" {
				r.Fail(n, "%s is not possible: it must be %s", s, must)
			} else {
				*at = v
			}
		},
		show: func() json.RawMessage {
			var zero T
			if *at == zero {
				return nil
			}
			return json.RawMessage(text(*at))
		},
	}
}

// between returns the bounds of values from lo to hi, both included.
func between[T int | float64 | time.Duration](lo, hi T) func(T) string {
	return func(v T) string {
		if v < lo || v > hi {
			return fmt.Sprintf("from %v to %v", lo, hi)
		}
		return ""
	}
}

var (
	wholeNumber   = regexp.MustCompile(`^-?[0-9]+$`)
	decimalNumber = regexp.MustCompile(`^-?([0-9]+(\.[0-9]*)?|\.[0-9]+)$`)
)

// count returns the key of a whole number from lo to hi.
func count(name, what string, at *int, lo, hi int) key {
	parse := func(s string, bare bool) (int, bool) {
		v, err := strconv.Atoi(s)
		return v, err == nil && bare && wholeNumber.MatchString(s)
	}
	return scalar(name, what, at, parse, between(lo, hi), strconv.Itoa)
}

// number returns the key of a whole number from 0 to 2^64-1.
func number(name, what string, at *uint64) key {
	parse := func(s string, bare bool) (uint64, bool) {
		v, err := strconv.ParseUint(s, 10, 64)
		return v, err == nil && bare && wholeNumber.MatchString(s)
	}
	return scalar(name, what, at, parse, func(uint64) string { return "" }, func(v uint64) string { return strconv.FormatUint(v, 10) })
}

// longest bounds every duration of a rule.
const longest = 24 * time.Hour

// span returns the key of a duration above zero.
func span(name, what string, at *time.Duration) key {
	parse := func(s string, _ bool) (time.Duration, bool) {
		d, err := time.ParseDuration(s)
		return d, err == nil
	}
	return scalar(name, what+" with its unit, such as 200ms", at, parse, between(time.Nanosecond, longest), func(d time.Duration) string { return strconv.Quote(d.String()) })
}

// share returns the key of a part of a whole, above 0 and up to 1.
func share(name string, at *float64) key {
	parse := func(s string, _ bool) (float64, bool) {
		digits, percent := strings.CutSuffix(s, "%")
		v, err := strconv.ParseFloat(digits, 64)
		if percent {
			v, err = strconv.ParseFloat(digits+"e-2", 64)
		}
		return v, err == nil && decimalNumber.MatchString(digits)
	}
	bounds := func(v float64) string {
		if v <= 0 || v > 1 {
			return "above 0 and at most 1"
		}
		return ""
	}
	return scalar(name, "a share such as 5%", at, parse, bounds, func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) })
}

// text returns the key of a text of up to that many bytes.
func text(name, what string, at *string, most int) key {
	bounds := func(s string) string {
		if len(s) > most || s == "" {
			return fmt.Sprintf("of 1 to %d bytes", most)
		}
		return ""
	}
	return scalar(name, what, at, func(s string, _ bool) (string, bool) { return s, true }, bounds, quote)
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(fmt.Sprintf("fault: %v", err)) // a string always encodes
	}
	return string(b)
}

// enum returns the key of one of a few words.
func enum[T ~string](name string, at *T, words ...T) key {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = string(w)
	}
	return key{
		name: name, want: strings.Join(all, " | "),
		read: func(r *reader, n ast.Node) {
			s, _ := word(n)
			if !slices.Contains(all, s) {
				r.Fail(n, "found %s; %s", strict.Describe(n), strict.Suggest(s, all))
				return
			}
			*at = T(s)
		},
		show: func() json.RawMessage {
			if *at == "" {
				return nil
			}
			return json.RawMessage(quote(string(*at)))
		},
	}
}

// flag returns the key of true and false.
func flag(name string, at *bool) key {
	parse := func(s string, bare bool) (bool, bool) { return s == "true", bare && (s == "true" || s == "false") }
	k := scalar(name, "true or false", at, parse, func(bool) string { return "" }, strconv.FormatBool)
	k.flag = true
	return k
}

// headers returns the key of texts by the names of headers.
func headers(name, what string, at *map[string]string) key {
	return key{
		name: name, want: what,
		read: func(r *reader, n ast.Node) {
			values, ok := strict.Mapping(n)
			if !ok {
				r.Fail(n, "want %s; found %s", what, strict.Describe(n))
				return
			}
			*at = map[string]string{}
			for _, v := range values {
				r.header(v, *at)
			}
		},
		show: func() json.RawMessage {
			var keys []key
			for _, k := range slices.Sorted(maps.Keys(*at)) {
				keys = append(keys, key{name: k, show: func() json.RawMessage { return json.RawMessage(quote((*at)[k])) }})
			}
			if keys == nil {
				return nil
			}
			return show(keys)
		},
	}
}

var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

// header reads one header of a mapping.
func (r *reader) header(v *ast.MappingValueNode, into map[string]string) {
	name, _ := word(v.Key)
	r.Within(name, v.Key.GetToken().Position, func() {
		value, _ := word(v.Value)
		switch {
		case !headerName.MatchString(name):
			r.FailHere("this is no name of a header")
		case !isWord(v.Value) || strings.ContainsAny(value, "\r\n\x00"):
			r.Fail(v.Value, "want a text of one line; found %s", strict.Describe(v.Value))
		default:
			into[name] = value
		}
	})
}

// mostHeaders is how many headers an answer can go without.
const mostHeaders = 20

// headerNames returns the key of a header's name, or a list of some.
func headerNames(name string, at *[]string) key {
	want := fmt.Sprintf("the name of a header, or a list of at most %d", mostHeaders)
	return key{
		name: name, want: want,
		read: func(r *reader, n ast.Node) {
			all := []ast.Node{n}
			if list, isList := n.(*ast.SequenceNode); isList {
				all = list.Values
			}
			if len(all) == 0 || len(all) > mostHeaders {
				r.Fail(n, "want %s; found a list of %d", want, len(all))
				return
			}
			*at = nil
			for _, e := range all {
				if s, _ := word(e); isWord(e) && headerName.MatchString(s) {
					*at = append(*at, s)
				} else {
					r.Fail(e, "want %s; found %s", want, strict.Describe(e))
				}
			}
		},
		show: func() json.RawMessage {
			if *at == nil {
				return nil
			}
			b, err := json.Marshal(*at)
			if err != nil {
				panic(fmt.Sprintf("fault: %v", err)) // texts always encode
			}
			return b
		},
	}
}

// setting is a value with keys of its own.
type setting interface {
	keys() []key
	check() string // completes it and says what is wrong with it as a whole, or ""
}

// optional returns the key of a setting that may be absent as a whole. fresh holds
// its defaults; its first key may stand for all.
func optional[T any, P interface {
	*T
	setting
}](name, what string, at *P, fresh T) key {
	all := names(P(&fresh).keys())
	main := all[0]
	return key{
		name: name, want: what, main: main, has: all,
		read: func(r *reader, n ast.Node) {
			v := fresh
			if !r.object(n, main, P(&v).keys()) {
				return
			}
			if wrong := P(&v).check(); wrong != "" {
				r.Fail(n, "%s", wrong)
				return
			}
			*at = P(&v)
		},
		show: func() json.RawMessage {
			if *at == nil {
				return nil
			}
			return show((*at).keys())
		},
	}
}
