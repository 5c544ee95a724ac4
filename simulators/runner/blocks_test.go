package runner

import (
	"slices"
	"testing"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/simulators/bench"
	"halfsecond/simulators/voice"
)

// recalling is a model that asks what a call shares when it starts and again just
// before it ends.
type recalling struct {
	pipeline.LLM
	t     *testing.T
	calls int
	seen  map[*pipeline.Call]bool
}

func (m *recalling) Start(c *pipeline.Call) {
	m.calls++
	m.seen[c] = true
	first, done := c.Blocks(nil, 1), c.Done
	c.Done = func() {
		if again := c.Blocks(nil, 1); len(first) != c.PromptTokens+c.OutputTokens || !slices.Equal(again, first) {
			m.t.Errorf("%d blocks at the start and %d at the end, want the same %d", len(first), len(again), c.PromptTokens+c.OutputTokens)
		}
		done()
	}
	m.LLM.Start(c)
}

// TestBlocksStay: what a call shares stays true while others come and go, those of
// which are kept in the memory of earlier ones included.
func TestBlocksStay(t *testing.T) {
	id := func() int64 { return 1 }
	for name, c := range map[string]struct {
		every  time.Duration
		begin  func(loop pipeline.Scheduler, m pipeline.LLM) Interactions
		reuses bool // the memory of a call that has ended
	}{
		"voice": {500 * ms, func(loop pipeline.Scheduler, m pipeline.LLM) Interactions {
			return voice.New(voice.Config{Loop: loop, LLM: m, Seed: 1, NextRequest: id, Stack: voice.Stack{
				Utterance: dist.Constant(2 * time.Second), VADSilence: dist.Constant(200 * ms), STTTail: dist.Constant(247 * ms), TTS: voice.TTS{FirstAudio: dist.Constant(188 * ms)},
				PromptTokens: dist.UniformCount(400, 900), ReplyTokens: dist.UniformCount(5, 300), FirstSentence: dist.ConstantCount(4), SpeechPerToken: 250 * ms,
			}})
		}, true},
		"bench": {20 * ms, func(loop pipeline.Scheduler, m pipeline.LLM) Interactions {
			return bench.New(bench.Config{
				Loop: loop, LLM: m, Seed: 1, NextRequest: id,
				PromptTokens: dist.UniformCount(10, 90), Shared: bench.Shared{Tokens: 8, By: 1}, OutputTokens: dist.UniformCount(2, 30),
			})
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			var loop pipeline.Virtual
			llm := &recalling{t: t, seen: map[*pipeline.Call]bool{}, LLM: engine.NewStage(&loop, engine.NewHosted(&loop, engine.HostedConfig{
				First: func(uint64) time.Duration { return 100 * ms }, Next: 10 * ms,
			}))}
			x := c.begin(&loop, llm)
			for session := range 20 {
				loop.At(time.Duration(session)*c.every, pipeline.RankInput, func() { x.Begin(session, 0, func(*pipeline.Trace) {}) })
			}
			if err := loop.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if llm.calls != 20 || (len(llm.seen) < 20) != c.reuses {
				t.Errorf("%d calls in %d places of memory, want 20, and memory used again: %t", llm.calls, len(llm.seen), c.reuses)
			}
		})
	}
}
