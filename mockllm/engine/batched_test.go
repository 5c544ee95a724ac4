package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/roofline"
	"halfsecond/pipeline"
)

// recorder is a Stepper of 10 ms a step that keeps every batch.
type recorder struct{ batches []roofline.Batch }

func (r *recorder) Batch() roofline.Batch { return roofline.Batch{} }

func (r *recorder) Step(b roofline.Batch) time.Duration {
	r.batches = append(r.batches, b)
	return 10 * ms
}

// dear is a Stepper of 10 ms a step and 1 ms a token.
var dear = linear{10 * ms, ms}

// ask submits a request at an instant and logs its tokens and its end.
func ask(loop *pipeline.Virtual, e Engine, log *[]string, name string, at time.Duration, prompt, output int) *Request {
	r := &Request{Prompt: prompt, Output: output, NotifyAt: 1}
	r.Notify = func(n int) int {
		*log = append(*log, fmt.Sprintf("%s%d@%d", name, n, loop.Now()/ms))
		return n + 1
	}
	r.Done = func(o pipeline.Outcome) { *log = append(*log, fmt.Sprintf("%s:%s@%d", name, o, loop.Now()/ms)) }
	loop.At(at, pipeline.RankTimer, func() { e.Submit(r) })
	return r
}

func expect(t *testing.T, loop *pipeline.Virtual, log *[]string, want string) {
	t.Helper()
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(*log, " "); got != want {
		t.Errorf("log\n got %s\nwant %s", got, want)
	}
}

// TestSteps follows two requests step by step: the second's prompt is cut into
// chunks that fill what the first one's decode leaves of the budget.
func TestSteps(t *testing.T) {
	var loop pipeline.Virtual
	steps := &recorder{}
	e := NewBatched(&loop, BatchedConfig{Steps: steps, MaxSequences: 4, TokenBudget: 20, KVBlocks: 10})
	var log []string
	a := ask(&loop, e, &log, "a", 0, 16, 4)
	b := ask(&loop, e, &log, "b", 5*ms, 30, 2)
	expect(t, &loop, &log, "a1@10 a2@20 a3@30 b1@30 a4@40 b2@40 a:ok@40 b:ok@40")
	if a.Scheduled != 0 || b.Scheduled != 10*ms {
		t.Errorf("scheduled at %s and %s, want 0 and 10ms", a.Scheduled, b.Scheduled)
	}
	want := make([]roofline.Batch, 4)
	want[0].Add(16, 0, 1)
	want[1].Add(1, 16, 1)
	want[1].Add(19, 0, 0)
	want[2].Add(1, 17, 1)
	want[2].Add(11, 19, 1)
	want[3].Add(1, 18, 1)
	want[3].Add(1, 30, 1)
	if !slices.Equal(steps.batches, want) {
		t.Errorf("batches\n got %+v\nwant %+v", steps.batches, want)
	}
}

// TestDecodesAlike: sequences that decode are added by their sum, and that is what
// adding each would give.
func TestDecodesAlike(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		var want, got roofline.Batch
		context, n := 0, random.IntN(40)
		for range n {
			before := 1 + random.IntN(20_000)
			context += before
			want.Add(1, before, 1)
		}
		if addDecodes(&got, n, context); got != want {
			t.Fatalf("%d sequences: %+v, want %+v", n, got, want)
		}
	}
}

// windowed is a recorder of a model with a sliding window of 8 tokens.
type windowed struct{ recorder }

func (w *windowed) Batch() roofline.Batch { return roofline.Batch{Window: 8} }

// TestDecodesInAWindow: with a sliding window each sequence counts by itself.
func TestDecodesInAWindow(t *testing.T) {
	var loop pipeline.Virtual
	steps := &windowed{}
	e := NewBatched(&loop, BatchedConfig{Steps: steps, MaxSequences: 4, TokenBudget: 100, KVBlocks: 10})
	var log []string
	ask(&loop, e, &log, "a", 0, 2, 2)
	ask(&loop, e, &log, "b", 0, 20, 2)
	expect(t, &loop, &log, "a1@10 b1@10 a2@20 b2@20 a:ok@20 b:ok@20")
	want := steps.Batch()
	want.Add(1, 2, 1)
	want.Add(1, 20, 1)
	if got := steps.batches[1]; got != want {
		t.Errorf("the decode is %+v, want %+v", got, want)
	}
}

// TestPreemption: the cache holds 4 blocks. Both prompts take two; when the
// first needs a third, the second gives way, waits and is computed again with
// the tokens it had produced.
func TestPreemption(t *testing.T) {
	var loop pipeline.Virtual
	steps := &recorder{}
	e := NewBatched(&loop, BatchedConfig{Steps: steps, MaxSequences: 4, TokenBudget: 100, KVBlocks: 4})
	var log []string
	ask(&loop, e, &log, "a", 0, 31, 4)
	ask(&loop, e, &log, "b", 0, 20, 4)
	expect(t, &loop, &log, "a1@10 b1@10 a2@20 b2@20 a3@30 a4@40 a:ok@40 b3@50 b4@60 b:ok@60")
	if n := e.Stats().Preemptions; n != 1 {
		t.Errorf("%d preemptions, want 1", n)
	}
	if got := steps.batches[4]; got.Tokens != 22 || got.Logits != 1 {
		t.Errorf("recomputation is %+v, want the prompt's 20 tokens and the 2 produced", got)
	}
}

// TestCancelFreesBlocks: a running request's memory is free at the end of its
// step, and a waiting one that fits then joins at that instant.
func TestCancelFreesBlocks(t *testing.T) {
	var loop pipeline.Virtual
	e := NewBatched(&loop, BatchedConfig{Steps: &recorder{}, MaxSequences: 4, TokenBudget: 100, KVBlocks: 4})
	var log []string
	a := ask(&loop, e, &log, "a", 0, 60, 5)
	b := ask(&loop, e, &log, "b", 1*ms, 40, 1)
	c := ask(&loop, e, &log, "c", 2*ms, 10, 1)
	loop.At(12*ms, pipeline.RankInput, func() { e.Cancel(b) })
	loop.At(13*ms, pipeline.RankInput, func() { e.Cancel(a) })
	loop.At(20*ms, pipeline.RankTimer, func() {
		if s := e.Stats(); s.BlocksUsed != 0 || s.Running != 0 || s.Waiting != 1 {
			t.Errorf("at 20ms %+v: want the cancelled request's blocks free", s)
		}
	})
	expect(t, &loop, &log, "a1@10 b:cancelled@12 a:cancelled@20 c1@30 c:ok@30")
	if c.Scheduled != 20*ms || a.Generated() != 1 {
		t.Errorf("c scheduled at %s, want 20ms; a has %d tokens, want the one before it was given up", c.Scheduled, a.Generated())
	}
}

// TestPreemptedGoesFirst: who gave way is served again before all that wait.
func TestPreemptedGoesFirst(t *testing.T) {
	var loop pipeline.Virtual
	e := NewBatched(&loop, BatchedConfig{Steps: &recorder{}, MaxSequences: 4, TokenBudget: 100, KVBlocks: 4})
	var log []string
	ask(&loop, e, &log, "a", 0, 31, 4)
	ask(&loop, e, &log, "b", 0, 20, 4)
	ask(&loop, e, &log, "c", 1*ms, 40, 1)
	expect(t, &loop, &log, "a1@10 b1@10 a2@20 b2@20 a3@30 a4@40 a:ok@40 b3@50 b4@60 b:ok@60 c1@70 c:ok@70")
}

func TestRefused(t *testing.T) {
	var loop pipeline.Virtual
	e := NewBatched(&loop, BatchedConfig{Steps: &recorder{}, MaxSequences: 1, TokenBudget: 100, KVBlocks: 4, MaxContext: 50})
	var log []string
	r := ask(&loop, e, &log, "a", 0, 40, 11)
	ask(&loop, e, &log, "b", 0, 40, 10)
	expect(t, &loop, &log, "a:refused@0 b1@10 b2@20 b3@30 b4@40 b5@50 b6@60 b7@70 b8@80 b9@90 b10@100 b:ok@100")
	if got, want := r.Reason.Error(), "request is larger than the engine's context: prompt 40 and output 11 need 51 tokens, 50 fit"; got != want {
		t.Errorf("reason %q, want %q", got, want)
	}
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		name   string
		config BatchedConfig
		want   string
	}{
		{"numbers", BatchedConfig{MaxSequences: 0, TokenBudget: -1, BlockTokens: -1}, "max sequences is 0, must be at least 1\n" +
			"token budget is -1, must be at least 1\nKV blocks is 0, must be at least 1\ntokens of a block is -1, must be at least 1\n" +
			"token budget is -1, must be at least 0, max sequences, or some would never decode"},
		{"budget", BatchedConfig{MaxSequences: 8, TokenBudget: 31, KVBlocks: 1, Speculation: &Speculation{Tokens: 3}},
			"token budget is 31, must be at least 32, max sequences of 3 drafted and 1 more tokens each, or some would never decode"},
		{"options", BatchedConfig{MaxSequences: 1, TokenBudget: 9, KVBlocks: 1, PrefixTTL: -1, OnFull: "wait", Speculation: &Speculation{Acceptance: 1.5}},
			"prefix time to live is -1ns, must not be negative\ndrafted tokens is 0, must be at least 1\nacceptance is 1.5, must be from 0 to 1\n" +
				"policy \"wait\" is unknown: want one of recompute, swap, spill, reserve, refuse"},
		{"overflow", BatchedConfig{MaxSequences: 1, TokenBudget: 9, KVBlocks: 1, OnFull: Spill, Overflow: Overflow{Latency: -1}},
			"spill blocks is 0, must be at least 1\nbytes of a token is 0, must be at least 1\n" +
				"spill rate is 0 bytes a second, must be above 0\nspill latency is -1ns, must not be negative"},
		{"slots", BatchedConfig{TokenBudget: 9, KVBlocks: 3, Slots: 4}, "4 slots share 3 KV blocks, want at least 1 each"},
		{"right", BatchedConfig{TokenBudget: 9, KVBlocks: 3, Slots: 3}, ""},
	} {
		got := ""
		if err := c.config.Validate(); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: Validate =\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// TestInterference: a stream decodes when a prompt of 100 tokens arrives. In chunks it
// slows the stream down for as many steps as there are; whole, or before all others,
// it stops the stream for a prompt's time.
func TestInterference(t *testing.T) {
	for _, c := range []struct {
		name   string
		config BatchedConfig
		want   string
	}{
		{"chunks", BatchedConfig{TokenBudget: 21}, "a1@11 a2@22 a3@53 a4@84 a5@115 a:ok@115 b1@175 b:ok@175"},
		{"whole", BatchedConfig{TokenBudget: 21, WholePrompts: true}, "a1@11 a2@22 a3@133 b1@133 b:ok@133 a4@144 a5@155 a:ok@155"},
		{"first, in chunks", BatchedConfig{TokenBudget: 21, PrefillFirst: true}, "a1@11 a2@22 b1@172 b:ok@172 a3@183 a4@194 a5@205 a:ok@205"},
		{"first, whole", BatchedConfig{TokenBudget: 200, PrefillFirst: true, WholePrompts: true}, "a1@11 a2@22 b1@132 b:ok@132 a3@143 a4@154 a5@165 a:ok@165"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var loop pipeline.Virtual
			c.config.Steps, c.config.MaxSequences, c.config.KVBlocks = dear, 4, 20
			e := NewBatched(&loop, c.config)
			var log []string
			ask(&loop, e, &log, "a", 0, 1, 5)
			ask(&loop, e, &log, "b", 15*ms, 100, 1)
			expect(t, &loop, &log, c.want)
		})
	}
}

// TestWholePrompts: the budget says how many prompts share a step, and one that is
// larger than the budget is computed all the same.
func TestWholePrompts(t *testing.T) {
	for _, c := range []struct {
		first bool
		want  string
	}{
		{false, "a1@40 a2@80 b1@80 a:ok@80 b:ok@80 c1@140 c:ok@140"},
		{true, "a1@40 b1@79 b:ok@79 c1@139 c:ok@139 a2@150 a:ok@150"},
	} {
		var loop pipeline.Virtual
		e := NewBatched(&loop, BatchedConfig{Steps: dear, MaxSequences: 4, TokenBudget: 40, KVBlocks: 20, WholePrompts: true, PrefillFirst: c.first})
		var log []string
		ask(&loop, e, &log, "a", 0, 30, 2)
		b := ask(&loop, e, &log, "b", 0, 29, 1)
		ask(&loop, e, &log, "c", 0, 50, 1)
		expect(t, &loop, &log, c.want)
		if b.Scheduled != 40*ms {
			t.Errorf("b was scheduled at %s, want 40ms: it did not fit the first step", b.Scheduled)
		}
	}
}

// TestPriority: the larger priority is served first, and the last to join of the
// lowest gives way.
func TestPriority(t *testing.T) {
	var loop pipeline.Virtual
	e := NewBatched(&loop, BatchedConfig{Steps: &recorder{}, MaxSequences: 3, TokenBudget: 100, KVBlocks: 4})
	var log []string
	for _, r := range []struct {
		name             string
		at               time.Duration
		prompt, priority int
	}{{"low", 0, 16, 0}, {"high", 0, 15, 2}, {"middle", 5 * ms, 31, 1}, {"late", 6 * ms, 16, 2}} {
		ask(&loop, e, &log, r.name, r.at, r.prompt, 3).Priority = r.priority
	}
	// At 10 ms low takes a second block and late the last; middle needs two. At 20 ms
	// high and late each need one more, and low gives way to them. At 30 ms high ends,
	// and middle takes its blocks; low is computed again when late has ended.
	expect(t, &loop, &log, "high1@10 low1@10 high2@20 late1@20 low2@20 high3@30 late2@30 high:ok@30 "+
		"late3@40 middle1@40 late:ok@40 middle2@50 low3@50 low:ok@50 middle3@60 middle:ok@60")
	if n := e.Stats().Preemptions; n != 1 {
		t.Errorf("%d preemptions, want 1", n)
	}
}

// TestNobodyJoinsAtOnce: in a step in which a sequence gave way no other joins, though
// one of a higher priority had room.
func TestNobodyJoinsAtOnce(t *testing.T) {
	var loop pipeline.Virtual
	e := NewBatched(&loop, BatchedConfig{Steps: &recorder{}, MaxSequences: 3, TokenBudget: 100, KVBlocks: 4})
	var log []string
	ask(&loop, e, &log, "a", 0, 16, 2).Priority = 1
	ask(&loop, e, &log, "b", 0, 40, 2)
	ask(&loop, e, &log, "c", 5*ms, 10, 1).Priority = 1
	expect(t, &loop, &log, "a1@10 b1@10 a2@20 a:ok@20 c1@30 b2@30 c:ok@30 b:ok@30")
}

// TestPriorityOfSlots: slots know none.
func TestPriorityOfSlots(t *testing.T) {
	var loop pipeline.Virtual
	e := NewBatched(&loop, BatchedConfig{Steps: &recorder{}, TokenBudget: 100, KVBlocks: 4, Slots: 1})
	var log []string
	ask(&loop, e, &log, "a", 0, 16, 1)
	ask(&loop, e, &log, "b", 1*ms, 16, 1)
	ask(&loop, e, &log, "c", 2*ms, 16, 1).Priority = 5
	expect(t, &loop, &log, "a1@10 a:ok@10 b1@20 b:ok@20 c1@30 c:ok@30")
}

// TestCancelBeforePreemption: the end of one request gives up another that was
// swept past already, and its end a third before it, which would give way next. They
// leave, and are not computed again.
func TestCancelBeforePreemption(t *testing.T) {
	var loop pipeline.Virtual
	e := NewBatched(&loop, BatchedConfig{Steps: &recorder{}, MaxSequences: 5, TokenBudget: 100, KVBlocks: 5})
	var log []string
	d := ask(&loop, e, &log, "d", 0, 16, 10)
	b := ask(&loop, e, &log, "b", 0, 16, 10)
	a := ask(&loop, e, &log, "a", 0, 16, 10)
	ask(&loop, e, &log, "c", 0, 16, 10)
	toldA, toldB := a.Done, b.Done
	a.Done = func(o pipeline.Outcome) { toldA(o); e.Cancel(b) }
	b.Done = func(o pipeline.Outcome) { toldB(o); e.Cancel(d) }
	loop.At(5*ms, pipeline.RankInput, func() { e.Cancel(a) })
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(log[:7], " "); got != "d1@10 b1@10 c1@10 a:cancelled@10 b:cancelled@10 d:cancelled@10 c2@20" {
		t.Errorf("log %s, want b and d to leave with a", got)
	}
	if s := e.Stats(); s.Cancelled != 3 || s.Finished != 1 || s.BlocksUsed != 0 {
		t.Errorf("at the end %+v", s)
	}
}

// TestPromptTokens: of all that is computed, prompt is what is not the newest token of
// an answer, in whatever chunks a sequence that gave way is computed again.
func TestPromptTokens(t *testing.T) {
	for _, budget := range []int{100, 21, 7} {
		var loop pipeline.Virtual
		steps := &recorder{}
		e := NewBatched(&loop, BatchedConfig{Steps: steps, MaxSequences: 3, TokenBudget: budget, KVBlocks: 5})
		for range 3 {
			e.Submit(&Request{Prompt: 30, Output: 9, Done: func(pipeline.Outcome) {}})
		}
		if err := loop.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		computed := 0
		for _, b := range steps.batches {
			computed += b.Tokens
		}
		// The last token of an answer is never computed.
		if s := e.Stats(); s.Preemptions == 0 || s.PromptTokens != computed-3*(9-1) {
			t.Errorf("budget of %d: %d prompt tokens of %d after %d preemptions, want all but 24", budget, s.PromptTokens, computed, s.Preemptions)
		}
	}
}
