package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/roofline"
	"halfsecond/pipeline"
)

// recorder is a Stepper of 10 ms a step that keeps every batch.
type recorder struct{ batches []roofline.Batch }

func (r *recorder) Step(b roofline.Batch) time.Duration {
	r.batches = append(r.batches, b)
	return 10 * ms
}

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
	want := []roofline.Batch{
		{Tokens: 16, Sequences: 1, Logits: 1, ContextTokens: 16, AttentionPairs: 16 * 8},
		{Tokens: 20, Sequences: 2, Logits: 1, ContextTokens: 17 + 19, AttentionPairs: 16.5 + 19*9.5},
		{Tokens: 12, Sequences: 2, Logits: 2, ContextTokens: 18 + 30, AttentionPairs: 17.5 + 11*(19+5.5)},
		{Tokens: 2, Sequences: 2, Logits: 2, ContextTokens: 19 + 31, AttentionPairs: 18.5 + 30.5},
	}
	if !slices.Equal(steps.batches, want) {
		t.Errorf("batches\n got %+v\nwant %+v", steps.batches, want)
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
	if c.Scheduled != 20*ms {
		t.Errorf("c scheduled at %s, want 20ms", c.Scheduled)
	}
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
	err := BatchedConfig{MaxSequences: 0, TokenBudget: -1}.Validate()
	want := "max sequences is 0, must be at least 1\ntoken budget is -1, must be at least 1\nKV blocks is 0, must be at least 1\ntoken budget is -1, must be at least max sequences, 0, or some would never decode"
	if err == nil || err.Error() != want {
		t.Errorf("Validate = %v, want %s", err, want)
	}
}

// TestCancelBeforePreemption: the end of one request gives up another that was
// swept past already and would give way next. It leaves, and is not computed
// again.
func TestCancelBeforePreemption(t *testing.T) {
	var loop pipeline.Virtual
	e := NewBatched(&loop, BatchedConfig{Steps: &recorder{}, MaxSequences: 5, TokenBudget: 100, KVBlocks: 5})
	var log []string
	b := ask(&loop, e, &log, "b", 0, 16, 10)
	a := ask(&loop, e, &log, "a", 0, 16, 10)
	ask(&loop, e, &log, "c", 0, 16, 10)
	told := a.Done
	a.Done = func(o pipeline.Outcome) { told(o); e.Cancel(b) }
	loop.At(5*ms, pipeline.RankInput, func() { e.Cancel(a) })
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(log[:5], " "); got != "b1@10 c1@10 a:cancelled@10 b:cancelled@10 c2@20" {
		t.Errorf("log %s, want b to leave with a", got)
	}
	if s := e.Stats(); s.Cancelled != 2 || s.Finished != 1 || s.BlocksUsed != 0 {
		t.Errorf("at the end %+v", s)
	}
}
