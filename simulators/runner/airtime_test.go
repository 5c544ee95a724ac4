package runner

import (
	"testing"
	"time"

	"halfsecond/pipeline"
)

// TestAirtime: a service hears the turns of a call from the first word of the first on, and
// nothing twice where a turn begins before the last has ended.
func TestAirtime(t *testing.T) {
	type turn struct{ due, end time.Duration }
	for _, c := range []struct {
		name  string
		turns []turn // of one call, which says a second each
		want  time.Duration
	}{
		{"one", []turn{{5 * time.Second, 6 * time.Second}}, 2 * time.Second},
		{"a pause between", []turn{{5 * time.Second, 6 * time.Second}, {10 * time.Second, 11 * time.Second}}, 7 * time.Second},
		{"begun early", []turn{{5 * time.Second, 9 * time.Second}, {8 * time.Second, 11 * time.Second}}, 7 * time.Second},
		{"begun and ended early", []turn{{5 * time.Second, 9 * time.Second}, {7 * time.Second, 8 * time.Second}, {10 * time.Second, 11 * time.Second}}, 7 * time.Second},
	} {
		a := &airtime{turns: 3, said: time.Second, ends: func(t *pipeline.Trace) time.Duration { return t.End }, heard: map[int]time.Duration{}}
		for i, of := range c.turns {
			a.add(&pipeline.Trace{Session: 1, Index: i, Due: of.due, End: of.end})
		}
		if a.all != c.want {
			t.Errorf("%s: %s of audio, want %s", c.name, a.all, c.want)
		}
	}
}
