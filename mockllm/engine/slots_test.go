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
