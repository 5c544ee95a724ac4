package ide

import (
	"slices"
	"testing"
	"time"

	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/ide/typing"
)

// TestAcceptAtOnce: with the rule a plugin asks in the instant in which a suggestion is
// accepted, and after the debounce without it; keys wait in either case.
func TestAcceptAtOnce(t *testing.T) {
	for atOnce, want := range map[bool][]int64{false: {50, 550}, true: {50, 500}} {
		r := newRig(t, 1, 10*ms, ms)
		r.config.Plugin.Wait = plugin.Wait{For: 50 * ms, AcceptAtOnce: atOnce}
		a := open("", "").will("abc def").key(0, "a").add(500*time.Millisecond, typing.Step{Kind: typing.Accept})
		var asked []int64
		for _, k := range r.play(a) {
			asked = append(asked, sent(k.Requests)...)
		}
		if slices.Sort(asked); !slices.Equal(asked, want) {
			t.Errorf("at once %t: asked at %v ms, want %v", atOnce, asked, want)
		}
	}
}
