package engine

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"halfsecond/mockllm/roofline"
	"halfsecond/pipeline"
)

// pcie moves a block of 16 tokens in 1.6 ms.
var pcie = Overflow{Blocks: 10, TokenBytes: 1000, Rate: 10e6}

// TestSwap is TestPreemption with a swap: the second sequence's two blocks move out
// before the third step, 3.2 ms, and come back before the fifth, where it goes on to
// decode.
func TestSwap(t *testing.T) {
	var loop pipeline.Virtual
	steps := &recorder{}
	e := NewBatched(&loop, BatchedConfig{Steps: steps, MaxSequences: 4, TokenBudget: 100, KVBlocks: 4, OnFull: Swap, Overflow: pcie})
	var log []string
	a := ask(&loop, e, &log, "a", 0, 31, 4)
	b := ask(&loop, e, &log, "b", 0, 20, 4)
	loop.At(22*ms, pipeline.RankTimer, func() {
		if s := e.Stats(); s.BlocksSlow != 2 || s.BlocksUsed != 3 || s.Waiting != 1 {
			t.Errorf("during the third step %+v: want b's two blocks beside the cache", s)
		}
	})
	expect(t, &loop, &log, "a1@10 b1@10 a2@20 b2@20 a3@33 a4@43 a:ok@43 b3@56 b4@66 b:ok@66")
	const block = 1600 * time.Microsecond
	if a.Last != 40*ms+2*block || b.Last != 60*ms+4*block {
		t.Errorf("last tokens at %s and %s, want %s and %s", a.Last, b.Last, 40*ms+2*block, 60*ms+4*block)
	}
	if s := e.Stats(); s.Preemptions != 1 || s.BytesMoved != 2*2*16*1000 || s.BlocksSlow != 0 {
		t.Errorf("at the end %+v: want two blocks out and back", s)
	}
	if got := steps.batches[4]; got.Tokens != 1 || got.ContextTokens != 22 {
		t.Errorf("the step after the swap is %+v, want one token after 21", got)
	}
}

// TestSwapPromptsFirst: what comes back decodes with the others. It is no prompt, for
// which they would wait.
func TestSwapPromptsFirst(t *testing.T) {
	var loop pipeline.Virtual
	steps := &recorder{}
	e := NewBatched(&loop, BatchedConfig{Steps: steps, MaxSequences: 4, TokenBudget: 100, KVBlocks: 4, PrefillFirst: true, OnFull: Swap, Overflow: pcie})
	var log []string
	ask(&loop, e, &log, "a", 0, 10, 6)
	ask(&loop, e, &log, "c", 0, 30, 4)
	ask(&loop, e, &log, "b", 0, 12, 4)
	// c needs a third block for its fourth token, and b's goes out and comes back.
	expect(t, &loop, &log, "a1@10 c1@10 b1@10 a2@20 c2@20 b2@20 a3@30 c3@30 b3@30 a4@41 c4@41 c:ok@41 a5@53 b4@53 b:ok@53 a6@63 a:ok@63")
	if got := steps.batches[4]; got.Tokens != 2 {
		t.Errorf("the step after the swap is %+v, want a token each of a and b", got)
	}
}

// TestSwapSpeculation: what comes back verifies drafts at once.
func TestSwapSpeculation(t *testing.T) {
	var loop pipeline.Virtual
	steps := &recorder{}
	e := NewBatched(&loop, BatchedConfig{
		Steps: steps, MaxSequences: 4, TokenBudget: 100, KVBlocks: 4, OnFull: Swap, Overflow: pcie,
		Speculation: &Speculation{Tokens: 2},
	})
	var log []string
	ask(&loop, e, &log, "a", 0, 29, 4)
	ask(&loop, e, &log, "b", 0, 29, 5)
	// Each needs a third block for its third token and two drafted ones.
	expect(t, &loop, &log, "a1@10 b1@10 a2@20 b2@20 a3@33 a4@43 a:ok@43 b3@56 b4@66 b5@76 b:ok@76")
	if got := steps.batches[4]; got.Tokens != 3 || got.Logits != 3 {
		t.Errorf("the step after the swap is %+v, want three tokens to verify", got)
	}
}

// TestSwapCancelled: a request that is given up while it lies beside the cache frees
// what it holds there.
func TestSwapCancelled(t *testing.T) {
	var loop pipeline.Virtual
	e := NewBatched(&loop, BatchedConfig{Steps: &recorder{}, MaxSequences: 4, TokenBudget: 100, KVBlocks: 4, OnFull: Swap, Overflow: pcie})
	var log []string
	ask(&loop, e, &log, "a", 0, 31, 4)
	b := ask(&loop, e, &log, "b", 0, 20, 4)
	loop.At(25*ms, pipeline.RankInput, func() {
		e.Cancel(b)
		if s := e.Stats(); s.BlocksSlow != 0 {
			t.Errorf("%d blocks beside the cache, want none", s.BlocksSlow)
		}
	})
	expect(t, &loop, &log, "a1@10 b1@10 a2@20 b2@20 b:cancelled@25 a3@33 a4@43 a:ok@43")
}

// TestSwapFull: when there is no room beside the cache either, the sequence is
// computed again.
func TestSwapFull(t *testing.T) {
	var loop pipeline.Virtual
	o := pcie
	o.Blocks = 1
	e := NewBatched(&loop, BatchedConfig{Steps: &recorder{}, MaxSequences: 4, TokenBudget: 100, KVBlocks: 4, OnFull: Swap, Overflow: o})
	var log []string
	ask(&loop, e, &log, "a", 0, 31, 4)
	ask(&loop, e, &log, "b", 0, 20, 4)
	expect(t, &loop, &log, "a1@10 b1@10 a2@20 b2@20 a3@30 a4@40 a:ok@40 b3@50 b4@60 b:ok@60")
	if s := e.Stats(); s.BytesMoved != 0 || s.Preemptions != 1 {
		t.Errorf("at the end %+v: want a recomputation and no copy", s)
	}
}

// TestSpill: nobody gives way. From the third step on a's third block is beside the
// cache; each step reads what is in it and writes its new token, 1,000 bytes each at
// 10 MB/s, until b ends and there is room.
func TestSpill(t *testing.T) {
	var loop pipeline.Virtual
	e := NewBatched(&loop, BatchedConfig{Steps: &recorder{}, MaxSequences: 4, TokenBudget: 100, KVBlocks: 4, OnFull: Spill, Overflow: pcie})
	var log []string
	us := 100 * time.Microsecond // a token
	a := ask(&loop, e, &log, "a", 0, 31, 7)
	b := ask(&loop, e, &log, "b", 0, 20, 4)
	var at []time.Duration
	told := a.Notify
	a.Notify = func(n int) int { at = append(at, loop.Now()); return told(n) }
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	// Blocks hold 32 tokens of a. The step that puts out a's third token writes its
	// 33rd, the next reads that and writes the 34th, and so on; b ends with the fourth.
	want := []time.Duration{10 * ms, 20 * ms, 30*ms + us, 40*ms + 3*us, 50*ms + 5*us, 60*ms + 5*us, 70*ms + 5*us}
	for i, w := range want {
		if at[i] != w {
			t.Errorf("token %d of a at %s, want %s", i+1, at[i], w)
		}
	}
	if b.Last != want[3] {
		t.Errorf("b's last token at %s, want %s", b.Last, want[3])
	}
	if s := e.Stats(); s.Preemptions != 0 || s.BytesMoved != 5*1000 || s.BlocksSlow != 0 {
		t.Errorf("at the end %+v", s)
	}
}

// TestSpillPrompt: a prompt joins although the cache holds a part of it only.
func TestSpillPrompt(t *testing.T) {
	var loop pipeline.Virtual
	o := pcie
	o.Latency = ms
	e := NewBatched(&loop, BatchedConfig{Steps: &recorder{}, MaxSequences: 4, TokenBudget: 100, KVBlocks: 2, OnFull: Spill, Overflow: o})
	var log []string
	r := ask(&loop, e, &log, "a", 0, 80, 2)
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	// 48 of 80 tokens are written, then read with the 81st written, each after 1 ms.
	if want := 22*ms + (48+49)*100*time.Microsecond; r.Last != want {
		t.Errorf("last token at %s, want %s", r.Last, want)
	}
}

// TestSpillTakesRoom: what gives way when the memory beside the cache is full, too, leaves
// its room in the cache to one that has blocks beside it.
func TestSpillTakesRoom(t *testing.T) {
	var loop pipeline.Virtual
	o := pcie
	o.Blocks = 1
	e := NewBatched(&loop, BatchedConfig{Steps: &recorder{}, MaxSequences: 4, TokenBudget: 100, KVBlocks: 2, OnFull: Spill, Overflow: o})
	var log []string
	ask(&loop, e, &log, "low", 0, 20, 6)
	ask(&loop, e, &log, "high", 5*ms, 15, 3).Priority = 1
	// high joins when low has the cache, and lies beside it until its third token needs a
	// second block. Its first is then in the cache and the second beside it.
	expect(t, &loop, &log, "low1@10 high1@21 low2@21 high2@33 low3@33 high3@44 high:ok@44 low4@54 low5@64 low6@74 low:ok@74")
	if s := e.Stats(); s.Preemptions != 1 || s.BytesMoved != 1000*(15+15+1+16+1) {
		t.Errorf("at the end %+v, want one to give way, and 48 tokens moved", s)
	}
}

// TestReserve: room for the longest answer is taken beforehand, so the second, whose
// answer may have 20 tokens, waits for the end of the first, and nobody gives way.
func TestReserve(t *testing.T) {
	var loop pipeline.Virtual
	e := NewBatched(&loop, BatchedConfig{Steps: &recorder{}, MaxSequences: 4, TokenBudget: 100, KVBlocks: 5, OnFull: Reserve})
	var log []string
	ask(&loop, e, &log, "a", 0, 31, 4)
	ask(&loop, e, &log, "b", 0, 17, 4).Limit = 20
	loop.At(5*ms, pipeline.RankTimer, func() {
		if s := e.Stats(); s.BlocksUsed != 3 || s.Waiting != 1 {
			t.Errorf("during the first step %+v: want 3 blocks for a, none for b", s)
		}
	})
	expect(t, &loop, &log, "a1@10 a2@20 a3@30 a4@40 a:ok@40 b1@50 b2@60 b3@70 b4@80 b:ok@80")
	if n := e.Stats().Preemptions; n != 0 {
		t.Errorf("%d preemptions, want none", n)
	}
}

// TestRefuse: what might not fit beside those accepted before is refused on arrival,
// until one of them ends.
func TestRefuse(t *testing.T) {
	var loop pipeline.Virtual
	e := NewBatched(&loop, BatchedConfig{Steps: &recorder{}, MaxSequences: 1, TokenBudget: 100, KVBlocks: 4, OnFull: Refuse})
	var log []string
	ask(&loop, e, &log, "a", 0, 31, 2)
	b := ask(&loop, e, &log, "b", 1*ms, 32, 2)
	ask(&loop, e, &log, "c", 2*ms, 16, 1)
	d := ask(&loop, e, &log, "d", 3*ms, 16, 1)
	loop.At(4*ms, pipeline.RankInput, func() { e.Cancel(d) })
	ask(&loop, e, &log, "e", 5*ms, 16, 1)
	expect(t, &loop, &log, "b:refused@1 d:cancelled@4 a1@10 a2@20 a:ok@20 c1@30 c:ok@30 e1@40 e:ok@40")
	if !errors.Is(b.Reason, ErrFull) || b.Reason.Error() != "no room in the KV cache now: 48 tokens may be needed and 32 are not promised" {
		t.Errorf("b was refused because %v", b.Reason)
	}
	if s := e.Stats(); s.Refused != 1 {
		t.Errorf("at the end %+v", s)
	}
}

// load is what a closed batch of equal streams saw.
type load struct {
	tpot, worst time.Duration // mean over the requests served, longest gap between two tokens
	slowest     time.Duration // longest TTFT
	refused     int
}

// crowd sends so many streams of 500 tokens in and 500 out at once to Llama-3.1-8B on
// an H100 whose cache holds capacity of them: 63 blocks each, 42 GB for 320.
func crowd(t *testing.T, plan *roofline.Plan, streams int, p Policy, o Overflow) (l load) {
	const capacity = 320
	var loop pipeline.Virtual
	e := NewBatched(&loop, BatchedConfig{Steps: plan, MaxSequences: 1024, TokenBudget: 8192, KVBlocks: 63 * capacity, OnFull: p, Overflow: o})
	served := 0
	for range streams {
		r := &Request{Prompt: 500, Output: 500, NotifyAt: 1}
		var first, last time.Duration
		r.Notify = func(n int) int {
			if n == 1 {
				first, last = loop.Now(), loop.Now()
			}
			l.worst, last = max(l.worst, loop.Now()-last), loop.Now()
			return n + 1
		}
		r.Done = func(o pipeline.Outcome) {
			if o == pipeline.Refused {
				l.refused++
				return
			}
			served++
			l.tpot += (last - first) / 499
			l.slowest = max(l.slowest, first)
		}
		e.Submit(r)
	}
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.tpot /= time.Duration(served)
	return l
}

// TestCollapse: what each policy makes of a cache that is asked for more than it
// holds. Up to the full point nobody notices a policy. Past it tokens wait for other
// sequences (recompute, swap) or for the slower memory (spill), requests wait (reserve)
// or are turned away (refuse).
func TestCollapse(t *testing.T) {
	plan := llama(t)
	host := Overflow{Blocks: 1 << 20, TokenBytes: plan.KVBytesPerToken(), Rate: pcieRate}
	ssd := Overflow{Blocks: 1 << 20, TokenBytes: plan.KVBytesPerToken(), Rate: ssdRate, Latency: ssdLatency}
	var roomy map[int]load // by share of the cache
	for _, c := range []struct {
		name     string
		policy   Policy
		overflow Overflow
		tpot     float64 // at 200 % at least so many times that at 95 %
		gap      float64 // the same of the worst gap
		ttft     float64 // the same of the slowest first token
		refused  int
	}{
		{"recompute", Recompute, Overflow{}, 1.5, 50, 5, 0},
		{"swap to host", Swap, host, 1.5, 50, 5, 0},
		{"spill to host", Spill, host, 20, 5, 1, 0},
		{"spill to SSD", Spill, ssd, 100, 25, 1, 0},
		{"reserve", Reserve, Overflow{}, 1, 1, 4, 0},
		{"refuse", Refuse, Overflow{}, 1, 1, 1, 320},
	} {
		loads := map[int]load{}
		for _, use := range []int{50, 95, 100, 105, 150, 200} {
			l := crowd(t, plan, 320*use/100, c.policy, c.overflow)
			t.Logf("%-13s %3d %% of the cache: TPOT %8.2f ms, worst gap %8.1f ms, slowest TTFT %5.2f s, %3d refused",
				c.name, use, float64(l.tpot)/1e6, float64(l.worst)/1e6, l.slowest.Seconds(), l.refused)
			loads[use] = l
		}
		if roomy == nil {
			roomy = loads
		}
		for _, use := range []int{50, 95, 100} {
			if loads[use] != roomy[use] {
				t.Errorf("%s at %d %% of the cache: %+v, another policy has %+v", c.name, use, loads[use], roomy[use])
			}
		}
		times := func(what string, full, before time.Duration, least float64) {
			if got := float64(full) / float64(before); got < least {
				t.Errorf("%s: the %s at 200 %% is %.1f times that at 95 %%, want at least %g", c.name, what, got, least)
			}
		}
		times("TPOT", loads[200].tpot, loads[95].tpot, c.tpot)
		times("worst gap", loads[200].worst, loads[95].worst, c.gap)
		times("slowest TTFT", loads[200].slowest, loads[95].slowest, c.ttft)
		if got := loads[200].refused; got != c.refused {
			t.Errorf("%s: %d refused, want %d", c.name, got, c.refused)
		}
	}
}

// TestRoomForAll: when the cache holds the sum of what all may come to hold, no policy
// does anything, and all give the same instants.
func TestRoomForAll(t *testing.T) {
	for seed := range uint64(20) {
		var want []string
		for _, p := range Policies() {
			random := rand.New(rand.NewPCG(seed, 3))
			var loop pipeline.Virtual
			c := BatchedConfig{Steps: dear, MaxSequences: 6, TokenBudget: 48, OnFull: p, Overflow: beside, PrefillFirst: seed%2 == 0, WholePrompts: seed%3 == 0}
			if seed%5 == 0 {
				c.Speculation = &Speculation{Tokens: 3, Acceptance: .6, Drafter: dear}
			}
			var log []string
			var submit []func(e Engine)
			for i := range 20 {
				at, prompt, output := time.Duration(random.IntN(400))*ms, 1+random.IntN(90), 1+random.IntN(40)
				c.KVBlocks += blocksFor(prompt+output+c.verified()-2, BlockTokens)
				submit = append(submit, func(e Engine) { ask(&loop, e, &log, string(rune('a'+i)), at, prompt, output) })
			}
			e := NewBatched(&loop, c)
			for _, f := range submit {
				f(e)
			}
			if err := loop.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if s := e.Stats(); s.Preemptions+int(s.BytesMoved)+s.Refused != 0 || s.Finished != 20 {
				t.Errorf("seed %d, %s: %+v", seed, p, s)
			}
			if want == nil {
				want = log
			}
			if !slices.Equal(log, want) {
				t.Errorf("seed %d: %s\n%s\nwant\n%s", seed, p, log, want)
			}
		}
	}
}
