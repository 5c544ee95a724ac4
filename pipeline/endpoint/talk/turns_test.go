package talk

import (
	"testing"
	"time"

	"halfsecond/pipeline"
)

// TestWhose: an item is of the turn in which it was first named, unless its audio is of one
// before, and audio is of the turn in which it was said.
func TestWhose(t *testing.T) {
	var all Turns
	own := func(what string, got, want bool) {
		t.Helper()
		if got != want {
			t.Errorf("%s is the turn's own: %t, want %t", what, got, want)
		}
	}
	all.Begin(pipeline.Unknown)
	own("item a in the first turn", all.Own("a", pipeline.Unknown), true)
	own("audio up to 1s in it", all.Own("", time.Second), true)
	all.End(true)
	own("item b between turns", all.Own("b", pipeline.Unknown), false)
	all.Begin(20 * time.Second)
	for item, want := range map[string]bool{"a": false, "b": false, "c": true, "": true} {
		own("item "+item+" in the second", all.Own(item, pipeline.Unknown), want)
	}
	own("audio up to 20s", all.Own("", 20*time.Second), false)
	own("item d, of audio up to 12s", all.Own("d", 12*time.Second), false)
	own("item d, named again", all.Own("d", pipeline.Unknown), false)
	own("item e, of audio up to 21s", all.Own("e", 21*time.Second), true)
	if !all.Past("a") || all.Past("c") || all.Past("z") {
		t.Error("items a, c and z: want only a to be of a turn before")
	}
	if all.Owes() {
		t.Error("an answer is owed to a turn of which an item was named")
	}
}

// TestOwed: answers that name nothing come in the order of the turns, and so do the items of turns of
// which none was named.
func TestOwed(t *testing.T) {
	var all Turns
	for range 2 {
		all.Begin(pipeline.Unknown)
		all.End(true)
	}
	all.Begin(pipeline.Unknown)
	if !all.Owes() {
		t.Error("two turns had no answer, and none is owed")
	}
	all.Paid()
	if all.Own("a", pipeline.Unknown) || all.Owes() {
		t.Error("the first item is the third turn's, though one of the second is to come")
	}
	if !all.Own("b", pipeline.Unknown) {
		t.Error("the second item is not the third turn's")
	}
	all.End(false)
	all.Paid()
	if all.Owes() {
		t.Error("an answer that has come is owed")
	}
}
