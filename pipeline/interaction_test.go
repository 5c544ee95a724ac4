package pipeline

import (
	"reflect"
	"testing"
	"time"
)

// TestSplitLoad: the wait for a load becomes a span before the rest of the first token's,
// and who waited for that waits for the rest.
func TestSplitLoad(t *testing.T) {
	const ms = time.Millisecond
	build := func() *Trace {
		var x Trace
		key := x.Add(Span{Name: SpanDebounce, Start: 0, End: 10 * ms})
		first := x.Add(Span{Name: SpanLLMFirstToken, Start: 10 * ms, End: 100 * ms}, key)
		decode := x.Add(Span{Name: SpanLLMDecode, Start: 100 * ms, End: 150 * ms}, first)
		x.Add(Span{Name: SpanPlayout, Start: 150 * ms, End: Unknown}, key, decode)
		return &x
	}
	split := build()
	split.SplitLoad(1, &Request{Loading: 60 * ms})
	want := []Span{
		{Name: SpanDebounce, Start: 0, End: 10 * ms, After: []SpanID{}},
		{Name: SpanLLMLoad, Start: 10 * ms, End: 70 * ms, After: []SpanID{0}, Simulated: true},
		{Name: SpanLLMFirstToken, Start: 70 * ms, End: 100 * ms, After: []SpanID{1}},
		{Name: SpanLLMDecode, Start: 100 * ms, End: 150 * ms, After: []SpanID{2}},
		{Name: SpanPlayout, Start: 150 * ms, End: Unknown, After: []SpanID{0, 3}},
	}
	for i := range want {
		if got := split.Spans[i]; got.Name != want[i].Name || got.Start != want[i].Start || got.End != want[i].End ||
			got.Simulated != want[i].Simulated || len(got.After)+len(want[i].After) > 0 && !reflect.DeepEqual(got.After, want[i].After) {
			t.Errorf("span %d is %+v, want %+v", i, got, want[i])
		}
	}
	for name, r := range map[string]Request{"nobody says": {Loading: Unknown}, "it was there": {}} {
		same := build()
		if same.SplitLoad(1, &r); !reflect.DeepEqual(same.Spans, build().Spans) {
			t.Errorf("%s: %+v, want the spans as they were", name, same.Spans)
		}
	}
	open := build()
	open.Spans[1].End = Unknown
	if open.SplitLoad(1, &Request{Loading: ms}); len(open.Spans) != 4 {
		t.Error("a span that has not ended was divided")
	}
}
