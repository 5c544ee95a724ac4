package ghost

import (
	"reflect"
	"testing"

	"halfsecond/pipeline"
)

// A suggestion that a key hid and that is there again at the same instant, key after key as it is
// typed along, never was away: it is one, and neither flickers nor flashes. What stands there
// again later flickers.
func TestHiddenForNoTime(t *testing.T) {
	traces := []*pipeline.Trace{mark(mark(key(0), pipeline.MarkShown, 100), pipeline.MarkHiddenByKey, 200)}
	for at := 200; at < 500; at += 100 {
		traces = append(traces, mark(mark(key(at), pipeline.MarkShownAgain, at), pipeline.MarkHiddenByKey, at+100))
	}
	late := mark(mark(key(500), pipeline.MarkShownAgain, 520), pipeline.MarkHiddenByKey, 540)
	other := mark(key(540), pipeline.MarkShown, 540) // another text, with no blank before it
	end := mark(key(600), pipeline.MarkShown, 1000)  // nothing hid what was there before
	got := Of(append(traces, late, other, end), Options{LeastVisible: 300 * ms, End: 1000 * ms}).Seen()
	want := Seen{
		Suggestions: 4, Shown: 2, Flashes: 1, Flickers: 1, Visible: Times{0, 20 * ms, 400 * ms, 460 * ms}, Blank: Times{20 * ms}, Flickering: Times{20 * ms},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}

// What one person's key hid is no blank on the screen of another, nor are two people's suggestions
// one, at whatever instants.
func TestScreensApart(t *testing.T) {
	of := func(session, due, from, to int, name string) *pipeline.Trace {
		return mark(mark(traced(pipeline.KindIDE, session, due), name, from), pipeline.MarkHiddenByKey, to)
	}
	r := Of([]*pipeline.Trace{of(0, 0, 100, 500, pipeline.MarkShown), of(1, 0, 500, 900, pipeline.MarkShownAgain), of(2, 0, 950, 990, pipeline.MarkShown)}, Options{LeastVisible: 300 * ms})
	got := r.Seen()
	if len(r.Sights()) != 3 || len(got.Blank) != 0 || got.Suggestions != 3 {
		t.Errorf("%d sights, blank %v, want 3 and none", len(r.Sights()), got.Blank)
	}
}
