package fit

import (
	"context"
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"
	"time"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/roofline"
	"halfsecond/pipeline"
)

// Lengths of the drafts: gpt-fast's scripts/speculate_70B_int4.sh, and chaineagenerate
// of EAGLE's branch for gpt-fast (SafeAILab/EAGLE commit 3ad7869), which the
// measurement of its README runs. Its attention reads the whole of a static cache
// of 2,000 tokens in each step.
const (
	gptFastDraft = 4
	eagleDraft   = 5
	eagleCache   = 2000
)

// The acceptances that the engine assumes are those that were published.
func TestAcceptances(t *testing.T) {
	for _, c := range []struct {
		name       string
		tokens     int
		acceptance float64
		want       float64 // tokens a round
	}{
		{"EAGLE-1", eagleDraft, engine.HeadAcceptance, (3.20 + 3.23 + 2.97 + 3.00 + 3.18 + 3.12) / 6},
		{"prompt lookup", 100, engine.LookupAcceptance, (1.73 + 1.68 + 1.55) / 3},
	} {
		if got := (engine.Speculation{Tokens: c.tokens, Acceptance: c.acceptance}).Expected(); math.Abs(got-c.want) > .02 {
			t.Errorf("%s: %.3f tokens a round, published are %.3f", c.name, got, c.want)
		}
	}
}

// speculated is a measured speed-up.
type speculated struct {
	id, target, draft, format string
	baseline, rate, speedup   float64
}

func readSpeculated(t *testing.T) (out []speculated) {
	t.Helper()
	f, err := os.Open("testdata/speculative.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows[1:] {
		number := func(i int) float64 {
			v, err := strconv.ParseFloat(r[i], 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		out = append(out, speculated{r[0], r[3], r[4], r[5], number(9), number(10), number(11)})
	}
	return out
}

// gptFast returns the plan of a model that gpt-fast runs on one device.
func gptFast(t *testing.T, m catalog.Model, hardware, format string) *roofline.Plan {
	t.Helper()
	h := device(t, hardware)
	e, err := catalog.FindEngine("gpt-fast")
	if err != nil {
		t.Fatal(err)
	}
	w := roofline.FP16
	if format == "int4" {
		w = roofline.INT4.WithBits(5) // groups of 32
	}
	p, err := roofline.New(roofline.Deployment{Model: m, Hardware: h, Engine: e, Weights: w})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func model(t testing.TB, name string) catalog.Model {
	t.Helper()
	m, err := catalog.FindModel(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func device(t testing.TB, name string) catalog.Hardware {
	t.Helper()
	h, err := catalog.FindHardware(name)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// head returns the plan of a model's drafting head.
func head(t *testing.T, p *roofline.Plan) *roofline.Plan {
	t.Helper()
	h, err := p.Head()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// What a pass of EAGLE's head takes in gpt-fast beside its computing (choosing the
// token, masks and the loop in Python) is what table 4 of the paper leaves: Llama-2-Chat
// 7B on an RTX 3090 goes from 55.1 to 100.2 tokens a second in 16 bits, and from 106.9 to
// 160.4 in 4, with 3.00 tokens a round. The measurements below are of another model on
// another device.
func TestEaglePass(t *testing.T) {
	const chain = 3.00
	var sum time.Duration
	for _, r := range []struct {
		format         string
		baseline, rate float64
	}{{"fp16", 55.1, 100.2}, {"int4", 106.9, 160.4}} {
		target := gptFast(t, model(t, "Llama-2-7B"), "RTX-3090", r.format)
		known := target.Deployment().Engine.DraftPass
		computing := head(t, target).Decode(1, eagleCache) - known
		verify := verification(target, eagleDraft, eagleCache).Seconds() / target.Decode(1, eagleCache).Seconds()
		left := time.Duration((chain/r.rate-verify/r.baseline)/eagleDraft*float64(time.Second)) - computing
		t.Logf("%s: %s a pass beside %s of computing", r.format, left, computing)
		sum += left
	}
	got, want := (sum / 2).Round(100*time.Microsecond), gptFast(t, model(t, "Llama-2-7B"), "RTX-3090", "fp16").Deployment().Engine.DraftPass
	if got != want {
		t.Errorf("a pass takes %s beside its computing, the catalogue has %s", sum/2, want)
	}
}

// verification returns how long a step takes that verifies so many drafted tokens.
func verification(p *roofline.Plan, drafted, context int) time.Duration {
	b := p.Batch()
	b.Add(drafted+1, context-1, drafted+1)
	return p.Step(b)
}

// round returns how long a verification and its drafts take.
func round(target *roofline.Plan, drafter engine.Stepper, drafted, context int) time.Duration {
	total := verification(target, drafted, context)
	for i := range drafted {
		b := drafter.Batch()
		b.Add(1, context-1+i, 1)
		total += drafter.Step(b)
	}
	return total
}

// through returns tokens a second of single answers through the engine.
func through(t *testing.T, target *roofline.Plan, drafting *engine.Speculation, prompt int) float64 {
	t.Helper()
	const answers, tokens = 40, 500
	var loop pipeline.Virtual
	e := engine.NewBatched(&loop, engine.BatchedConfig{
		Steps: target, MaxSequences: 1, TokenBudget: 1 << 20, KVBlocks: 1000, Speculation: drafting,
	})
	var taken time.Duration
	for range answers {
		r := &engine.Request{Prompt: prompt, Output: tokens, NotifyAt: 1}
		var first time.Duration
		r.Notify = func(int) int { first = loop.Now(); return 0 }
		r.Done = func(pipeline.Outcome) { taken += r.Last - first }
		e.Submit(r)
	}
	if err := loop.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	return answers * (tokens - 1) / taken.Seconds()
}

// The published speed-ups come out with one acceptance for each kind of drafter. Only
// gpt-fast's own measurement is reproduced in tokens a second too, without drafts and
// with them: the authors of EAGLE measured theirs in a loop of their own, and its
// baseline is a fifth (16 bits) and almost half (4 bits) slower than the gpt-fast that
// the constants know. Its speeds are not within the limit.
func TestSpeculative(t *testing.T) {
	const limit = .15
	for _, s := range readSpeculated(t) {
		hardware, cache := "A100-80GB-SXM", 55 // a prompt of 5 tokens, halfway through 100
		if s.draft != "Llama-2-7B" {
			hardware, cache = "A100-40GB-SXM", eagleCache // the authors' A100 have 40 GB
		}
		target := gptFast(t, model(t, s.target), hardware, s.format)
		drafting := &engine.Speculation{Drafter: head(t, target), Tokens: eagleDraft, Acceptance: engine.HeadAcceptance}
		if s.draft == "Llama-2-7B" {
			drafting = &engine.Speculation{Drafter: gptFast(t, model(t, s.draft), hardware, s.format), Tokens: gptFastDraft, Acceptance: engine.ModelAcceptance}
		}
		round := round(target, drafting.Drafter, drafting.Tokens, cache)
		baseline, rate := 1/target.Decode(1, cache).Seconds(), drafting.Expected()/round.Seconds()
		off := rate/baseline/s.speedup - 1
		t.Logf("%s: %.1f -> %.1f tokens/s, %.2fx; measured %.1f -> %.1f, %.2fx: %+.1f %% on the speed-up, %+.1f and %+.1f %% on the speeds",
			s.id, baseline, rate, rate/baseline, s.baseline, s.rate, s.speedup, 100*off, 100*(baseline/s.baseline-1), 100*(rate/s.rate-1))
		if math.Abs(off) > limit {
			t.Errorf("%s: speed-up %.2f, measured %.2f", s.id, rate/baseline, s.speedup)
		}
		if s.draft == "Llama-2-7B" && (math.Abs(baseline/s.baseline-1) > limit || math.Abs(rate/s.rate-1) > limit) {
			t.Errorf("%s: %.1f -> %.1f tokens/s, measured %.1f -> %.1f", s.id, baseline, rate, s.baseline, s.rate)
		}
		if through := through(t, target, drafting, cache); math.Abs(through/rate-1) > .03 {
			t.Errorf("%s: %.1f tokens/s through the engine, %.1f by the closed form", s.id, through, rate)
		}
	}
}

// A server's head costs what a server's step of its size does: Llama-3.1-8B on one H100
// with EAGLE-1, a stream at a time, in vLLM of July 2025 on MT-bench (vllm-project/vllm
// issue 20780, read 2026-11-29), for each length of the draft with the tokens a round
// that were measured. Rounds of EAGLE-3 in the same table are not within the limit:
// they take 10.2 to 15.2 ms, a millisecond for each pass.
func TestHeadInAServer(t *testing.T) {
	const limit, context, measured = .15, 400, 7.07 // ms a token without drafts
	h := device(t, "H100-SXM")
	target, err := roofline.New(roofline.Deployment{Model: model(t, "Llama-3.1-8B"), Hardware: h})
	if err != nil {
		t.Fatal(err)
	}
	baseline := 1e3 * target.Decode(1, context).Seconds()
	if math.Abs(baseline/measured-1) > limit {
		t.Errorf("without drafts %.2f ms a token, measured %.2f", baseline, measured)
	}
	for _, c := range []struct {
		drafted  int
		tokens   float64 // a round
		perToken float64 // ms
	}{{2, 2.10, 4.37}, {3, 2.29, 4.29}, {4, 2.39, 4.48}, {5, 2.43, 4.71}, {6, 2.45, 4.94}, {7, 2.47, 5.20}} {
		got := 1e3 * round(target, head(t, target), c.drafted, context).Seconds() / c.tokens
		t.Logf("%d drafted: %.2f ms a token, measured %.2f (%+.1f %%); speed-up %.2f, measured %.2f",
			c.drafted, got, c.perToken, 100*(got/c.perToken-1), baseline/got, measured/c.perToken)
		if math.Abs(got/c.perToken-1) > limit || math.Abs(baseline/got/(measured/c.perToken)-1) > limit {
			t.Errorf("%d drafted: %.2f ms a token, %.2f times as fast; measured %.2f, %.2f", c.drafted, got, baseline/got, c.perToken, measured/c.perToken)
		}
	}
}

// A draft model of 125 million parameters brings the 30 ms that a token of a 7B model
// takes to some 12, on hardware with the memory bandwidth for those 30 ms.
func TestSmallDraft(t *testing.T) {
	const context = 500
	h := device(t, "RTX-4090")
	on := func(m catalog.Model, bandwidth float64) *roofline.Plan {
		h.Bandwidth = bandwidth
		p, err := roofline.New(roofline.Deployment{Model: m, Hardware: h})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	target, bandwidth := model(t, "Llama-2-7B"), 1e9
	for on(target, bandwidth).Decode(1, context) > 30*time.Millisecond {
		bandwidth *= 1.001
	}
	small := catalog.Model{
		Name: "125M", Published: 125_000_000, Layers: 12, Hidden: 768, Heads: 12, KVHeads: 12, HeadDim: 64,
		FFN: 3072, Vocab: 50_272, Tied: true, MaxContext: 2048,
	}
	if n := small.TotalParams(); n < 120e6 || n > 130e6 {
		t.Fatalf("the draft model has %d parameters, want 125 million", n)
	}
	drafting := &engine.Speculation{Drafter: on(small, bandwidth), Tokens: gptFastDraft, Acceptance: engine.ModelAcceptance}
	got := 1e3 / through(t, on(target, bandwidth), drafting, context)
	t.Logf("at %.0f GB/s %s without and %.1f ms with a draft", bandwidth/1e9, on(target, bandwidth).Decode(1, context), got)
	if math.Abs(got/12-1) > .15 {
		t.Errorf("%.1f ms a token, want about 12", got)
	}
}
