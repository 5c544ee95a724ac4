package engine

import (
	"testing"

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
