package report

import (
	"strconv"
	"time"

	"halfsecond/budgets/grid"
	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// benchRun is a comparison under construction.
type benchRun struct {
	trace.Run
	now    time.Duration
	served map[string][]pipeline.Fact // of each variant; nil at a real service
}

// servedIn returns the facts of an engine with these changes and assumptions.
func servedIn(changes, assumed string) []pipeline.Fact {
	facts := []pipeline.Fact{{Name: grid.FactEngine, Value: "a model on a card by vllm"}}
	if changes != "" {
		facts = append(facts, pipeline.Fact{Name: grid.FactChanges, Value: changes})
	}
	if assumed != "" {
		facts = append(facts, pipeline.Fact{Name: grid.FactAssumed, Value: assumed})
	}
	return facts
}

func newBenchRun(target string) *benchRun {
	return &benchRun{Run: trace.Run{
		Header: trace.Header{
			Scenario: "two models", Kind: pipeline.KindGrid, ScenarioHash: "c0ffee0123456789", Target: target, Seed: 7, Version: "v0.1.0",
		},
		Footer: trace.Footer{Finished: true, Lateness: trace.Lateness{P50: pipeline.Unknown, P99: pipeline.Unknown, Max: pipeline.Unknown}},
	}}
}

// ask adds a request whose answer has 101 tokens.
func (b *benchRun) ask(model, variant string, prompt int, ttft, tpot time.Duration) *pipeline.Trace {
	r := pipeline.NewRequest(int64(len(b.Traces)+1), b.now)
	r.Sent, r.FirstOutput, r.LastOutput = b.now, b.now+ttft, b.now+ttft+100*tpot
	r.End, r.PromptTokens, r.OutputTokens = r.LastOutput, prompt, 101
	t := b.add(model, variant, prompt)
	t.End, t.Requests = r.End, []pipeline.Request{r}
	t.Append(pipeline.SpanLLMFirstToken, ttft, true)
	b.now = r.End
	return t
}

// beside adds a request with a stream beside it, which stalls.
func (b *benchRun) beside(model, variant string, prompt int, ttft, stall time.Duration) {
	t := b.ask(model, variant, prompt, ttft, 10*ms)
	t.Facts = append(t.Facts, pipeline.Fact{Name: pipeline.FactBeside, Value: pipeline.BesideStream})
	t.Add(pipeline.Span{Name: pipeline.SpanStall, Start: t.Due, End: t.Due + stall})
}

func (b *benchRun) skip(model, variant string, prompt int, why string) {
	t := b.add(model, variant, prompt)
	t.Outcome, t.Reason = pipeline.Dropped, why
}

func (b *benchRun) add(model, variant string, prompt int) *pipeline.Trace {
	b.Traces = append(b.Traces, pipeline.Trace{Kind: pipeline.KindBench, Session: len(b.Traces), Due: b.now, End: b.now, Facts: []pipeline.Fact{
		{Name: pipeline.FactModel, Value: model}, {Name: pipeline.FactVariant, Value: variant}, {Name: pipeline.FactPrompt, Value: strconv.Itoa(prompt)},
	}})
	b.Header.N, b.Footer.N = len(b.Traces), len(b.Traces)
	t := &b.Traces[len(b.Traces)-1]
	t.Facts = append(t.Facts, b.served[variant]...)
	return t
}

// span returns a time in ms.
func span(v float64) time.Duration { return time.Duration(v * float64(ms)) }

// benchExact is a comparison on a model without chance: Large grows faster than
// linearly and has a pace that is not flat, Small does neither; one is too long for
// Small. The stream beside stalls more or less, with the instant of the prompt.
func benchExact() trace.Run {
	b := newBenchRun("sim")
	b.served = map[string][]pipeline.Fact{
		"baseline":          servedIn("chunked_prefill: false", ""),
		"chunked prefill":   servedIn("token_budget: 512, chunked_prefill: true", ""),
		"prefix cache warm": servedIn("same_prompt: true", ""),
	}
	for _, model := range []string{"Large", "Small"} {
		scale := map[string]float64{"Large": 3, "Small": 1}[model]
		for _, n := range []int{128, 512, 1024, 2048} {
			for _, variant := range []string{"baseline", "chunked prefill", "prefix cache warm"} {
				if model == "Small" && n == 2048 {
					b.skip(model, variant, n, "a prompt of 2,048 tokens and an answer of 101 are more than the 2,048 that Small has room for")
					continue
				}
				x := float64(n)
				ttft, tpot, stall := 5+.03*x, 4.0, 10+.03*x
				if model == "Large" {
					ttft, tpot = ttft+4e-6*x*x, tpot*(1+x/10_000)
				}
				switch variant {
				case "chunked prefill":
					ttft, stall = ttft*1.05, 30
				case "prefix cache warm":
					ttft, stall = 8, 12
				}
				for range 3 {
					b.ask(model, variant, n, span(ttft*scale), span(tpot*scale))
				}
				for i := range 3 {
					b.beside(model, variant, n, span(ttft*scale+float64(i)), span(stall*scale+float64(i)/2))
				}
			}
		}
	}
	return b.Run
}

// benchNoisy is a comparison at an endpoint on a busy day: nothing repeats, some
// fail, answers end early, a cache was not as cold as thought, and one option could
// not be switched.
func benchNoisy() trace.Run {
	b := newBenchRun("endpoint")
	b.Header.Endpoints = []trace.Endpoint{{Stage: "llm", URL: "http://a/v1", Protocol: "openai-chat", Model: "alpha"}, {Stage: "llm", URL: "http://b/v1", Protocol: "openai-chat", Model: "beta"}}
	wave := []float64{-.9, .3, -.2, .7, 0, -.5, 1, .1}
	for _, model := range []string{"alpha", "beta"} {
		for _, n := range []int{128, 512, 1024, 2048} {
			for i, w := range wave {
				ttft, tpot := 40+.05*float64(n)+3*w, 20+2*w
				if model == "beta" {
					ttft, tpot = 35+.051*float64(n)-9*w, 20-2*w
				}
				t := b.ask(model, "baseline", n, span(ttft), span(tpot))
				switch {
				case i == 3 && n == 512:
					t.Outcome, t.Reason = pipeline.Timeout, "no first byte within 30s"
					t.Requests[0].Outcome = pipeline.Timeout
				case i == 4 && n == 1024:
					t.Requests[0].OutputTokens = 88
				case i == 5 && n == 2048 && model == "beta":
					t.Requests[0].PromptTokens, t.Requests[0].CachedTokens = 2448, 1024
				}
				b.ask(model, "prefix cache warm", n, span(ttft-20), span(tpot))
			}
			b.skip(model, "speculation", n, "a client cannot switch this on or off: name an endpoint that has it in endpoints.cells")
		}
	}
	b.Footer.Lateness = trace.Lateness{N: 900, P50: 80_000, P99: 2_100_000, Max: 9 * ms}
	return b.Run
}

// benchCut is one model, interrupted in its second cell.
func benchCut() trace.Run {
	b := newBenchRun("mock")
	b.ask("alone", "baseline", 128, 20*ms, 4*ms)
	b.ask("alone", "baseline", 128, 21*ms, 4*ms)
	b.ask("alone", "baseline", 512, 50*ms, 4*ms)
	b.Header.N, b.Footer.Finished, b.Footer.Reason = 40, false, "interrupted"
	return b.Run
}
