package budgets

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"halfsecond/pipeline/quantile"
)

// Function is how a budget turns the values of a metric into one.
type Function uint8

const (
	Quantile   Function = iota // p50, p95, p99.9: see package quantile
	Mean                       // arithmetic mean
	Max                        // largest
	ShareWhere                 // share(metric < limit): members inside the inner limit / population
)

// Budget is one expression, such as
//
//	p95(reply) < 500ms
//	share(ttfc < 150ms) >= 90%
//	mean(requests_per_key) <= 1.2
//	p50(tps) >= 25 tok/s
//
// in the grammar
//
//	budget     = function "(" metric ")" comparison quantity
//	           | "share" "(" metric comparison quantity ")" comparison quantity
//	function   = "p" percent | "mean" | "max"
//	comparison = "<" | "<=" | ">" | ">="
//	quantity   = number [ "ns" | "us" | "ms" | "s" | "%" | "tok/s" | "/s" ]
//
// with spaces allowed between any two parts. The unit of a quantity is the one
// of its metric: a duration for a duration, % for a share, nothing for a count.
type Budget struct {
	Function Function
	Q        quantile.Q // of Quantile
	Metric   Metric
	Inner    Limit // of ShareWhere: what a member must keep
	Limit    Limit // what the budget's value must keep
}

// Limit is a comparison with a quantity.
type Limit struct {
	Comparison Comparison
	Value      float64 // in the unit's base: ns, 0 to 1, plain, per second
	Unit       Unit
}

// Comparison is one of < <= > >=.
type Comparison uint8

const (
	Less Comparison = iota
	AtMost
	Greater
	AtLeast
)

// String returns the comparison's sign.
func (c Comparison) String() string { return [...]string{"<", "<=", ">", ">="}[c] }

// upper reports whether values below the limit are the good ones.
func (c Comparison) upper() bool { return c == Less || c == AtMost }

// Holds reports whether v keeps the limit.
func (l Limit) Holds(v float64) bool {
	switch l.Comparison {
	case Less:
		return v < l.Value
	case AtMost:
		return v <= l.Value
	case Greater:
		return v > l.Value
	default:
		return v >= l.Value
	}
}

// holdsFor reports whether k of n keep the limit, a share. It compares whole
// numbers, so that a share agrees with the rank of a quantile for every n.
func (l Limit) holdsFor(k, n int) bool {
	const billion = 1_000_000_000
	inside := Limit{l.Comparison, 0, Share}
	return inside.Holds(float64(int64(k)*billion - int64(math.Round(l.Value*billion))*int64(n)))
}

// margin returns how far v is inside the limit; negative when outside. What is
// no whole number loses the noise of the subtraction.
func (l Limit) margin(v float64) float64 {
	m := v - l.Value
	if l.Comparison.upper() {
		m = l.Value - v
	}
	if l.Unit == Duration {
		return m
	}
	return math.Round(m*1e12) / 1e12
}

// bound returns the limit that a single member has to keep: the inner one of a
// share, otherwise the budget's own.
func (b Budget) bound() Limit {
	if b.Function == ShareWhere {
		return b.Inner
	}
	return b.Limit
}

// unit returns the unit of the budget's value.
func (b Budget) unit() Unit {
	if b.Function == ShareWhere {
		return Share
	}
	return b.Metric.Unit
}

// Name returns the left side of the expression, such as "p95(reply)".
func (b Budget) Name() string {
	switch b.Function {
	case Quantile:
		return fmt.Sprintf("%v(%s)", b.Q, b.Metric.Name)
	case Mean:
		return fmt.Sprintf("mean(%s)", b.Metric.Name)
	case Max:
		return fmt.Sprintf("max(%s)", b.Metric.Name)
	default:
		return fmt.Sprintf("share(%s %v)", b.Metric.Name, b.Inner)
	}
}

// String returns the expression in one spelling; it parses to the same budget.
func (b Budget) String() string { return fmt.Sprintf("%s %v", b.Name(), b.Limit) }

// String returns the comparison and the quantity, such as "< 500ms".
func (l Limit) String() string {
	return fmt.Sprintf("%v %s", l.Comparison, l.quantity())
}

func (l Limit) quantity() string {
	switch l.Unit {
	case Duration:
		return milliseconds(time.Duration(l.Value)) + "ms"
	case Share:
		return plain(math.Round(l.Value*1e9)/1e7) + "%"
	case TokenRate:
		return plain(l.Value) + " tok/s"
	case Rate:
		return plain(l.Value) + "/s"
	default:
		return plain(l.Value)
	}
}

func plain(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// milliseconds returns d in ms with every digit and no more.
func milliseconds(d time.Duration) string {
	text := fmt.Sprintf("%d.%06d", d/time.Millisecond, d%time.Millisecond)
	return strings.TrimRight(strings.TrimRight(text, "0"), ".")
}
