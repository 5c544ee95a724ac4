package engine

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/roofline"
	"halfsecond/pipeline"
)

// TestSpeculation: with every draft accepted three tokens come out at the end of each
// step, which takes the model's time for three tokens a sequence and two passes of the
// drafter. The drafter takes in the prompt too.
func TestSpeculation(t *testing.T) {
	var loop pipeline.Virtual
	steps := &recorder{}
	drafter := linear{2 * ms, ms}
	e := NewBatched(&loop, BatchedConfig{
		Steps: steps, MaxSequences: 2, TokenBudget: 20, KVBlocks: 10,
		Speculation: &Speculation{Tokens: 2, Acceptance: 1, Drafter: drafter},
	})
	var log []string
	ask(&loop, e, &log, "a", 0, 5, 6)
	// The prompt: 10 + 2+5. A step: 10 + 2*(2+1). The last has two of three to give.
	expect(t, &loop, &log, "a1@17 a2@33 a3@33 a4@33 a5@49 a6@49 a:ok@49")
	want := make([]roofline.Batch, 3)
	want[0].Add(5, 0, 1)
	want[1].Add(3, 5, 3)
	want[2].Add(3, 8, 3)
	if !slices.Equal(steps.batches, want) {
		t.Errorf("batches\n got %+v\nwant %+v", steps.batches, want)
	}
	if s := e.Stats(); s.Drafted != 4 || s.Accepted != 4 || s.OutputTokens != 6 || s.PromptTokens != 5 {
		t.Errorf("at the end %+v", s)
	}
}

// TestNothingAccepted: a token a step, at the price of a verification.
func TestNothingAccepted(t *testing.T) {
	var loop pipeline.Virtual
	e := NewBatched(&loop, BatchedConfig{
		Steps: dear, MaxSequences: 2, TokenBudget: 20, KVBlocks: 10, Speculation: &Speculation{Tokens: 2},
	})
	var log []string
	ask(&loop, e, &log, "a", 0, 5, 3)
	expect(t, &loop, &log, "a1@15 a2@28 a3@41 a:ok@41")
}

// TestCountsOfABurst: every count of interest among the tokens of a step is told, in
// order and at its instant, until the asker gives the request up.
func TestCountsOfABurst(t *testing.T) {
	var loop pipeline.Virtual
	e := NewBatched(&loop, BatchedConfig{
		Steps: &recorder{}, MaxSequences: 2, TokenBudget: 20, KVBlocks: 10, Speculation: &Speculation{Tokens: 7, Acceptance: 1},
	})
	var told []string
	r := &Request{Prompt: 5, Output: 30, NotifyAt: 3}
	next := map[int]int{3: 4, 4: 7, 7: 12, 12: 13, 13: 14}
	r.Notify = func(n int) int {
		told = append(told, fmt.Sprintf("%d of %d@%d", n, r.Generated(), loop.Now()/ms))
		if n == 13 {
			e.Cancel(r)
		}
		return next[n]
	}
	r.Done = func(o pipeline.Outcome) { told = append(told, o.String()) }
	loop.At(0, pipeline.RankTimer, func() { e.Submit(r) })
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(told, ", "), "3 of 9@20, 4 of 9@20, 7 of 9@20, 12 of 17@30, 13 of 17@30, cancelled"; got != want {
		t.Errorf("told %s, want %s", got, want)
	}
}

// TestRoomForDrafts: a request must fit with the tokens that are drafted beyond its
// last one.
func TestRoomForDrafts(t *testing.T) {
	var loop pipeline.Virtual
	e := NewBatched(&loop, BatchedConfig{
		Steps: &recorder{}, MaxSequences: 2, TokenBudget: 64, KVBlocks: 2, Speculation: &Speculation{Tokens: 7},
	})
	var log []string
	ask(&loop, e, &log, "a", 0, 23, 4)
	ask(&loop, e, &log, "b", 0, 23, 3)
	expect(t, &loop, &log, "a:refused@0 b1@10 b2@20 b3@30 b:ok@30")
}

// TestExpected: the mean tokens of a step in a long run is (1-a^(g+1))/(1-a), within
// four standard errors.
func TestExpected(t *testing.T) {
	for _, c := range []struct {
		tokens     int
		acceptance float64
		want       float64
	}{{4, .7, 2.7731}, {1, .5, 1.5}, {8, .9, 6.12579511}, {3, 1, 4}, {5, 0, 1}} {
		s := Speculation{Tokens: c.tokens, Acceptance: c.acceptance, Seed: 5}
		if got := s.Expected(); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("Expected of %d drafted at %g = %.9f, want %.9f", c.tokens, c.acceptance, got, c.want)
		}
		var loop pipeline.Virtual
		e := NewBatched(&loop, BatchedConfig{Steps: &recorder{}, MaxSequences: 64, TokenBudget: 1024, KVBlocks: 20_000, Speculation: &s})
		for range 64 {
			e.Submit(&Request{Prompt: 1, Output: 4000, Done: func(pipeline.Outcome) {}})
		}
		if err := loop.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		verified := float64(e.Stats().Drafted) / float64(c.tokens)
		mean := 1 + float64(e.Stats().Accepted)/verified
		if slack := 4 * float64(c.tokens) / 2 / math.Sqrt(verified); math.Abs(mean-c.want) > slack {
			t.Errorf("%d drafted at %g: %.4f tokens a step over %.0f, want %.4f within %.4f", c.tokens, c.acceptance, mean, verified, c.want, slack)
		}
	}
}

// TestAcceptanceIsTheRequests: what a request accepts step by step does not depend on
// what it shares steps with.
func TestAcceptanceIsTheRequests(t *testing.T) {
	bursts := func(sequences, blocks int) [][]int {
		var loop pipeline.Virtual
		e := NewBatched(&loop, BatchedConfig{
			Steps: dear, MaxSequences: sequences, TokenBudget: 64, KVBlocks: blocks,
			Speculation: &Speculation{Tokens: 4, Acceptance: .6, Seed: 9},
		})
		all := make([][]int, 12)
		for i := range all {
			r := &Request{Prompt: 10 + i, Output: 50, NotifyAt: 1, Done: func(pipeline.Outcome) {}}
			last, at := 0, time.Duration(-1)
			r.Notify = func(n int) int {
				if loop.Now() != at {
					all[i] = append(all[i], r.Generated()-last)
					last, at = r.Generated(), loop.Now()
				}
				return n + 1
			}
			loop.At(time.Duration(i)*ms, pipeline.RankTimer, func() { e.Submit(r) })
		}
		if err := loop.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		return all
	}
	alone, together := bursts(1, 100), bursts(12, 100)
	for i := range alone {
		if !slices.Equal(alone[i], together[i]) {
			t.Errorf("request %d puts out %v alone and %v with others", i, alone[i], together[i])
		}
	}
	if slices.Equal(alone[0], alone[1]) {
		t.Error("two requests accept alike: their streams are one")
	}
}

// tpot returns the mean time between tokens of n equal streams that decode together.
func tpot(t *testing.T, c BatchedConfig, n int) time.Duration {
	t.Helper()
	var loop pipeline.Virtual
	c.MaxSequences, c.TokenBudget, c.KVBlocks = n, max(2048, n*c.verified()), 100_000
	e := NewBatched(&loop, c)
	total := time.Duration(0)
	const output = 200
	for range n {
		r := &Request{Prompt: 10, Output: output, NotifyAt: 1}
		first := time.Duration(0)
		r.Notify = func(int) int { first = loop.Now(); return 0 }
		r.Done = func(pipeline.Outcome) { total += (r.Last - first) / (output - 1) }
		e.Submit(r)
	}
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return total / time.Duration(n)
}

// TestGainVanishes: drafts make one stream faster by much and many streams slower, for
// the model computes five tokens for each that it would have computed.
func TestGainVanishes(t *testing.T) {
	plan := llama(t)
	head, err := plan.Head()
	if err != nil {
		t.Fatal(err)
	}
	speculation := &Speculation{Tokens: 4, Acceptance: HeadAcceptance, Drafter: head}
	gains := map[int]float64{}
	for _, n := range []int{1, 8, 32, 128, 512} {
		plain := tpot(t, BatchedConfig{Steps: plan}, n)
		drafted := tpot(t, BatchedConfig{Steps: plan, Speculation: speculation}, n)
		gains[n] = float64(plain) / float64(drafted)
		t.Logf("%3d streams: TPOT %s, with drafts %s, gain %.2f", n, plain, drafted, gains[n])
	}
	if gains[1] < 1.8 || gains[512] > 1 {
		t.Errorf("gain %.2f of one stream and %.2f of 512, want at least 1.8 and at most 1", gains[1], gains[512])
	}
}
