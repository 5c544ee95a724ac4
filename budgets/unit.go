package budgets

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Unit says what the values of a metric are.
type Unit uint8

const (
	Duration  Unit = iota // nanoseconds, reported in ms
	Share                 // 0 to 1
	Count                 // a plain number
	TokenRate             // tokens a second
	Rate                  // something else a second

	seconds // Duration for a reader, from ten seconds on
)

// long is from when on a duration is shown in seconds.
const long = float64(10 * time.Second)

// String returns the unit as reports name it.
func (u Unit) String() string {
	return [...]string{"ms", "share", "count", "tok/s", "1/s"}[u]
}

// Reported returns a value of the unit as reports give it: a duration in ms,
// everything else as it is. A whole number of nanoseconds stays exact.
func (u Unit) Reported(v float64) float64 {
	if u == Duration {
		return v / float64(time.Millisecond)
	}
	return v
}

// Format returns the value for a reader: three digits or more, and its unit. A
// duration is in ms, from ten seconds on in s.
func (u Unit) Format(v float64) string { return u.FormatLike(v, v) }

// FormatLike is Format in ms or in s, as Format has a duration of another size.
func (u Unit) FormatLike(v, size float64) string {
	u = u.scaled(size)
	return u.formatTo(v, u.decimals(v))
}

// scaled returns the unit in which a value of this size is shown.
func (u Unit) scaled(size float64) Unit {
	if u == Duration && math.Abs(size) >= long {
		return seconds
	}
	return u
}

// FormatBeside returns v and other for a reader who compares them, with as many
// decimals as it takes to tell them apart, and the size of their difference with
// the same decimals. A difference of shares is in points, so that nobody takes it
// for a part of one of them.
func (u Unit) FormatBeside(v, other float64) (text, otherText, gap string) {
	u = u.scaled(max(math.Abs(v), math.Abs(other)))
	places := max(u.decimals(v), u.decimals(other))
	alike := func() bool {
		return u.formatTo(v, places) == u.formatTo(other, places) || u.formatTo(math.Abs(v-other), places) == u.formatTo(0, 0)
	}
	for v != other && places < 6 && alike() {
		places++
	}
	gap = u.formatTo(math.Abs(v-other), places)
	if u == Share {
		gap = strings.TrimSuffix(gap, u.suffix()) + " points"
		if gap == "1 points" {
			gap = "1 point"
		}
	}
	return u.formatTo(v, places), u.formatTo(other, places), gap
}

// formatTo returns the value with at most the given number of decimals, and its
// unit. Zeros at the end of the decimals are left out.
func (u Unit) formatTo(v float64, places int) string {
	number := Number(u.shown(v), places)
	if strings.Contains(number, ".") {
		number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
	}
	return number + u.suffix()
}

// shown returns the number that stands before the unit's sign.
func (u Unit) shown(v float64) float64 {
	switch u {
	case Share:
		return 100 * v
	case seconds:
		return v / float64(time.Second)
	}
	return u.Reported(v)
}

func (u Unit) suffix() string {
	return [...]string{" ms", " %", "", " tok/s", " /s", " s"}[u]
}

// decimals returns how many decimals show three digits of the value: three of
// them at most, but six where three would show nothing of it. Seconds have one more,
// so that they tell apart what ms would.
func (u Unit) decimals(v float64) int {
	switch v = math.Abs(u.shown(v)); {
	case u == seconds && v >= 1 && v < 100:
		return 2
	case u == seconds && v >= 100 && v < 1000:
		return 1
	case u == Share || v >= 10 && v < 100:
		return 1
	case v >= 100:
		return 0
	case v >= 1:
		return 2
	case v >= 0.001 || v == 0:
		return 3
	default:
		return 6
	}
}

// Row returns values of the unit for one row of a table, all with the decimals
// that the last of them asks for; one at least for durations, two for counts. Where
// the last is in s, all are.
func (u Unit) Row(values ...float64) []string {
	places := 0
	if n := len(values); n > 0 {
		u = u.scaled(values[n-1])
		places = u.decimals(values[n-1])
	}
	switch u {
	case Duration, seconds:
		places = max(places, 1)
	case Count:
		places = 2
	}
	var out []string
	for _, v := range values {
		out = append(out, Number(u.shown(v), places)+u.suffix())
	}
	return out
}

// Exact returns v with as many digits as it takes to read it back, for a file.
func Exact(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// Number returns v with exactly the given decimals and commas between thousands.
// What rounds to zero has no sign.
func Number(v float64, places int) string {
	text := strconv.FormatFloat(v, 'f', places, 64)
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign, text = "-", text[1:]
	}
	if !strings.ContainsAny(text, "123456789") {
		sign = ""
	}
	whole, decimals, found := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if found {
		whole += "." + decimals
	}
	return sign + whole
}
