package plugin

import (
	"testing"
	"time"

	"halfsecond/pipeline/document"
)

const s = time.Second

// TestNearby: which moves are asked for, after an edit that leaves the cursor in the second
// of four lines.
func TestNearby(t *testing.T) {
	type move struct {
		at   time.Duration // after the edit
		line int
		want string
	}
	for _, c := range []struct {
		name   string
		nearby Nearby
		moves  []move
	}{
		{"all", Nearby{}, []move{{0, 1, ""}, {1 * s, 1, ""}, {time.Hour, 1, ""}}},
		{"in time", Nearby{Within: 10 * s}, []move{{0, 1, ""}, {10*s - 1, 1, ""}, {10 * s, 1, "late_move"}}},
		{"once a line", Nearby{Line: 5 * s}, []move{
			{1 * s, 1, "same_line"}, {1 * s, 2, ""}, {2 * s, 0, ""}, {5*s - 1, 1, "same_line"}, {5 * s, 1, ""}, // the edit was 5 s ago
			{6*s - 1, 2, "same_line"}, {6 * s, 2, ""}, {10*s - 1, 1, "same_line"}, {time.Hour, 1, ""},
		}},
		{"both", Nearby{Within: 10 * s, Line: 5 * s}, []move{{1 * s, 1, "same_line"}, {6 * s, 1, ""}, {12 * s, 3, "late_move"}}},
	} {
		var d document.Document
		d.Open("a\nb\nc\nd", 3)
		var trail Trail
		trail.Opened()
		trail.Changed(&c.nearby, &d, s)
		for _, m := range c.moves {
			d.Move(2 * m.line)
			if got := trail.Moved(&c.nearby, &d, s+m.at); got != m.want {
				t.Errorf("%s: a move to line %d after %s: %q, want %q", c.name, m.line, m.at, got, m.want)
			}
		}
	}
}

// TestNearbyElsewhere: an edit of one document is none of the next one, and the next edit
// begins anew.
func TestNearbyElsewhere(t *testing.T) {
	nearby := Nearby{Within: 10 * s, Line: 5 * s}
	var d document.Document
	var trail Trail
	d.Open("a\nb", 0)
	if got := trail.Moved(&nearby, &d, 0); got != "late_move" {
		t.Errorf("before any edit: %q, want late_move", got)
	}
	trail.Changed(&nearby, &d, s)
	d.Move(2)
	if got := trail.Moved(&nearby, &d, 2*s); got != "" {
		t.Errorf("to another line: %q, want none", got)
	}
	d.Move(0)
	trail.Changed(&nearby, &d, 3*s)
	d.Move(2)
	if got := trail.Moved(&nearby, &d, 4*s); got != "" {
		t.Errorf("to a line asked for before the last edit: %q, want none", got)
	}
	trail.Opened()
	d.Open("c", 0)
	if got := trail.Moved(&nearby, &d, 5*s); got != "late_move" {
		t.Errorf("in another document: %q, want late_move", got)
	}
}

func TestNearbyValidate(t *testing.T) {
	r := Rules{MaxTokens: 1, Triggers: Triggers{Nearby: Nearby{Within: -1, Line: -1}}}
	r.Prompt.Prefix.N = 1
	const want = "time after a change in which moves ask is -1ns, must not be negative\nrest of a line is -1ns, must not be negative"
	if err := r.Validate(); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
