package quantile

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Histogram counts durations from 0 to an hour in classes no wider than a
// thousandth of their value. Shorter ones count as 0, longer ones as an hour;
// the largest is kept exactly. Make one with NewHistogram. It is not safe for
// concurrent use: give each goroutine its own and merge them.
type Histogram struct {
	counts *hdrhistogram.Histogram
	max    time.Duration
}

// NewHistogram returns an empty histogram. It takes about 270 kB.
func NewHistogram() *Histogram {
	return &Histogram{counts: hdrhistogram.New(1, int64(time.Hour), 3)}
}

// Record counts one duration.
func (h *Histogram) Record(d time.Duration) {
	d = min(max(d, 0), time.Hour)
	h.max = max(h.max, d)
	if err := h.counts.RecordValue(int64(d)); err != nil {
		panic("quantile: " + err.Error()) // d lies in the range the histogram was made for
	}
}

// Merge adds everything that other has counted. other is not changed.
func (h *Histogram) Merge(other *Histogram) {
	h.counts.Merge(other.counts)
	h.max = max(h.max, other.max)
}

// N returns how many durations were counted.
func (h *Histogram) N() int { return int(h.counts.TotalCount()) }

// Max returns the largest, 0 when there is none.
func (h *Histogram) Max() time.Duration { return h.max }

// Of returns the q-quantile by the package's definition, rounded up to the end
// of its class and never above Max. ok is false when N is below q.Needs().
func (h *Histogram) Of(q Q) (d time.Duration, ok bool) {
	n := h.N()
	if n < q.Needs() {
		return 0, false
	}
	// The library rounds percent/100*n to the nearest rank; asking for the share
	// of our own rank makes it land on that one.
	percent := 100 * float64(q.Rank(n)) / float64(n)
	return min(time.Duration(h.counts.ValueAtPercentile(percent)), h.max), true
}

// P50 returns the median; see Of.
func (h *Histogram) P50() (time.Duration, bool) { return h.Of(P50) }

// P99 returns the 99th percentile; see Of.
func (h *Histogram) P99() (time.Duration, bool) { return h.Of(P99) }
