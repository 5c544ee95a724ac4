package ide

import (
	"slices"
	"testing"

	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/ide/typing"
)

// What comes after an acceptance comes when it is typed, however long that had to wait for the
// editor's thread.
func TestKeyAfterAcceptThatWaits(t *testing.T) {
	r := newRig(t, 4, 200*ms, 0)
	r.config.Plugin.Prepare = 300 * ms
	traces := r.play(open("", "").will("xyzw").key(0, "x").key(400*ms, "y").step(600, typing.Step{Kind: typing.Accept}).key(650*ms, "q").key(3000*ms, "r"))
	var due []int64
	for _, x := range traces {
		if x.Kind == "ide" {
			due = append(due, x.Due.Milliseconds())
		}
	}
	if !slices.Equal(due, []int64{0, 400, 650, 3000}) {
		t.Errorf("keys at %v ms, want 0, 400, 650 and 3000", due)
	}
}

// The plugin works at each key, those included that need no request.
func TestPrepareAtEachKey(t *testing.T) {
	r := newRig(t, 1, 60*ms, 0)
	r.config.Plugin.Prepare, r.config.Plugin.Reuse = 50*ms, plugin.TypedAsSuggested
	traces := r.play(open("", "").will("abcd").key(0, "a").key(200*ms, "b").key(210*ms, "c"))
	if at := traces[2].Mark("first_character"); at != 250*ms || traces[2].Due != 210*ms {
		t.Errorf("c of %s is handled at %s, want 250ms: the thread works for b until then", traces[2].Due, at)
	}
}
