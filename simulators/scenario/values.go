package scenario

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"

	"halfsecond/budgets"
	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/roofline"
	"halfsecond/pipeline/strict"
)

// scalar returns the form of a value that is one unquoted word. parse returns
// false for a word of another kind, and bounds what must hold when the value is
// an impossible one.
func scalar[T any](want string, parse func(string) (T, bool), bounds func(T) string, write func(T) string) form[T] {
	read := func(r *reader, n ast.Node) (T, bool) {
		text, unquoted := plain(n)
		v, ok := parse(text)
		if !ok || !unquoted {
			r.Fail(n, "want %s; found %s", want, strict.Describe(n))
			return v, false
		}
		if must := bounds(v); must != "" {
			r.Fail(n, "%s is not possible: it must be %s", text, must)
			return v, false
		}
		return v, true
	}
	return form[T]{want: want, read: read, write: func(v T) tree { return tree{text: write(v)} }}
}

// between returns the bounds of values from lo to hi, both included.
func between[T int | float64 | time.Duration](lo, hi T, write func(T) string) func(T) string {
	return func(v T) string {
		if v < lo || v > hi {
			return fmt.Sprintf("from %s to %s", write(lo), write(hi))
		}
		return ""
	}
}

var (
	wholeNumber   = regexp.MustCompile(`^-?[0-9]+$`)
	decimalNumber = regexp.MustCompile(`^-?([0-9]+(\.[0-9]*)?|\.[0-9]+)$`)
	rateText      = regexp.MustCompile(`^(-?[0-9.]+)/(s|min|h)$`)
	partText      = regexp.MustCompile(`^([0-9]+(\.[0-9]{0,7})?|\.[0-9]{1,7})%$`)
)

func whole(lo, hi int) form[int] {
	parse := func(s string) (int, bool) {
		v, err := strconv.Atoi(s)
		return v, err == nil && wholeNumber.MatchString(s)
	}
	return scalar("a whole number", parse, between(lo, hi, strconv.Itoa), strconv.Itoa)
}

// seed is the form of a number from 0 to 2^64-1.
var seed = scalar("a whole number from 0 on",
	func(s string) (uint64, bool) {
		v, err := strconv.ParseUint(s, 10, 64)
		return v, err == nil && wholeNumber.MatchString(s)
	},
	func(uint64) string { return "" },
	func(v uint64) string { return strconv.FormatUint(v, 10) })

func number(s string) (float64, bool) {
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && decimalNumber.MatchString(s)
}

func decimal(lo, hi float64) form[float64] {
	return scalar("a number", number, between(lo, hi, budgets.Exact), budgets.Exact)
}

// share is the form of a part of a whole, from 0 to 1.
var share = scalar("a share such as 60%",
	func(s string) (float64, bool) {
		digits, percent := strings.CutSuffix(s, "%")
		if v, ok := number(digits); !ok || !percent {
			return v, ok
		}
		v, err := strconv.ParseFloat(digits+"e-2", 64)
		return v, err == nil
	}, between(0, 1, budgets.Exact), budgets.Exact)

// rate is the form of a number of requests a second.
var rate = rates(func(v float64) string {
	if v < leastRate || v > mostRate {
		return "from 0.36/h to 1000000/s"
	}
	return ""
})

// rateOr0 is the form of one that may be nothing.
var rateOr0 = rates(func(v float64) string {
	if v != 0 && (v < leastRate || v > mostRate) {
		return "0/s, or from 0.36/h to 1000000/s"
	}
	return ""
})

// The smallest and the largest rate, requests a second.
const (
	leastRate = 1e-4
	mostRate  = 1e6
)

func rates(bounds func(float64) string) form[float64] {
	return scalar("a rate such as 2/s, 90/min or 500/h",
		func(s string) (float64, bool) {
			m := rateText.FindStringSubmatch(s)
			if m == nil {
				return 0, false
			}
			v, ok := number(m[1])
			return v / map[string]float64{"s": 1, "min": 60, "h": 3600}[m[2]], ok
		}, bounds, func(v float64) string { return budgets.Exact(v) + "/s" })
}

func parseDuration(s string) (time.Duration, bool) {
	d, err := time.ParseDuration(s)
	return d, err == nil
}

func duration(lo, hi time.Duration) form[time.Duration] {
	return scalar("a duration with its unit, such as 180ms", parseDuration, between(lo, hi, time.Duration.String), time.Duration.String)
}

// boolean is the form of true and false.
var boolean = form[bool]{
	want: "true or false",
	read: func(r *reader, n ast.Node) (bool, bool) {
		b, ok := n.(*ast.BoolNode)
		if !ok {
			r.Fail(n, "want true or false; found %s", strict.Describe(n))
			return false, false
		}
		return b.Value, true
	},
	write: func(v bool) tree { return tree{text: strconv.FormatBool(v)} },
}

// text is the form of a line of text that valid accepts.
func text(want string, valid func(string) bool) form[string] {
	return form[string]{
		want: want,
		read: func(r *reader, n ast.Node) (string, bool) {
			s, ok := n.(*ast.StringNode)
			if !ok || !valid(s.Value) {
				r.Fail(n, "want %s; found %s", want, strict.Describe(n))
				return "", false
			}
			return s.Value, true
		},
		write: func(v string) tree {
			if v == "" {
				return tree{}
			}
			return tree{text: quoted(v)}
		},
	}
}

func printable(s string) bool {
	return s != "" && utf8.RuneCountInString(s) <= 200 && !strings.ContainsFunc(s, func(c rune) bool { return !unicode.IsPrint(c) })
}

var (
	oneLine = text("a line of up to 200 characters", printable)
	envName = unshown("the name of an environment variable", regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`).MatchString)
)

// unshown is a text that is not repeated where it is wrong: people put the key itself there.
func unshown(want string, valid func(string) bool) form[string] {
	f := text(want, valid)
	read := f.read
	f.read = func(r *reader, n ast.Node) (string, bool) {
		if s, ok := n.(*ast.StringNode); ok && !valid(s.Value) {
			r.Fail(n, "want %s; what stands here is none, and is not repeated, since it may be a key", want)
			return "", false
		}
		return read(r, n)
	}
	return f
}

// address is the form of a service's URL. One with a key in it is not repeated in
// the message.
var address = addressOf("an address such as https://api.example.com/v1", "http", "https")

// speechAddress is the form of the URL of a service that may be reached over WebSockets.
var speechAddress = addressOf("an address such as wss://api.example.com/v1", "http", "https", "ws", "wss")

func addressOf(want string, schemes ...string) form[string] {
	f := text(want, func(s string) bool {
		u, err := url.Parse(s)
		return err == nil && slices.Contains(schemes, u.Scheme) && u.Host != "" && printable(s)
	})
	line := f.read
	f.read = func(r *reader, n ast.Node) (string, bool) {
		if s, ok := n.(*ast.StringNode); ok && strings.ContainsAny(s.Value, "@?#") {
			r.Fail(n, "an address has no user, key or query in it: name the variable that holds the key with key_env")
			return "", false
		}
		return line(r, n)
	}
	return f
}

// enum is the form of one of a few words.
func enum(words ...string) form[string] {
	return form[string]{
		want: strings.Join(words, " | "),
		read: func(r *reader, n ast.Node) (string, bool) {
			if s, ok := n.(*ast.StringNode); ok && slices.Contains(words, s.Value) {
				return s.Value, true
			}
			r.Fail(n, "found %s; %s", strict.Describe(n), strict.Suggest(n.GetToken().Value, words))
			return "", false
		},
		write: func(v string) tree { return tree{text: v} },
	}
}

// names is the form of one of a few values that have words of their own.
func names[T interface {
	comparable
	fmt.Stringer
}](values ...T) form[T] {
	byWord, words := map[string]T{}, make([]string, len(values))
	for i, v := range values {
		byWord[v.String()], words[i] = v, v.String()
	}
	return as(enum(words...), func(word string) T { return byWord[word] }, T.String)
}

// named is the form of the name of a row in the catalogue. find returns the name
// as the catalogue spells it.
func named(want string, find func(c *catalog.Catalog, name string) (string, error)) form[string] {
	return form[string]{
		want: want,
		read: func(r *reader, n ast.Node) (string, bool) {
			s, ok := n.(*ast.StringNode)
			if !ok {
				r.Fail(n, "want %s; found %s", want, strict.Describe(n))
				return "", false
			}
			c := r.rows
			if c == nil {
				c = catalog.Builtin()
			}
			name, err := find(c, s.Value)
			if err != nil {
				r.Fail(n, "%s", err)
			}
			return name, err == nil
		},
		write: func(v string) tree { return tree{text: quoted(v)} },
	}
}

var hardware = named("a name from `halfsecond catalog hardware`", func(c *catalog.Catalog, name string) (string, error) {
	row, err := c.Hardware(name)
	return row.Name, err
})

var model = named("a name from `halfsecond catalog models`", findModel)

func findModel(c *catalog.Catalog, name string) (string, error) {
	row, err := c.Model(name)
	return row.Name, err
}

var software = named("a name from `halfsecond catalog engines`", func(c *catalog.Catalog, name string) (string, error) {
	row, err := c.Engine(name)
	return row.Name, err
})

// drafter is the form of what proposes tokens: a word, or a model.
var drafter = named("ngram, eagle, mtp or a name from `halfsecond catalog models`", func(c *catalog.Catalog, name string) (string, error) {
	if slices.Contains(draftWords, name) {
		return name, nil
	}
	return findModel(c, name)
})

var weightFormat = named("native, or a format such as fp16, fp8, int4, Q4_K_M or Q4_K_M@4.7", func(_ *catalog.Catalog, name string) (string, error) {
	f, err := roofline.ParseFormat(name)
	return f.String(), err
})

// kvFormats returns the names of the formats of caches.
func kvFormats() []string {
	var names []string
	for _, f := range roofline.KVFormats() {
		names = append(names, f.String())
	}
	return names
}
