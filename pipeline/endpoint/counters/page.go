package counters

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// page is a page of metrics, by name.
type page map[string]*dto.MetricFamily

// read reads the text of a page.
func read(text []byte) (p page, err error) {
	if start := bytes.TrimSpace(text); len(start) == 0 || start[0] == '<' {
		return nil, fmt.Errorf("it is no page of metrics: it begins %q", start[:min(len(start), 15)])
	}
	// The library panics at some texts that are no pages, such as "{}m" (v0.66.1). A server's
	// bytes must not end a run.
	defer func() {
		if recover() != nil {
			p, err = nil, errors.New("it is no page of metrics")
		}
	}()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	p, err = parser.TextToMetricFamilies(bytes.NewReader(text))
	return spelled(p), err
}

// total is what a metric has, in one label set or in several together.
type total struct {
	n, sum  float64 // of a counter the sum alone
	counted bool    // there is an n
	buckets map[float64]float64
}

// state says whether a metric is on a page.
type state int

const (
	absent  state = iota
	there         // with a number
	unsound       // with what no counter can have: NaN, endless, below zero
)

// totals are what a metric has in each of its label sets, by these; several lines of one are
// added up.
type totals map[string]total

// of returns a metric of one model, "" for all.
func (p page) of(name, label string) (all totals, is state) {
	all = totals{}
	for _, m := range p[name].GetMetric() {
		if !of(m, label) {
			continue
		}
		one, ok := value(m)
		if !ok {
			return nil, unsound
		}
		key := labelSet(m)
		if before, again := all[key]; again {
			one = before.plus(one)
		}
		all[key], is = one, there
	}
	return all, is
}

// labelSet returns the labels of a metric as one text.
func labelSet(m *dto.Metric) string {
	var set []string
	for _, l := range m.GetLabel() {
		set = append(set, fmt.Sprintf("%q=%q", l.GetName(), l.GetValue()))
	}
	slices.Sort(set)
	return strings.Join(set, ",")
}

// since returns by how much each went up; one that was not there before began at zero. back
// says that one of them went down, or is gone, as none does while its server runs.
func (t totals) since(before totals) (grown totals, back bool) {
	grown = maps.Clone(t)
	for set, was := range before {
		is, still := t[set]
		if !still {
			return nil, true
		}
		if grown[set] = is.minus(was); grown[set].below() {
			return nil, true
		}
	}
	return grown, false
}

// sum returns all of them together; ok is false where there is none, or their sum is no count.
func (t totals) sum() (sum total, ok bool) {
	for i, set := range slices.Sorted(maps.Keys(t)) {
		if one := t[set]; i > 0 {
			sum = sum.plus(one)
		} else {
			sum = one
		}
	}
	return sum, len(t) > 0 && sound(sum.n) && sound(sum.sum)
}

// modelLabel is the label by which servers tell models apart.
const modelLabel = "model_name"

// of reports whether a metric is of a model, or of all.
func of(m *dto.Metric, label string) bool {
	for _, l := range m.GetLabel() {
		if l.GetName() == modelLabel && label != "" {
			return l.GetValue() == label
		}
	}
	return true
}

// labels returns the models whose metrics with a prefix the page has, in order.
func (p page) labels(prefix string) []string {
	seen := map[string]bool{}
	for name, family := range p {
		if !strings.HasPrefix(name, prefix) {
			continue
		}
		for _, m := range family.GetMetric() {
			for _, l := range m.GetLabel() {
				if l.GetName() == modelLabel {
					seen[l.GetValue()] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// value returns what a metric of one label set has, if that is sound.
func value(m *dto.Metric) (total, bool) {
	switch {
	case m.Histogram != nil:
		h := m.GetHistogram()
		t := total{n: float64(h.GetSampleCount()), sum: h.GetSampleSum(), counted: true, buckets: buckets(h)}
		return t, h.SampleCount != nil && h.SampleSum != nil && sound(t.n) && sound(t.sum)
	case m.Summary != nil:
		s := m.GetSummary()
		t := total{n: float64(s.GetSampleCount()), sum: s.GetSampleSum(), counted: true}
		return t, s.SampleCount != nil && s.SampleSum != nil && sound(t.n) && sound(t.sum)
	case m.Counter != nil:
		return total{sum: m.GetCounter().GetValue()}, sound(m.GetCounter().GetValue())
	case m.Gauge != nil:
		return total{sum: m.GetGauge().GetValue()}, sound(m.GetGauge().GetValue())
	}
	return total{sum: m.GetUntyped().GetValue()}, m.Untyped != nil && sound(m.GetUntyped().GetValue())
}

// most is up to where whole numbers are exact.
const most = 1 << 53

// sound reports whether a counter can have a value: not NaN, endless, below zero or inexact.
func sound(v float64) bool { return v >= 0 && v <= most }

// buckets returns how many times were at most each bound, nil where that cannot be.
func buckets(h *dto.Histogram) map[float64]float64 {
	all := map[float64]float64{}
	for _, b := range h.GetBucket() {
		if bound := b.GetUpperBound(); !math.IsInf(bound, 1) {
			all[bound] = float64(b.GetCumulativeCount())
		}
	}
	return rising(all, float64(h.GetSampleCount()))
}

// rising returns the buckets of so many times, nil where their counts do not go up with the
// bounds to no more than that.
func rising(buckets map[float64]float64, n float64) map[float64]float64 {
	last := 0.0
	for _, bound := range slices.Sorted(maps.Keys(buckets)) {
		if math.IsNaN(bound) || buckets[bound] < last || buckets[bound] > n {
			return nil
		}
		last = buckets[bound]
	}
	return buckets
}

// plus returns both together, with the bounds that both have.
func (t total) plus(u total) total {
	return t.with(u, func(a, b float64) float64 { return a + b })
}

// minus returns what came since u.
func (t total) minus(u total) total {
	return t.with(u, func(a, b float64) float64 { return a - b })
}

func (t total) with(u total, f func(a, b float64) float64) total {
	out := total{n: f(t.n, u.n), sum: f(t.sum, u.sum), counted: t.counted && u.counted, buckets: map[float64]float64{}}
	for bound, n := range t.buckets {
		if m, both := u.buckets[bound]; both {
			out.buckets[bound] = f(n, m)
		}
	}
	out.buckets = rising(out.buckets, out.n)
	return out
}

// below reports whether a difference is below zero, as none is of counters, which only go up.
func (t total) below() bool { return t.n < 0 || t.sum < 0 }
