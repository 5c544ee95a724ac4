package roofline

import (
	"math"
	"testing"
	"time"

	"halfsecond/mockllm/catalog"
)

// Experts read by a step: E * (1 - (1-k/E)^T).
func TestExpertsRead(t *testing.T) {
	for _, test := range []struct {
		model  string
		tokens int
		want   float64
	}{
		{"Qwen3-30B-A3B", 1, 8},
		{"Qwen3-30B-A3B", 16, 128 * (1 - math.Pow(15./16, 16))}, // 82.4
		{"Qwen3-30B-A3B", 64, 128 * (1 - math.Pow(15./16, 64))}, // 125.9
		{"Mixtral-8x7B", 8, 8 * (1 - math.Pow(.75, 8))},         // 7.2
		{"Mixtral-8x7B", 4096, 8},
		{"DeepSeek-V3", 1, 8},
	} {
		m := model(t, test.model)
		p := counting(t, m)
		steady := m.SteadyParams() + m.HeadParams()
		read := float64(p.Explain(p.DecodeBatch(test.tokens, 1)).MatmulMemory) - 2*float64(steady)
		each := 2 * float64(m.RoutedParams()) / float64(m.Experts)
		if got := read / each; math.Abs(got-test.want) > 1e-6 {
			t.Errorf("%s with %d tokens reads %v experts, want %v", test.model, test.tokens, got, test.want)
		}
	}
}

// A token is multiplied with the experts it chose, the shared ones and the dense
// layers, however many experts the step reads.
func TestExpertsMultiplied(t *testing.T) {
	for _, name := range []string{"Mixtral-8x7B", "DeepSeek-V3", "Llama-4-Scout"} {
		m := model(t, name)
		p := counting(t, m)
		got := p.Explain(p.DecodeBatch(100, 1)).MatmulCompute
		if want := time.Duration(2 * 100 * (m.ActiveLinearParams() + m.HeadParams())); math.Abs(float64(got-want)) > 1e-9*float64(want) {
			t.Errorf("%s: %d operations, want %d", name, got, want)
		}
	}
}

// Many small experts are read less efficiently, few large ones are not.
func TestExpertConstants(t *testing.T) {
	c := Ideal()
	c.ExpertMBU = .5
	few, many := model(t, "Mixtral-8x7B"), model(t, "DeepSeek-V3")
	for _, test := range []struct {
		m    catalog.Model
		want float64 // bytes
	}{
		{few, 2 * float64(few.SteadyParams()+few.HeadParams()+few.RoutedParams()/4)},
		{many, 2*float64(many.SteadyParams()+many.HeadParams()) + 2*2*float64(many.RoutedParams())/32},
	} {
		p := counting(t, test.m, func(d *Deployment) { d.Constants = c })
		if got := float64(p.Explain(p.DecodeBatch(1, 1)).MatmulMemory); math.Abs(got/test.want-1) > 1e-9 {
			t.Errorf("%s: reading takes %v, want %v", test.m.Name, got, test.want)
		}
	}
}

// In MXFP4 only the experts are of 4 bits: the rest is read, and multiplied, in 16.
func TestExpertsInFewerBits(t *testing.T) {
	m := model(t, "gpt-oss-20b")
	p := counting(t, m, func(d *Deployment) { d.Weights = MXFP4 })
	terms := p.Explain(p.DecodeBatch(1, 1))
	active := float64(m.ActiveLinearParams() - m.SteadyParams())
	if got, want := float64(terms.MatmulMemory), active*4.25/8+2*float64(m.SteadyParams()+m.HeadParams()); math.Abs(got/want-1) > 1e-9 {
		t.Errorf("reads %v bytes, want %v", got, want)
	}
	if got, want := float64(terms.MatmulCompute), 2*(float64(m.SteadyParams()+m.HeadParams())+active); math.Abs(got/want-1) > 1e-9 {
		t.Errorf("%v operations' time, want %v", got, want)
	}
}

// An expert model loses its advantage over a dense one as the batch grows: reading
// every expert takes 16 batches of one.
func TestExpertsLoseTheirAdvantage(t *testing.T) {
	p := counting(t, model(t, "Qwen3-30B-A3B"))
	one, many := p.Explain(p.DecodeBatch(1, 1)).MatmulMemory, p.Explain(p.DecodeBatch(64, 1)).MatmulMemory
	if ratio := float64(many) / float64(one); ratio < 8 || ratio > 12 {
		t.Errorf("64 tokens read %.1f times what one reads, want 8 to 12", ratio)
	}
	if p.Explain(p.DecodeBatch(512, 1)).MatmulMemory < many {
		t.Error("more tokens read less")
	}
}

func BenchmarkStepOfExperts(b *testing.B) {
	p := plan(b, Deployment{Model: model(b, "DeepSeek-V3"), Hardware: hardware(b, "H200-SXM"), GPUs: 8, Weights: FP8})
	batch := p.DecodeBatch(8, 1024)
	b.ReportAllocs()
	for b.Loop() {
		batch.ContextTokens += 8
		p.Step(batch)
	}
}

// On a server a layer with experts costs 20 us more than another, whatever the step
// holds; local programs, whose measurements hold it, pay nothing on top.
func TestFixedCostOfExperts(t *testing.T) {
	for _, test := range []struct {
		model, engine string
		want          time.Duration
	}{
		{"DeepSeek-V3", "vllm", 58 * 20 * time.Microsecond},
		{"Mixtral-8x7B", "sglang", 32 * 20 * time.Microsecond},
		{"Mixtral-8x7B", "llama.cpp", 0},
		{"Llama-3.1-8B", "vllm", 0},
	} {
		d := Deployment{Model: model(t, test.model), Hardware: hardware(t, "H200-SXM"), Engine: engine(t, test.engine), GPUs: 8}
		with := plan(t, d)
		d.Constants = Defaults(d)
		d.Constants.ExpertFixed = 0
		without := plan(t, d)
		for _, b := range []Batch{with.DecodeBatch(1, 100), with.DecodeBatch(200, 100)} {
			if got := with.Step(b) - without.Step(b); got < test.want-1 || got > test.want+1 {
				t.Errorf("%s by %s: %d tokens take %v more, want %v", test.model, test.engine, b.Tokens, got, test.want)
			}
		}
	}
}
