package engine

import (
	"fmt"
	"testing"
	"time"

	"halfsecond/pipeline"
)

// TestSlots: first come first served in the lowest free slot, and a cancel frees
// the slot at that very instant.
func TestSlots(t *testing.T) {
	var loop pipeline.Virtual
	e := NewSlots(&loop, SlotsConfig{Service: Fixed{TTFT: 50 * ms, TPOT: 10 * ms}, Slots: 1, MaxContext: 100})
	var log []string
	a := ask(&loop, e, &log, "a", 0, 10, 5)
	ask(&loop, e, &log, "b", 10*ms, 10, 2)
	c := ask(&loop, e, &log, "c", 20*ms, 10, 2)
	loop.At(65*ms, pipeline.RankInput, func() { e.Cancel(a) })
	loop.At(66*ms, pipeline.RankInput, func() { e.Cancel(c) })
	expect(t, &loop, &log, "a1@50 a2@60 a:cancelled@65 c:cancelled@66 b1@115 b2@125 b:ok@125")
}

// TestPinnedSlots: a slot serves its own kind only, whoever came first.
func TestPinnedSlots(t *testing.T) {
	var loop pipeline.Virtual
	e := NewSlots(&loop, SlotsConfig{Service: Fixed{TTFT: 50 * ms, TPOT: 10 * ms}, Slots: 2, MaxContext: 100, Kinds: []string{"completion", "chat"}})
	var log []string
	for i, kind := range []string{"chat", "chat", "completion", "edit"} {
		name := string(rune('a' + i))
		r := &Request{Prompt: 10, Output: 1, Kind: kind}
		r.Done = func(o pipeline.Outcome) { log = append(log, fmt.Sprintf("%s:%s@%d", name, o, loop.Now()/ms)) }
		loop.At(time.Duration(i)*ms, pipeline.RankTimer, func() { e.Submit(r) })
	}
	expect(t, &loop, &log, "d:refused@3 a:ok@50 c:ok@52 b:ok@100")
}

// TestPinnedSlotsCancel: who leaves a queue or a slot makes room for its own kind, and
// nobody else's; a slot of another kind stays free meanwhile.
func TestPinnedSlotsCancel(t *testing.T) {
	var loop pipeline.Virtual
	e := NewSlots(&loop, SlotsConfig{Service: Fixed{TTFT: 50 * ms}, Slots: 3, MaxContext: 100, Kinds: []string{"", "chat", "chat"}})
	var log []string
	var all []*Request
	for i, kind := range []string{"", "", "", "chat", "chat", "chat", "chat"} {
		r := ask(&loop, e, &log, string(rune('a'+i)), 0, 10, 1)
		r.Kind = kind
		all = append(all, r)
	}
	loop.At(10*ms, pipeline.RankInput, func() { e.Cancel(all[1]); e.Cancel(all[5]); e.Cancel(all[3]) })
	loop.At(20*ms, pipeline.RankInput, func() { e.Cancel(all[0]) })
	expect(t, &loop, &log, "b:cancelled@10 f:cancelled@10 d:cancelled@10 a:cancelled@20 e1@50 e:ok@50 g1@60 g:ok@60 c1@70 c:ok@70")
	if s := e.Stats(); s.Waiting+s.Running != 0 || s.Cancelled != 4 || s.Finished != 3 {
		t.Errorf("at the end %+v", s)
	}
}
