package quantile

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestHistogram(t *testing.T) {
	h := NewHistogram()
	for i := 1; i <= 100; i++ {
		h.Record(time.Duration(i) * time.Microsecond)
	}
	if got := h.N(); got != 100 {
		t.Errorf("N() = %d, want 100", got)
	}
	if got := h.Max(); got != 100*time.Microsecond {
		t.Errorf("Max() = %v, want 100us", got)
	}
	for q, want := range map[Q]time.Duration{P50: 50 * time.Microsecond, P95: 95 * time.Microsecond, P99: 99 * time.Microsecond} {
		got, ok := h.Of(q)
		if !ok || got < want || got > want+want/1000 {
			t.Errorf("Of(%v) = %v, %v, want %v and at most a thousandth more", q, got, ok, want)
		}
	}
}

func TestHistogramRefusesTooFew(t *testing.T) {
	h := NewHistogram()
	if _, ok := h.P50(); ok {
		t.Error("P50 of nothing is not refused")
	}
	for range 99 {
		h.Record(time.Millisecond)
	}
	if d, ok := h.P50(); d != time.Millisecond || !ok {
		t.Errorf("P50() = %v, %v, want 1ms, true", d, ok)
	}
	if _, ok := h.P99(); ok {
		t.Error("P99 of 99 samples is not refused")
	}
}

func TestHistogramClamps(t *testing.T) {
	h := NewHistogram()
	h.Record(-time.Second)
	h.Record(time.Hour + 1)
	if h.N() != 2 || h.Max() != time.Hour {
		t.Errorf("N, Max = %d, %v, want 2, 1h", h.N(), h.Max())
	}
	if d, _ := h.P50(); d != 0 {
		t.Errorf("P50() = %v, want 0", d)
	}
}

// Merging equals recording everything in one; every rank matches the exact
// sample to a thousandth.
func TestHistogramMerge(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	whole, parts := NewHistogram(), []*Histogram{NewHistogram(), NewHistogram(), NewHistogram()}
	var exact []time.Duration
	for range 5000 {
		d := time.Duration(rng.ExpFloat64() * float64(3*time.Millisecond))
		exact = append(exact, d)
		whole.Record(d)
		parts[rng.IntN(len(parts))].Record(d)
	}
	merged := NewHistogram()
	for _, p := range parts {
		merged.Merge(p)
	}
	if merged.N() != whole.N() || merged.Max() != whole.Max() {
		t.Errorf("merged N, Max = %d, %v, want %d, %v", merged.N(), merged.Max(), whole.N(), whole.Max())
	}
	for percent := Q(1); percent < 100; percent++ {
		q := percent * 10_000_000
		want, _ := Of(exact, q)
		got, _ := merged.Of(q)
		if same, _ := whole.Of(q); got != same {
			t.Errorf("merged %v = %v, whole %v", q, got, same)
		}
		if got < want || got > want+want/1000+1 {
			t.Errorf("histogram %v = %v, want %v and at most a thousandth more", q, got, want)
		}
	}
}

func BenchmarkHistogramRecord(b *testing.B) {
	h := NewHistogram()
	b.ReportAllocs()
	for b.Loop() {
		h.Record(123 * time.Microsecond)
	}
}
