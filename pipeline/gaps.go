package pipeline

import (
	"math/bits"
	"slices"
	"time"
)

// Gaps count the times between output chunks of a request that came after each other, by
// their length, ascending. Each length has 9 binary digits, so that it is within 1/512
// (0.2 %) of what it stands for and a long answer takes no more room than its gaps differ.
type Gaps []Gap

// Gap is how often a time between two chunks was seen.
type Gap struct {
	For time.Duration // 0 for chunks that came in one read
	N   int           // at least 1
}

// CountGaps returns the gaps by their length, and the longest of them to the nanosecond;
// Unknown when there are none. The gaps are changed.
func CountGaps(all []time.Duration) (counted Gaps, longest time.Duration) {
	if len(all) == 0 {
		return nil, Unknown
	}
	longest = slices.Max(all)
	for i, gap := range all {
		all[i] = rounded(gap)
	}
	slices.Sort(all)
	for _, gap := range all {
		if last := len(counted) - 1; last >= 0 && counted[last].For == gap {
			counted[last].N++
		} else {
			counted = append(counted, Gap{gap, 1})
		}
	}
	return counted, longest
}

// rounded returns the nearest time with 9 binary digits.
func rounded(d time.Duration) time.Duration {
	const digits = 9
	spare := bits.Len64(uint64(max(d, 0))) - digits
	if spare <= 0 {
		return max(d, 0)
	}
	return (d + 1<<(spare-1)) >> spare << spare
}
