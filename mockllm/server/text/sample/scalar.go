package sample

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"halfsecond/mockllm/token"
	"halfsecond/pipeline/wire"
)

// span is how far a sampled number lies at most from the one bound it has, and farthest
// how far from zero: beyond, not every whole number is a float64.
const (
	span     = 100
	farthest = 1 << 53
)

// number appends a number within the bounds: a multiple of multipleOf, which is one for
// an integer and a hundredth for another number that has none.
func (s *sampler) number(q schema, integer bool) error {
	step := q.MultipleOf
	if integer && (step == 0 || step != math.Trunc(step)) {
		step = 1
	} else if step == 0 {
		step = .01
	}
	lo, hi := q.bounds()
	lo, hi = math.Max(lo, -farthest), math.Min(hi, farthest)
	first, last := math.Ceil(lo/step), math.Floor(hi/step)
	if q.ExclusiveMinimum != nil && first*step <= *q.ExclusiveMinimum {
		first++
	}
	if q.ExclusiveMaximum != nil && last*step >= *q.ExclusiveMaximum {
		last--
	}
	if !(first <= last) || math.IsInf(first, 0) {
		return fmt.Errorf("no number from %g to %g fits it", lo, hi)
	}
	n := first + math.Floor(s.dice.Float64()*(math.Min(last-first, 1e9)+1))
	s.out = strconv.AppendFloat(s.out, decimal(n, step), 'f', -1, 64)
	return nil
}

// decimal returns n*step without the noise of steps that are no binary fractions.
func decimal(n, step float64) float64 {
	if inverse := math.Round(1 / step); step < 1 && math.Abs(inverse*step-1) < 1e-9 {
		return n / inverse
	}
	return n * step
}

// bounds returns the least and the largest number that the schema allows, both ends
// included.
func (q schema) bounds() (lo, hi float64) {
	least := larger(q.Minimum, q.ExclusiveMinimum, 1)
	most := larger(q.Maximum, q.ExclusiveMaximum, -1)
	switch {
	case least == nil && most == nil:
		return 0, span
	case least == nil:
		return *most - span, *most
	case most == nil:
		return *least, *least + span
	}
	return *least, *most
}

// larger returns the larger of two numbers that may be missing, or the smaller with
// sign -1.
func larger(a, b *float64, sign float64) *float64 {
	if a == nil || b != nil && *b*sign > *a*sign {
		return b
	}
	return a
}

// formats are examples of the formats of strings that clients check.
var formats = map[string]string{
	"date-time": "2026-11-29T12:30:00Z", "date": "2026-11-29", "time": "12:30:00Z", "duration": "PT15M",
	"email": "user@example.com", "hostname": "example.com", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1",
	"uri": "https://example.com/", "url": "https://example.com/", "uuid": "3f2b8c1e-7d4a-4b6f-9a51-0c2d8e6f1a37",
}

// words appends a string: of the format or the pattern, else of a few words within the
// bounds of its length.
func (s *sampler) words(q schema) error {
	text, known := formats[q.Format]
	if !known && q.Pattern != "" {
		text, known = matching(q.Pattern, &s.dice)
	}
	if !known {
		text = s.passage(1 + s.dice.IntN(4))
	}
	if q.MinLength > maxSample {
		return fmt.Errorf("a value that fits it is larger than %d bytes", maxSample)
	}
	if missing := q.MinLength - utf8.RuneCountInString(text); missing > 0 {
		text += strings.Repeat(" and", missing/4+1)[:missing]
	}
	if q.MaxLength != nil && utf8.RuneCountInString(text) > *q.MaxLength {
		text = string([]rune(text)[:max(0, *q.MaxLength)])
	}
	s.out = wire.AppendString(s.out, text)
	return nil
}

func (s *sampler) passage(n int) string {
	return token.Passage{{ID: token.Name(s.dice.Uint64(), "server/sample"), N: n}}.Text()
}
