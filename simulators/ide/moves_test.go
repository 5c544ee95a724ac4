package ide

import (
	"slices"
	"testing"
	"time"

	"halfsecond/simulators/ide/plugin"
)

// TestMoves: which moves of the cursor a plugin asks for that has Copilot's rules: not one
// that selects text, none on the line of the last edit at first, and none when that was long
// ago. A move that is not asked for leaves a trace that says why.
func TestMoves(t *testing.T) {
	r := newRig(t, 1, 10*ms, ms)
	r.config.Plugin.Triggers = plugin.Triggers{Moves: true, Nearby: plugin.Nearby{Within: 10 * time.Second, Line: 5 * time.Second}}
	a := open("x := 1\ny := 2", "\n").key(0, "3")
	a.move(time.Second, 7).move(2*time.Second, 0).move(3*time.Second, 4)
	a.steps[len(a.steps)-1].Selected = 4
	a.move(6*time.Second, 8).move(12*time.Second, 0)
	var asked []int64
	var held []string
	for _, k := range r.play(a) {
		asked = append(asked, sent(k.Requests)...)
		if h := k.Fact("held"); h != "" {
			held = append(held, h)
		}
	}
	slices.Sort(asked)
	if want := []int64{0, 2000, 6000}; !slices.Equal(asked, want) {
		t.Errorf("asked at %v ms, want %v", asked, want)
	}
	if want := []string{"same_line", "late_move"}; !slices.Equal(held, want) {
		t.Errorf("held by %q, want %q", held, want)
	}
}
