package pipeline

import (
	"fmt"
	"reflect"
	"strings"
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

// chain is a key, the first token that waits for it, and two that wait for that.
func chain() *Trace {
	const ms = time.Millisecond
	var x Trace
	key := x.Add(Span{Name: "key", Start: 0, End: 10 * ms})
	first := x.Add(Span{Name: SpanLLMFirstToken, Start: 10 * ms, End: 100 * ms, Simulated: true}, key)
	next := x.Add(Span{Name: "next", Start: 100 * ms, End: 150 * ms}, key, first)
	x.Add(Span{Name: "last", Start: 150 * ms, End: Unknown}, first, next, key)
	return &x
}

// written writes spans as "name from-to after".
func written(x *Trace) string {
	text := ""
	for _, s := range x.Spans {
		end := "?"
		if s.End != Unknown {
			end = fmt.Sprint(s.End.Milliseconds())
		}
		text += fmt.Sprintf("%s %d-%s %v, ", s.Name, s.Start.Milliseconds(), end, s.After)
	}
	return strings.TrimSuffix(text, ", ")
}

func TestDivide(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name  string
		parts []Part
		want  string
	}{
		{"one part takes all", []Part{{"a", 50 * ms}}, "key 0-10 [], a 10-100 [0], next 100-150 [0 1], last 150-? [1 2 0]"},
		{"two", []Part{{"a", 50 * ms}, {"b", 100 * ms}}, "key 0-10 [], a 10-50 [0], b 50-100 [1], next 100-150 [0 2], last 150-? [2 3 0]"},
		{"four", []Part{{"a", 20 * ms}, {"b", 30 * ms}, {"c", 90 * ms}, {"d", 100 * ms}},
			"key 0-10 [], a 10-20 [0], b 20-30 [1], c 30-90 [2], d 90-100 [3], next 100-150 [0 4], last 150-? [4 5 0]"},
		{"none of no length", []Part{{"a", 10 * ms}, {"b", 50 * ms}, {"c", 50 * ms}, {"d", 100 * ms}}, "key 0-10 [], b 10-50 [0], d 50-100 [1], next 100-150 [0 2], last 150-? [2 3 0]"},
		{"the last with a length ends with the span", []Part{{"a", 40 * ms}, {"b", 60 * ms}}, "key 0-10 [], a 10-40 [0], b 40-100 [1], next 100-150 [0 2], last 150-? [2 3 0]"},
		{"nothing beyond the span", []Part{{"a", 40 * ms}, {"b", 160 * ms}, {"c", 200 * ms}}, "key 0-10 [], a 10-40 [0], b 40-100 [1], next 100-150 [0 2], last 150-? [2 3 0]"},
		{"nothing before it", []Part{{"a", 5 * ms}, {"b", Unknown}, {"c", 30 * ms}, {"d", 20 * ms}, {"e", 100 * ms}}, "key 0-10 [], c 10-30 [0], e 30-100 [1], next 100-150 [0 2], last 150-? [2 3 0]"},
		{"no part with a length", []Part{{"a", 5 * ms}}, "key 0-10 [], llm_first_token 10-100 [0], next 100-150 [0 1], last 150-? [1 2 0]"},
	} {
		x := chain()
		x.Divide(1, c.parts)
		if got := written(x); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
		for _, s := range x.Spans {
			if s.Simulated != (s.Name != "key" && s.Name != "next" && s.Name != "last") {
				t.Errorf("%s: %s is simulated: %v", c.name, s.Name, s.Simulated)
			}
		}
	}
	// One after the other, the later first.
	x := chain()
	x.Divide(2, []Part{{"c", 120 * ms}, {"d", 150 * ms}})
	x.Divide(1, []Part{{"a", 50 * ms}, {"b", 100 * ms}})
	if got, want := written(x), "key 0-10 [], a 10-50 [0], b 50-100 [1], c 100-120 [0 2], d 120-150 [3], last 150-? [2 4 0]"; got != want {
		t.Errorf("two divided:\n%s\nwant\n%s", got, want)
	}
}

func TestRemove(t *testing.T) {
	x := chain()
	x.Remove(3)
	if got, want := written(x), "key 0-10 [], llm_first_token 10-100 [0], next 100-150 [0 1]"; got != want {
		t.Errorf("the last: %s, want %s", got, want)
	}
	x = chain()
	lone := x.Add(Span{Name: "lone", Start: 0, End: 1})
	x.Add(Span{Name: "end", Start: 0, End: 1}, 2, 3)
	if x.Remove(lone); written(x) != "key 0-10 [], llm_first_token 10-100 [0], next 100-150 [0 1], last 150-? [1 2 0], end 0-0 [2 3]" {
		t.Errorf("one that nobody waited for: %s", written(x))
	}
	x = &Trace{}
	x.Add(Span{Name: "lone", Start: 0, End: 1})
	x.Add(Span{Name: "a", Start: 0, End: 1})
	x.Add(Span{Name: "b", Start: 0, End: 1}, 1)
	if x.Remove(0); written(x) != "a 0-0 [], b 0-0 [0]" {
		t.Errorf("the first: %s", written(x))
	}
}

// TestRoom: the memory that a trace was given is used, and is no bound.
func TestRoom(t *testing.T) {
	var room [2]SpanID
	var x Trace
	x.Room(room[:])
	x.Spans = make([]Span, 0, 4)
	fill := func() {
		x.Spans = x.Spans[:0]
		x.Room(room[:])
		a := x.Add(Span{Name: "a"})
		x.Append("b", 1, true, a, NoSpan)
		x.Append("c", 1, true, 1)
	}
	if n := testing.AllocsPerRun(10, fill); n != 0 {
		t.Errorf("%g allocations for two of two, want 0", n)
	}
	x.Append("d", 1, true, 0, 1, 2)
	if got := written(&x); got != "a 0-0 [], b 0-0 [0], c 0-0 [1], d 0-0 [0 1 2]" {
		t.Errorf("beyond it: %s", got)
	}
}
