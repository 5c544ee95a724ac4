package fit

import (
	"reflect"
	"testing"
	"time"

	"halfsecond/simulators/ide/recording"
	"halfsecond/simulators/ide/typing"
)

func TestSummary(t *testing.T) {
	key := func(gap time.Duration, burst int, c typing.Class) typing.Step {
		return typing.Step{Kind: typing.Key, Gap: gap, Class: c, Burst: burst}
	}
	y := source{
		{Kind: typing.Open, Gap: ms}, key(ms, 1, typing.Word), key(75*ms, 1, typing.Word), key(151*ms, 1, typing.Backspace), {Kind: typing.Move, Gap: ms},
		key(2*time.Second, 2, typing.Word), {Kind: typing.Change, Gap: ms}, key(ms, 2, typing.Word), key(350*ms+1, 2, typing.Word),
	}
	w := &Watch{Source: &y}
	for range 2 {
		for _, ok := w.Next(); ok; _, ok = w.Next() {
		}
	}
	want := Summary{
		Takes: 2581*ms + 1, Keys: 6, Backspaces: 1, Moves: 1, Changes: 1, Opens: 1, Bursts: 2, BurstP50: 3, Gaps: 4, GapP50: 151 * ms,
		Above: []Above{{75 * ms, .75}, {150 * ms, .75}, {350 * ms, .5}, {500 * ms, .25}},
	}
	if got := w.Summary(); !reflect.DeepEqual(got, want) {
		t.Errorf("summary %+v, want %+v", got, want)
	}
	if got := new(Watch).Summary(); !reflect.DeepEqual(got, Summary{}) {
		t.Errorf("of nothing: %+v", got)
	}
}

// What is watched is what is done, and the built-in session has the gaps that Gaps finds.
func TestWatch(t *testing.T) {
	w := &Watch{Source: recording.BuiltIn().Whole()}
	plain := recording.BuiltIn().Whole()
	for {
		a, more := w.Next()
		b, _ := plain.Next()
		if a != b {
			t.Fatalf("%+v, want %+v", a, b)
		}
		if !more {
			break
		}
	}
	s := w.Summary()
	if s.Keys != 2133 || s.Gaps != 1803 || s.GapP50 != 113*ms || s.GapP90 != 463*ms {
		t.Errorf("summary %+v", s)
	}
}
