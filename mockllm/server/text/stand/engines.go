package stand

import (
	"errors"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/roofline"
	"halfsecond/mockllm/server/text/serve"
	"halfsecond/pipeline"
)

// Losing is a model whose engine gives up every request after its first token, at 100 ms.
func Losing(name string) serve.Model {
	return serve.Model{Name: name, Context: 100, Build: func(l pipeline.Scheduler) engine.Engine {
		return breaking{l, 1, pipeline.Error, errors.New("the replica failed")}
	}}
}

// Full is a model whose engine has room for two tokens, although its context is larger.
func Full(name string) serve.Model {
	return serve.Model{Name: name, Context: 100, Build: func(l pipeline.Scheduler) engine.Engine {
		return engine.NewSlots(l, engine.SlotsConfig{Service: engine.Fixed{}, Slots: 1, MaxContext: 2})
	}}
}

// breaking is an engine that fails or refuses every request after so many tokens, 100
// ms after it came.
type breaking struct {
	loop    pipeline.Scheduler
	after   int
	outcome pipeline.Outcome
	reason  error
}

// Submit implements engine.Engine.
func (f breaking) Submit(r *engine.Request) {
	f.loop.After(100*ms, pipeline.RankOutput, func() {
		for n := 1; n <= f.after; n++ {
			r.Notify(n)
		}
		r.Reason = f.reason
		r.Done(f.outcome)
	})
}

// Cancel implements engine.Engine.
func (breaking) Cancel(*engine.Request) {}

// Stats implements engine.Engine.
func (breaking) Stats() engine.Stats { return engine.Stats{} }

// Broken is a configuration with an engine that fails.
func Broken(after int, outcome pipeline.Outcome) serve.Config {
	return serve.Config{Models: []serve.Model{{Name: "m", Context: 1000, Build: func(l pipeline.Scheduler) engine.Engine { return breaking{l, after, outcome, engine.ErrFull} }}}}
}

// Sharing is a model with a prefix cache of blocks of four tokens, of which each token
// of a step takes a millisecond.
func Sharing() serve.Config {
	return serve.Config{Models: []serve.Model{{Name: "m", Context: 1000, Shares: true, Build: func(l pipeline.Scheduler) engine.Engine {
		return engine.NewBatched(l, engine.BatchedConfig{Steps: perToken{}, MaxSequences: 4, TokenBudget: 1000, KVBlocks: 1000, BlockTokens: 4, PrefixCache: true})
	}}}}
}

type perToken struct{}

func (perToken) Step(b roofline.Batch) time.Duration { return time.Duration(b.Tokens) * ms }
func (perToken) Batch() roofline.Batch               { return roofline.Batch{} }
