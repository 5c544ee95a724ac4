// Package quantile holds the one definition of a percentile that halfsecond
// uses: the q-quantile of n samples is the sample of rank ceil(q*n), counted
// from 1 in ascending order (nearest rank, no interpolation). It is refused when
// n < 1/(1-q), since it would then be the largest sample under another name.
//
// With this definition "p95 <= b" and "at least 95 % are <= b" are the same
// statement, so two budgets can never contradict each other.
//
// Read quantile.go first: the rank, in exact arithmetic. interval.go tells how
// far a sample quantile may be trusted. bootstrap.go draws samples again, for figures
// made of several quantiles, block.go says how much of them depends on its neighbours,
// and proportion.go holds the intervals of shares. histogram.go is the mergeable, rounded
// form for counts too large to keep, such as the lateness of a loop; it draws
// and merges, exact samples judge.
package quantile

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Q is a quantile in parts per billion, strictly between 0 and 1. Keeping it
// whole makes the rank exact: in floating point ceil(0.95*20) is already a trap.
type Q int64

// The quantiles of every report.
const (
	P50 Q = 500_000_000
	P90 Q = 900_000_000
	P95 Q = 950_000_000
	P99 Q = 990_000_000
)

const one Q = 1_000_000_000

// Percent returns the quantile that is written "95" or "99.9": a decimal number
// above 0 and below 100 with at most 7 decimals.
func Percent(text string) (Q, error) {
	whole, decimals, _ := strings.Cut(text, ".")
	if len(decimals) > 7 {
		return 0, fmt.Errorf("percentile %q has more than 7 decimals", text)
	}
	parts, err := strconv.ParseUint(whole+decimals+strings.Repeat("0", 7-len(decimals)), 10, 32)
	q := Q(parts)
	if err != nil || q <= 0 || q >= one {
		return 0, fmt.Errorf("percentile %q is not a number above 0 and below 100", text)
	}
	return q, nil
}

// String returns the quantile as budgets spell it, such as "p95" or "p99.9".
func (q Q) String() string {
	text := fmt.Sprintf("p%d.%07d", q/10_000_000, q%10_000_000)
	return strings.TrimRight(strings.TrimRight(text, "0"), ".")
}

// Rank returns ceil(q*n), the place of the quantile among n samples, from 1.
// It is 0 when n is 0.
func (q Q) Rank(n int) int {
	return int((int64(q)*int64(n) + int64(one) - 1) / int64(one))
}

// Needs returns the smallest number of samples that allows the quantile:
// 1/(1-q), rounded up. It is 20 for p95, 100 for p99 and 2 for the median.
func (q Q) Needs() int {
	rest := one - q
	return int((one + rest - 1) / rest)
}

// Of returns the q-quantile of the values, which need not be sorted and are not
// changed. ok is false when there are fewer than q.Needs() of them.
func Of[T cmp.Ordered](values []T, q Q) (v T, ok bool) {
	if len(values) < q.Needs() {
		return v, false
	}
	return OfSorted(slices.Sorted(slices.Values(values)), q)
}

// OfSorted is Of for values in ascending order.
func OfSorted[T cmp.Ordered](sorted []T, q Q) (v T, ok bool) {
	if len(sorted) < q.Needs() {
		return v, false
	}
	return sorted[q.Rank(len(sorted))-1], true
}

// Mean returns the arithmetic mean of the values. ok is false when there are
// none. It is exact, but for the division, as long as the sum of whole values
// stays below 2^53: 104 days of nanoseconds.
func Mean[T ~int64 | ~float64](values []T) (mean float64, ok bool) {
	if len(values) == 0 {
		return 0, false
	}
	sum := 0.0
	for _, v := range values {
		sum += float64(v)
	}
	return sum / float64(len(values)), true
}
