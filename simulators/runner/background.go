package runner

import (
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/trace"
	"halfsecond/simulators/arrival"
	"halfsecond/simulators/bench"
	"halfsecond/simulators/scenario"
)

// others counts the requests of other people to the run's model. Nobody looks at
// their answers.
type others struct {
	trace.Background
	promptTokens, outputTokens int // of those that ended during the run
}

// startOthers makes them fall due for as long as the run's own interactions go on.
func (r *run) startOthers(b *scenario.Background, l *load) {
	due := arrival.Poisson(b.Rate).Due(dist.Stream(r.settings.Seed, "runner/background"))
	seed := dist.Stream(r.settings.Seed, "runner/background/requests")
	sim := bench.New(bench.Config{
		Loop: r.clock, LLM: r.direct, Seed: seed.Uint64(), NextRequest: func() int64 { return 0 },
		PromptTokens: b.PromptTokens, OutputTokens: b.OutputTokens, Priority: b.Priority, Salt: r.settings.Salt, Sizing: r.sizing,
	})
	ended := func(t *pipeline.Trace) {
		r.counting.add(t, false)
		if !l.whole() {
			r.others.count(t)
		}
	}
	n := 0
	var next func()
	next = func() {
		if l.whole() {
			return
		}
		n++
		r.others.Requests++
		sim.Begin(-n, 0, ended) // sessions of their own
		r.clock.At(due.Next(), pipeline.RankInput, next)
	}
	r.clock.At(due.Next(), pipeline.RankInput, next)
}

func (o *others) count(t *pipeline.Trace) {
	if t.Outcome == pipeline.OK {
		o.OK++
	}
	for i := range t.Requests {
		o.promptTokens += max(0, t.Requests[i].PromptTokens)
		o.outputTokens += max(0, t.Requests[i].OutputTokens)
	}
}
