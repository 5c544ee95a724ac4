package ledger

import (
	"fmt"
	"math"
	"sync"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
)

// DefaultLimit is the p99 of the write error above which a server is not fit, when
// none is set: a tenth of the 50 ms between tokens at a usual pace of 20 a second.
const DefaultLimit = 5 * time.Millisecond

// judgedFrom is the number of writes from which their p99 is known.
const judgedFrom = 100

// Writes is the timing error of a server's own writes: how long after its due
// instant each reached the socket.
type Writes struct {
	limit time.Duration
	tell  func(time.Duration) // of each; may be nil

	mu     sync.Mutex // guards what follows
	errors *quantile.Histogram
	sum    time.Duration
}

func newWrites(limit time.Duration) *Writes {
	if limit == 0 {
		limit = DefaultLimit
	}
	return &Writes{limit: limit, errors: quantile.NewHistogram()}
}

// NewWrites returns the error of the writes of one answer, of which there are none
// yet, under the limit of these.
func (w *Writes) NewWrites() *Writes { return newWrites(w.limit) }

// Add counts one write.
func (w *Writes) Add(late time.Duration) {
	late = max(0, late)
	w.mu.Lock()
	w.errors.Record(late)
	w.sum += late
	w.mu.Unlock()
	if w.tell != nil {
		w.tell(late)
	}
}

// WriteReport says how exact the writes were. A figure is pipeline.Unknown when there
// were too few for it.
type WriteReport struct {
	N                   int
	Mean, P50, P99, Max time.Duration
	Limit               time.Duration // of P99
}

// Report returns how exact the writes have been so far.
func (w *Writes) Report() WriteReport {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := WriteReport{N: w.errors.N(), Mean: pipeline.Unknown, P50: pipeline.Unknown, P99: pipeline.Unknown, Max: pipeline.Unknown, Limit: w.limit}
	if r.N > 0 {
		r.Mean, r.Max = w.sum/time.Duration(r.N), w.errors.Max()
	}
	if d, ok := w.errors.P50(); ok {
		r.P50 = d
	}
	if d, ok := w.errors.P99(); ok {
		r.P99 = d
	}
	return r
}

// Header returns the report as the value of a header: "n=3 mean_us=120 p99_us=400
// max_us=400 fit=true", without the figures that are not known.
func (r WriteReport) Header() string {
	text := fmt.Sprintf("n=%d", r.N)
	for _, f := range []struct {
		name string
		d    time.Duration
	}{{"mean", r.Mean}, {"p50", r.P50}, {"p99", r.P99}, {"max", r.Max}} {
		if f.d != pipeline.Unknown {
			text += fmt.Sprintf(" %s_us=%d", f.name, f.d.Microseconds())
		}
	}
	if !r.Judged() {
		return text + " fit=unknown"
	}
	return text + fmt.Sprintf(" fit=%t", r.Fit())
}

// Judged reports whether there were enough writes to judge by.
func (r WriteReport) Judged() bool { return r.P99 != pipeline.Unknown }

// Fit reports whether the p99 of the error is known to be within its limit.
func (r WriteReport) Fit() bool { return r.Judged() && r.P99 <= r.Limit }

// gauge returns 1 for fit, 0 for unfit and NaN for what cannot be judged.
func (r WriteReport) gauge() float64 {
	switch {
	case !r.Judged():
		return math.NaN()
	case r.Fit():
		return 1
	}
	return 0
}

// String says it in one line.
func (r WriteReport) String() string {
	if r.N == 0 {
		return "no write of a stream was measured"
	}
	text := fmt.Sprintf("%d writes, late by %s in the mean", r.N, r.Mean.Round(time.Microsecond))
	if r.P99 != pipeline.Unknown {
		text += fmt.Sprintf(", %s at p99", r.P99.Round(time.Microsecond))
	}
	text += fmt.Sprintf(", %s at most", r.Max.Round(time.Microsecond))
	switch {
	case !r.Judged():
		text += fmt.Sprintf(": too few writes to judge by, %d are needed", judgedFrom)
	case !r.Fit():
		text += fmt.Sprintf(": UNFIT, p99 is above %s", r.Limit)
	}
	return text
}

// writesRecord is the JSON form of a WriteReport, in ms.
type writesRecord struct {
	N     int      `json:"n"`
	Mean  *float64 `json:"mean_ms"`
	P50   *float64 `json:"p50_ms"`
	P99   *float64 `json:"p99_ms"`
	Max   *float64 `json:"max_ms"`
	Limit float64  `json:"limit_p99_ms"`
	Fit   *bool    `json:"fit"` // null while there are too few writes to judge by
}

func (r WriteReport) record() writesRecord {
	rec := writesRecord{
		N: r.N, Mean: known(r.Mean), P50: known(r.P50), P99: known(r.P99), Max: known(r.Max),
		Limit: milliseconds(r.Limit),
	}
	if fit := r.Fit(); r.Judged() {
		rec.Fit = &fit
	}
	return rec
}
