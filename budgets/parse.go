package budgets

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"

	"halfsecond/pipeline/quantile"
)

// ParseError says where an expression stops making sense.
type ParseError struct {
	Text    string // the expression
	Column  int    // in characters, from 1
	Found   string // what stands there
	Want    string // what would be right
	Nearest string // the nearest valid name, "" when none is near
}

// Error returns the expression, the place, and what would be right there.
func (e *ParseError) Error() string {
	msg := fmt.Sprintf("budget %q, column %d: found %s, want %s", e.Text, e.Column, e.Found, e.Want)
	if e.Nearest != "" {
		msg += fmt.Sprintf("; did you mean %q?", e.Nearest)
	}
	return msg
}

// Parse reads one expression over the given metrics; Metrics returns those of a
// kind of interaction. Every error is a *ParseError.
func Parse(text string, known []Metric) (Budget, error) {
	p := &parser{text: text}
	b := p.budget(known)
	if p.err != nil {
		return Budget{}, p.err
	}
	return b, nil
}

// parser reads an expression from left to right. After its first error it
// stays where it is and every method returns a zero value.
type parser struct {
	text string
	at   int
	err  *ParseError
}

func (p *parser) budget(known []Metric) Budget {
	p.space()
	start := p.at
	b := p.function()
	p.sign("(")
	b.Metric = p.metric(known)
	if p.err == nil && b.Function != Mean && b.Metric.single() {
		p.failAt(start, fmt.Sprintf("mean: %s is one number for the whole run", b.Metric.Name), "mean")
	}
	if b.Function == ShareWhere {
		b.Inner = p.limit(b.Metric.Unit)
	}
	p.sign(")")
	b.Limit = p.limit(b.unit())
	if p.space(); p.at < len(p.text) {
		p.fail("the end", "")
	}
	return b
}

func (p *parser) function() Budget {
	const want = "mean, max, share or a percentile such as p95"
	start, name := p.word()
	switch name {
	case "mean":
		return Budget{Function: Mean}
	case "max":
		return Budget{Function: Max}
	case "share":
		return Budget{Function: ShareWhere}
	}
	if percent, found := strings.CutPrefix(name, "p"); found && percent != "" && percent[0] != '.' {
		if q, err := quantile.Percent(percent); err == nil {
			return Budget{Function: Quantile, Q: q}
		}
	}
	p.failAt(start, want, nearest(name, []string{"mean", "max", "share", "p50", "p95", "p99"}))
	return Budget{}
}

func (p *parser) metric(known []Metric) Metric {
	start, name := p.word()
	names := make([]string, len(known))
	for i, m := range known {
		if m.Name == name {
			return m
		}
		names[i] = m.Name
	}
	near := nearest(name, names)
	want := "a metric"
	if near == "" {
		want += ": " + strings.Join(names, ", ")
	}
	p.failAt(start, want, near)
	return Metric{}
}

func (p *parser) limit(u Unit) Limit {
	return Limit{Comparison: p.comparison(), Value: p.quantity(u), Unit: u}
}

func (p *parser) comparison() Comparison {
	p.space()
	for _, c := range []Comparison{AtMost, AtLeast, Less, Greater} { // the longer signs first
		if strings.HasPrefix(p.text[p.at:], c.String()) && p.err == nil {
			p.at += len(c.String())
			return c
		}
	}
	p.fail("<, <=, > or >=", "")
	return Less
}

// quantity reads a number and the unit that goes with u.
func (p *parser) quantity(u Unit) float64 {
	p.space()
	start := p.at
	digits := p.while(func(c byte) bool { return c >= '0' && c <= '9' || c == '.' })
	number, ok := new(big.Rat).SetString(digits)
	if !ok || digits[0] == '.' || len(digits) > 18 {
		p.failAt(start, fmt.Sprintf("a number such as %s", u.sample()), "")
		return 0
	}
	scale := p.scale(u)
	if p.err != nil {
		return 0
	}
	v, ok := exact(number.Mul(number, scale), u)
	if !ok {
		p.failAt(start, u.wants(), "")
	}
	return v
}

// sample returns a quantity of the unit, for messages.
func (u Unit) sample() string {
	return [...]string{"500ms", "90%", "1.2", "25 tok/s", "10/s"}[u]
}

func (u Unit) wants() string {
	if u == Share {
		return "a share from 0% to 100% with at most 7 decimals"
	}
	return "a whole number of nanoseconds, at most 100 days"
}

// exact returns the number as a value of the unit, and whether it can be held
// without rounding where the unit asks for that.
func exact(number *big.Rat, u Unit) (float64, bool) {
	v, _ := number.Float64()
	switch u {
	case Duration:
		return v, number.IsInt() && v <= float64(100*24*time.Hour)
	case Share:
		parts := new(big.Rat).Mul(number, big.NewRat(1_000_000_000, 1))
		return v, parts.IsInt() && v <= 1
	default:
		return v, true
	}
}

var durationUnits = []struct {
	name string
	unit time.Duration
}{
	{"ns", 1}, {"us", time.Microsecond}, {"µs", time.Microsecond}, {"μs", time.Microsecond},
	{"ms", time.Millisecond}, {"s", time.Second},
}

// scale reads the sign of the unit and returns what the number before it is to
// be multiplied with.
func (p *parser) scale(u Unit) *big.Rat {
	p.space()
	start := p.at
	sign := p.while(func(c byte) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '/' || c == '%' || c >= utf8.RuneSelf
	})
	switch {
	case u == Duration:
		for _, d := range durationUnits {
			if d.name == sign {
				return big.NewRat(int64(d.unit), 1)
			}
		}
		p.failAt(start, "a unit of time: ns, us, ms or s", "")
	case u == Share && sign == "%":
		return big.NewRat(1, 100)
	case u == Share:
		p.failAt(start, "%", "")
	case sign != strings.TrimSpace(u.suffix()):
		p.failAt(start, u.wantsSign(), "")
	}
	return big.NewRat(1, 1)
}

func (u Unit) wantsSign() string {
	if u == Count {
		return "no unit: the metric is a plain number"
	}
	return strings.TrimSpace(u.suffix())
}

func (p *parser) sign(s string) {
	p.space()
	if !strings.HasPrefix(p.text[p.at:], s) {
		p.fail(strconv.Quote(s), "")
		return
	}
	p.at += len(s)
}

func (p *parser) word() (start int, word string) {
	p.space()
	start = p.at
	return start, p.while(wordByte)
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.'
}

func (p *parser) space() {
	p.while(func(c byte) bool { return c == ' ' || c == '\t' })
}

// while moves past the bytes that belong and returns them; after an error it
// moves nowhere.
func (p *parser) while(belongs func(c byte) bool) string {
	start := p.at
	for p.err == nil && p.at < len(p.text) && belongs(p.text[p.at]) {
		p.at++
	}
	return p.text[start:p.at]
}

func (p *parser) fail(want, near string) { p.failAt(p.at, want, near) }

func (p *parser) failAt(at int, want, near string) {
	if p.err != nil {
		return
	}
	p.err = &ParseError{
		Text: p.text, Column: 1 + utf8.RuneCountInString(p.text[:at]), Found: found(p.text[at:]), Want: want, Nearest: near,
	}
}

// found names what a text begins with: a word, or one other character.
func found(text string) string {
	if text == "" {
		return "the end"
	}
	end := 0
	for end < len(text) && wordByte(text[end]) {
		end++
	}
	if end == 0 {
		_, end = utf8.DecodeRuneInString(text)
	}
	return strconv.Quote(text[:end])
}

// nearest returns the name that takes the fewest edits to reach, the first of
// several; "" when that is more than half of the word.
func nearest(word string, names []string) string {
	best, distance := "", max(2, len(word)/2)+1
	for _, name := range slices.Sorted(slices.Values(names)) {
		if d := levenshtein.ComputeDistance(word, name); d < distance {
			best, distance = name, d
		}
	}
	if word == "" {
		return ""
	}
	return best
}
