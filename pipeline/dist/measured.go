package dist

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Measured returns the distribution of durations that were measured: each draw is one of them,
// and each is as likely as any other. It is an error when there are none, or one is negative or
// beyond Longest. It is constant when all are alike.
func Measured(all []time.Duration) (Dist, error) {
	if len(all) == 0 {
		return Dist{}, errors.New("no durations were measured")
	}
	sorted := slices.Sorted(slices.Values(all))
	for _, d := range []time.Duration{sorted[0], sorted[len(sorted)-1]} {
		if d < 0 || d > Longest {
			return Dist{}, fmt.Errorf("%s is not within 0 to %s", d, Longest)
		}
	}
	if sorted[0] == sorted[len(sorted)-1] {
		return Constant(sorted[0]), nil
	}
	packed := make([]byte, 0, size*len(sorted))
	for _, d := range sorted {
		packed = binary.BigEndian.AppendUint64(packed, uint64(d))
	}
	return Dist{shape: measured, sorted: string(packed)}, nil
}

// size is how many bytes a duration takes in a packed list.
const size = 8

// count returns how many durations were measured.
func (d Dist) count() int { return len(d.sorted) / size }

// measured returns the i-th shortest of them.
func (d Dist) measured(i int) time.Duration {
	return time.Duration(binary.BigEndian.Uint64([]byte(d.sorted[i*size : (i+1)*size])))
}

// ofMeasured returns the measured duration at share u: that of rank u n, rounded up.
func (d Dist) ofMeasured(u float64) time.Duration {
	i := int(math.Ceil(u*float64(d.count()))) - 1
	return d.measured(max(0, min(i, d.count()-1)))
}

// between returns the distribution of those that were measured from lo to hi.
func (d Dist) between(lo, hi time.Duration) (Dist, error) {
	var kept []time.Duration
	for i := range d.count() {
		if t := d.measured(i); t >= lo && t <= hi {
			kept = append(kept, t)
		}
	}
	if len(kept) == 0 {
		return Dist{}, fmt.Errorf("nothing of %s lies between %s and %s", d, lo, hi)
	}
	return Measured(kept)
}

// meanMeasured returns the mean of them, in nanoseconds.
func (d Dist) meanMeasured() (sum float64) {
	for i := range d.count() {
		sum += float64(d.measured(i))
	}
	return sum / float64(d.count())
}

// list writes them, the shortest first.
func (d Dist) list(unit func(time.Duration) string) string {
	var all []string
	for i := range d.count() {
		all = append(all, unit(d.measured(i)))
	}
	return strings.Join(all, ", ")
}
