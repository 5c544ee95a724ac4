package bench

import (
	"testing"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/token"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

const ms = time.Millisecond

func TestRequest(t *testing.T) {
	var loop pipeline.Virtual
	llm := engine.NewStage(&loop, engine.NewHosted(&loop, engine.HostedConfig{
		First: func(uint64) time.Duration { return 50 * ms }, Next: 10 * ms,
	}))
	sim := New(Config{
		Loop: &loop, LLM: llm, PromptTokens: dist.ConstantCount(7), OutputTokens: dist.ConstantCount(4), Seed: 1,
		NextRequest: func() int64 { return 9 }, Late: func() time.Duration { return 3 * ms },
	})
	var got *pipeline.Trace
	loop.At(time.Second, pipeline.RankInput, func() { sim.Begin(1, 2, func(tr *pipeline.Trace) { got = tr }) })
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got.Session != 1 || got.Index != 2 || got.Due != time.Second || got.End != 1080*ms || got.Late != 3*ms || got.Outcome != pipeline.OK {
		t.Errorf("trace %+v", got)
	}
	first, decode := got.Spans[0], got.Spans[1]
	if first.Name != pipeline.SpanLLMFirstToken || first.For() != 50*ms || decode.Name != pipeline.SpanLLMDecode || decode.For() != 30*ms || decode.After[0] != 0 || !decode.Simulated {
		t.Errorf("spans %+v", got.Spans)
	}
	if r := got.Requests[0]; r.ID != 9 || r.PromptTokens != 7 || r.OutputTokens != 4 {
		t.Errorf("request %+v", r)
	}
}

// silent is a network model that refuses, and asks for the texts before.
type silent struct {
	prompt, answer string
	blocks         []uint64 // of one token
}

func (s *silent) Start(c *pipeline.Call) {
	s.prompt, s.answer, s.blocks = c.Prompt().Text, c.Answer(), c.Blocks(nil, 1)
	c.Record.Outcome, c.Record.Reason = pipeline.Refused, "full"
	c.Done()
}

func (s *silent) Cancel(*pipeline.Call) {}

func TestRefused(t *testing.T) {
	var loop pipeline.Virtual
	llm := &silent{}
	sim := New(Config{Loop: &loop, LLM: llm, PromptTokens: dist.ConstantCount(7), OutputTokens: dist.ConstantCount(4), NextRequest: func() int64 { return 1 }})
	var got *pipeline.Trace
	sim.Begin(0, 0, func(tr *pipeline.Trace) { got = tr })
	if got.Outcome != pipeline.Refused || got.Reason != "full" || got.Spans[0].End != pipeline.Unknown {
		t.Errorf("trace %+v", got)
	}
	if token.Count(llm.prompt) != 7 || token.Count(llm.answer) != 4 {
		t.Errorf("prompt %q, answer %q: want 7 and 4 tokens", llm.prompt, llm.answer)
	}
}

// TestSharedPrefix: prompts begin alike for as long as they are told to, and their
// texts with them.
func TestSharedPrefix(t *testing.T) {
	for _, c := range []struct{ shared, want int }{{0, 0}, {1, 1}, {20, 20}, {50, 50}, {60, 50}} {
		var loop pipeline.Virtual
		llm := &silent{}
		sim := New(Config{
			Loop: &loop, LLM: llm, PromptTokens: dist.ConstantCount(50), Shared: Shared{Tokens: c.shared, By: 1}, OutputTokens: dist.ConstantCount(4),
			NextRequest: func() int64 { return 1 },
		})
		ask := func(session int) silent {
			sim.Begin(session, 0, func(*pipeline.Trace) {})
			return *llm
		}
		first, second := ask(0), ask(1)
		if n := len(first.blocks); n != 54 || token.Count(first.prompt) != 50 {
			t.Errorf("%d blocks, %d tokens of prompt, want 54 and 50", n, token.Count(first.prompt))
		}
		same := 0
		for first.blocks[same] == second.blocks[same] {
			same++
		}
		if same != c.want || token.Prefix(first.prompt, same) != token.Prefix(second.prompt, same) ||
			same < 50 && token.Prefix(first.prompt, same+1) == token.Prefix(second.prompt, same+1) {
			t.Errorf("with %d shared, %q and %q share %d tokens, want %d", c.shared, first.prompt, second.prompt, same, c.want)
		}
	}
}

// whole is a network model that answers with one text after a while.
type whole struct {
	loop  *pipeline.Virtual
	after time.Duration
}

func (w whole) Start(c *pipeline.Call) {
	w.loop.After(w.after, pipeline.RankInput, func() {
		c.Record.FirstByte, c.Record.End, c.Record.Outcome, c.Record.OutputTokens = w.loop.Now(), w.loop.Now(), pipeline.OK, 3
		c.Notify(pipeline.Progress{Tokens: 3, Text: "a b c"})
		c.Done()
	})
}

func (whole) Cancel(*pipeline.Call) {}

// TestWhole: of an answer that came as one text there is no first token; what it took has a
// stage of its own.
func TestWhole(t *testing.T) {
	var loop pipeline.Virtual
	sim := New(Config{
		Loop: &loop, LLM: whole{&loop, 300 * ms}, PromptTokens: dist.ConstantCount(7), OutputTokens: dist.ConstantCount(4), NextRequest: func() int64 { return 1 },
	})
	var got *pipeline.Trace
	loop.At(time.Second, pipeline.RankInput, func() { sim.Begin(0, 0, func(tr *pipeline.Trace) { got = tr }) })
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(got.Spans) != 1 || got.Spans[0].Name != pipeline.SpanLLMWhole || got.Spans[0].For() != 300*ms {
		t.Errorf("spans %+v, want llm_whole of 300 ms alone", got.Spans)
	}
}
