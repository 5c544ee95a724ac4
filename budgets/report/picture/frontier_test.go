package picture

import (
	"fmt"
	"testing"

	"gonum.org/v1/plot/vg"

	"halfsecond/budgets/report"
)

// Marks on the frontier are named after what colour does not tell: those that lie on each other
// together, and the recommended ones first.
func TestNamesOfMarks(t *testing.T) {
	point := func(cost, inside float64, rest string, efficient, advised bool) report.FrontierPoint {
		return report.FrontierPoint{Cost: cost, Inside: inside, Rest: rest, Efficient: efficient, Advised: advised}
	}
	s := cloud{points: []report.FrontierPoint{
		point(10, .5, "0ms lru", true, false), point(50, .9, "0ms off", true, true), point(51, .9, "0ms typed", true, false),
		point(51, .9, "0ms typed", true, false), point(70, .2, "350ms off", false, false), point(80, .8, "", true, false),
	}}
	same := func(v float64) vg.Length { return vg.Length(v) }
	if got, want := fmt.Sprint(s.named(same, same)), "[{{50 90} [0ms off 0ms typed]} {{10 50} [0ms lru]} {{80 80} []}]"; got != want {
		t.Errorf("marks %s, want %s", got, want)
	}
}

// A name stands where nothing else does, and inside of the picture.
func TestRoomForNames(t *testing.T) {
	within := vg.Rectangle{Max: vg.Point{X: 100, Y: 100}}
	box := func(x, y, wide vg.Length) vg.Rectangle {
		return vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + wide, Y: y + 10}}
	}
	at := vg.Point{X: 50, Y: 50}
	right, left, above, below := box(59, 45, 20), box(21, 45, 20), box(40, 59, 20), box(40, 31, 20)
	for _, c := range []struct {
		taken []vg.Rectangle
		want  vg.Rectangle
	}{
		{nil, right}, {[]vg.Rectangle{right}, left}, {[]vg.Rectangle{right, left}, above}, {[]vg.Rectangle{right, left, above}, below},
	} {
		if got, ok := room(within, c.taken, at, 20); !ok || got != c.want {
			t.Errorf("beside %v: %v, %v, want %v", c.taken, got, ok, c.want)
		}
	}
	if got, ok := room(within, []vg.Rectangle{right, left, above, below}, at, 20); ok {
		t.Errorf("room %v where there is none", got)
	}
	if got, ok := room(within, nil, vg.Point{X: 95, Y: 50}, 20); !ok || got != box(66, 45, 20) {
		t.Errorf("at the edge %v, %v, want it to the left", got, ok)
	}
}
