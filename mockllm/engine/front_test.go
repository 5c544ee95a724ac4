package engine

import (
	"slices"
	"testing"
	"time"

	"halfsecond/pipeline"
)

const us = time.Microsecond

func init() {
	slots := func(l pipeline.Scheduler) Engine {
		return NewSlots(l, SlotsConfig{Service: Fixed{40 * ms, 7 * ms}, Slots: 3, MaxContext: 300})
	}
	subjects = append(subjects,
		subject{"front", func(l pipeline.Scheduler) Engine {
			return NewFront(l, FrontConfig{Fixed: 3 * ms, PerToken: 100 * us}, slots(l))
		}, 0},
		subject{"front with one worker", func(l pipeline.Scheduler) Engine {
			return NewFront(l, FrontConfig{Fixed: 3 * ms, PerToken: 200 * us, Workers: 1}, slots(l))
		}, 0},
		subject{"front with workers before a batch", func(l pipeline.Scheduler) Engine {
			return NewFront(l, FrontConfig{PerToken: 200 * us, Workers: 2},
				NewBatched(l, BatchedConfig{Steps: linear{5 * ms, 10 * us}, MaxSequences: 8, TokenBudget: 64, KVBlocks: 24}))
		}, 6 * ms},
	)
}

// one is an engine of one slot, 50 ms to the first token and 10 ms to each other.
func one(loop pipeline.Scheduler) *Slots {
	return NewSlots(loop, SlotsConfig{Service: Fixed{TTFT: 50 * ms, TPOT: 10 * ms}, Slots: 1, MaxContext: 1000})
}

// many is the same with slots for all.
func many(loop pipeline.Scheduler) *Slots {
	return NewSlots(loop, SlotsConfig{Service: Fixed{TTFT: 50 * ms, TPOT: 10 * ms}, Slots: 100, MaxContext: 1000})
}

// TestFront: each request spends 2 ms and .1 ms a token by itself, and overtakes
// one that takes longer.
func TestFront(t *testing.T) {
	var loop pipeline.Virtual
	e := NewFront(&loop, FrontConfig{Fixed: 2 * ms, PerToken: 100 * us}, one(&loop))
	var log []string
	a := ask(&loop, e, &log, "a", 0, 100, 1)
	b := ask(&loop, e, &log, "b", 1*ms, 20, 1)
	loop.At(4*ms, pipeline.RankStart, func() {
		if s := e.Stats(); s.Submitted != 2 || s.Waiting != 2 || a.Scheduled != pipeline.Unknown {
			t.Errorf("at 4ms %+v, scheduled %s", s, a.Scheduled)
		}
	})
	expect(t, &loop, &log, "b1@55 b:ok@55 a1@105 a:ok@105")
	if a.Scheduled != 55*ms || b.Scheduled != 5*ms {
		t.Errorf("scheduled at %s and %s, want 55ms and 5ms", a.Scheduled, b.Scheduled)
	}
}

// TestFrontWorker: one worker tokenises in order of arrival; the fixed cost is not
// its.
func TestFrontWorker(t *testing.T) {
	for _, c := range []struct {
		workers int
		want    string
	}{
		{1, "a1@62 a:ok@62 b1@64 b:ok@64 c1@68 c:ok@68"},
		{2, "b1@55 b:ok@55 c1@59 c:ok@59 a1@62 a:ok@62"},
		{3, "b1@55 b:ok@55 c1@57 c:ok@57 a1@62 a:ok@62"},
	} {
		var loop pipeline.Virtual
		e := NewFront(&loop, FrontConfig{Fixed: 2 * ms, PerToken: 100 * us, Workers: c.workers}, many(&loop))
		var log []string
		ask(&loop, e, &log, "a", 0, 100, 1) // 2 to 12 ms
		ask(&loop, e, &log, "b", 1*ms, 20, 1)
		ask(&loop, e, &log, "c", 1*ms, 40, 1)
		expect(t, &loop, &log, c.want)
	}
}

// TestFrontCancel: a request leaves at once whether it waits for a worker or has
// one, and the worker finishes the prompt that it has.
func TestFrontCancel(t *testing.T) {
	var loop pipeline.Virtual
	e := NewFront(&loop, FrontConfig{PerToken: 100 * us, Workers: 1}, many(&loop))
	var log []string
	a := ask(&loop, e, &log, "a", 0, 100, 1)
	b := ask(&loop, e, &log, "b", 1*ms, 100, 1)
	ask(&loop, e, &log, "c", 2*ms, 100, 1)
	loop.At(3*ms, pipeline.RankInput, func() { e.Cancel(b) })
	loop.At(4*ms, pipeline.RankInput, func() { e.Cancel(a); e.Cancel(a) })
	expect(t, &loop, &log, "b:cancelled@3 a:cancelled@4 c1@70 c:ok@70")
	if s := e.Stats(); s.Submitted != 3 || s.Cancelled != 2 || s.Finished != 1 || s.PromptTokens != 100 {
		t.Errorf("at the end %+v", s)
	}
}

func TestFrontValidate(t *testing.T) {
	for _, c := range []struct {
		config FrontConfig
		want   string
	}{
		{FrontConfig{}, "a front without any cost: leave it out"},
		{FrontConfig{Fixed: -1, PerToken: -2, Workers: -3}, "fixed cost of a request is -1ns, must not be negative\ncost of a prompt token is -2ns, must not be negative\ntokenising workers is -3, must not be negative"},
		{FrontConfig{PerToken: 1, Workers: 1}, ""},
	} {
		if err := c.config.Validate(); err == nil && c.want != "" || err != nil && err.Error() != c.want {
			t.Errorf("Validate(%+v) = %v, want %q", c.config, err, c.want)
		}
	}
}

// TestBlocksAreAskedLate: a request that reaches its engine late, behind an API server
// and a load, is asked what it shares only then, and not at all when it gave up.
func TestBlocksAreAskedLate(t *testing.T) {
	for _, c := range []struct {
		name   string
		cancel time.Duration
		want   []time.Duration
	}{{"served", 0, []time.Duration{35 * ms}}, {"given up", 20 * ms, nil}} {
		var loop pipeline.Virtual
		cold := NewCold(&loop, ColdConfig{Load: 30 * ms}, func(l pipeline.Scheduler) Engine {
			return NewBatched(l, BatchedConfig{Steps: dear, MaxSequences: 2, TokenBudget: 100, KVBlocks: 10, PrefixCache: true})
		})
		e := NewFront(&loop, FrontConfig{Fixed: 5 * ms}, cold)
		var asked []time.Duration
		r := &Request{Prompt: 20, Output: 2, Done: func(pipeline.Outcome) {}}
		r.Blocks = func(dst []uint64, _ int) []uint64 {
			asked = append(asked, loop.Now())
			return append(dst, 1)
		}
		loop.At(0, pipeline.RankTimer, func() { e.Submit(r) })
		if c.cancel > 0 {
			loop.At(c.cancel, pipeline.RankInput, func() { e.Cancel(r) })
		}
		if err := loop.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(asked, c.want) {
			t.Errorf("%s: asked at %v, want %v", c.name, asked, c.want)
		}
	}
}
