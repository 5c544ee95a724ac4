package report

import (
	"testing"
	"time"
)

// Labels of an axis never touch: the landing has none where it has no room beside the
// budget's.
func TestAxisLabelsDoNotTouch(t *testing.T) {
	const cells = 60
	for landing, want := range map[time.Duration]string{
		20:  "0  20 ms                                       budget 150 ms",
		115: "0                                       115 ms budget 150 ms",
		117: "0                                              budget 150 ms", // it would touch the label
		121: "0                                              budget 150 ms",
		149: "0                                              budget 150 ms",
		150: "0                                              budget 150 ms",
	} {
		d := drawing{scale: 150 * time.Millisecond, limit: 150 * time.Millisecond, landing: landing * time.Millisecond, cells: cells}
		if got := d.axis(); got != want {
			t.Errorf("landed at %d ms:\n%s|, want\n%s|", landing, got, want)
		}
	}
	d := drawing{scale: 300 * time.Millisecond, limit: 150 * time.Millisecond, landing: 300 * time.Millisecond, cells: cells}
	if got, want := d.axis(), "0                budget 150 ms                        300 ms"; got != want {
		t.Errorf("landed late:\n%s|, want\n%s|", got, want)
	}
}
