package roofline

import (
	"math/rand/v2"
	"testing"
	"time"

	"halfsecond/mockllm/catalog"
	"halfsecond/pipeline"
)

// round are constants that keep closed forms easy to follow.
var round = Constants{
	MFU: .5, AttentionMFU: .25, MBU: .8, AttentionMBU: .5, Dequant: .5, KVDequant: .9, HalfTokens: 60,
	StepFixed: 200 * time.Microsecond, LayerFixed: 40 * time.Microsecond, SequenceFixed: 5 * time.Microsecond,
	AllReduceLatency: 10 * time.Microsecond, BusShare: .5,
	MemoryUse: .9, Activations: 1 << 30, NonTorch: 1 << 28,
}

func model(t testing.TB, name string) catalog.Model {
	t.Helper()
	m, err := catalog.FindModel(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func hardware(t testing.TB, name string) catalog.Hardware {
	t.Helper()
	h, err := catalog.FindHardware(name)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// llama returns the plan of Llama-3.1-8B on H100-SXM with round constants.
func llama(t testing.TB, gpus int) *Plan {
	t.Helper()
	return plan(t, Deployment{Model: model(t, "Llama-3.1-8B"), Hardware: hardware(t, "H100-SXM"), GPUs: gpus, Constants: round})
}

func plan(t testing.TB, d Deployment) *Plan {
	t.Helper()
	p, err := New(d)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// textbook is 70 billion parameters of 4 bits at 1,000 GB/s.
func textbook(t *testing.T, flops float64) *Plan {
	t.Helper()
	p, err := Partial(Deployment{
		Model:     catalog.Model{Published: 70e9},
		Hardware:  catalog.Hardware{Bandwidth: 1000e9, FP16: flops},
		Weights:   BitFormat(4),
		Constants: Ideal(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTextbook(t *testing.T) {
	p := textbook(t, 0)
	if got := p.WeightBytes(); got != 35e9 {
		t.Errorf("WeightBytes() = %d, want 35e9", got)
	}
	if got := p.Decode(1, 1000); got != 35*time.Millisecond {
		t.Errorf("Decode(1, 1000) = %v, want 35ms", got)
	}
	if single, aggregate := p.TPS(1, 1); single != 1/.035 || aggregate != single {
		t.Errorf("TPS(1, 1) = %v, %v, want 28.57 twice", single, aggregate)
	}
	if got := p.Explain(DecodeBatch(1, 1)).BoundBy(); got != Memory {
		t.Errorf("bound by %s, want memory", got)
	}
	if got := p.Prefill(512); got != pipeline.Unknown {
		t.Errorf("Prefill(512) without a compute rate = %v, want unknown", got)
	}
	// 2 * 70e9 * 1000 / 100e12 = 1.4 s.
	if got := textbook(t, 100e12).Prefill(1000); got != 1400*time.Millisecond {
		t.Errorf("Prefill(1000) at 100 TFLOPS = %v, want 1.4s", got)
	}
}

// The terms of doc.go worked out by hand in exact fractions.
func TestClosedForm(t *testing.T) {
	mixed := Batch{}
	mixed.Add(512, 1024, false)
	for range 4 {
		mixed.Add(1, 1999, true)
	}
	chunk := Batch{}
	chunk.Add(512, 1024, false)
	for _, test := range []struct {
		name  string
		gpus  int
		batch Batch
		step  time.Duration
		terms Terms
		bound Bound
	}{
		{"prefill of 1,000 tokens", 1, PrefillBatch(1000), 32_468_824, Terms{
			29_923_585, 5_600_491, 1_060_239, 78_252, 0, 1_485_000}, Compute},
		{"decode of 8 at 1,024", 1, DecodeBatch(8, 1024), 7_761_531, Terms{
			1_936_488, 5_600_491, 17_362, 641_040, 0, 1_520_000}, Memory},
		{"the same on 4 GPUs", 4, DecodeBatch(8, 1024), 3_748_345, Terms{
			484_122, 1_400_123, 4_341, 160_260, 667_962, 1_520_000}, Memory},
		{"the same on 16 GPUs, which repeat the 8 cache heads", 16, DecodeBatch(8, 1024), 2_625_113, Terms{
			121_030, 350_031, 1_085, 80_130, 674_953, 1_520_000}, Fixed},
		{"a chunk beside 4 decodes", 1, mixed, 19_179_343, Terms{
			16_267_708, 5_600_491, 1_406_636, 746_211, 0, 1_505_000}, Compute},
		{"a chunk that samples nothing and so needs no head", 1, chunk, 19_020_974, Terms{
			16_146_298, 5_208_449, 1_389_676, 120_195, 0, 1_485_000}, Compute},
		{"nothing", 1, Batch{}, 0, Terms{}, Compute},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := llama(t, test.gpus)
			if got := p.Step(test.batch); got != test.step {
				t.Errorf("Step = %d ns, want %d", got, test.step)
			}
			terms := p.Explain(test.batch)
			if terms != test.terms {
				t.Errorf("Explain = %+v, want %+v", terms, test.terms)
			}
			if got := terms.BoundBy(); got != test.bound {
				t.Errorf("bound by %s, want %s", got, test.bound)
			}
		})
	}
}

func TestAddSums(t *testing.T) {
	var b Batch
	b.Add(512, 1024, false)
	b.Add(1, 1999, true)
	want := Batch{Tokens: 513, Sequences: 2, Logits: 1, ContextTokens: 1536 + 2000, AttentionPairs: 512*(1024+256) + 1999.5}
	if b != want {
		t.Errorf("got %+v, want %+v", b, want)
	}
}

func TestDecodeBatchIsTheSumOfItsSequences(t *testing.T) {
	var b Batch
	for range 7 {
		b.Add(1, 299, true)
	}
	if got := DecodeBatch(7, 300); got != b {
		t.Errorf("DecodeBatch(7, 300) = %+v, want %+v", got, b)
	}
}

func TestTermsByBoundAddUpToTheStep(t *testing.T) {
	p := llama(t, 2)
	batch := DecodeBatch(64, 4000)
	terms := p.Explain(batch)
	sum := terms.By(Compute) + terms.By(Memory) + terms.By(Communication) + terms.By(Fixed)
	if off := sum - p.Step(batch); off < -2 || off > 2 {
		t.Errorf("terms add up to %v, the step is %v", sum, p.Step(batch))
	}
}

func TestTPS(t *testing.T) {
	p := llama(t, 1)
	step := p.Decode(8, 1024)
	single, aggregate := p.TPS(8, 1024)
	if single != 1e9/float64(step) || aggregate != 8*single {
		t.Errorf("TPS(8, 1024) = %v, %v with a step of %v", single, aggregate, step)
	}
}

// More work never takes less time, and more devices never need more time to
// compute or to read.
func TestMonotone(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	models := []string{"Llama-3.1-8B", "Qwen2.5-0.5B", "Llama-3.1-70B", "Phi-2"}
	for range 2000 {
		d := Deployment{
			Model:    model(t, models[random.IntN(len(models))]),
			Hardware: hardware(t, []string{"H100-SXM", "A100-80GB-SXM", "L40S", "RTX-4090"}[random.IntN(4)]),
			Weights:  Formats()[random.IntN(4)],
		}
		p := plan(t, d)
		n, context, prompt := 1+random.IntN(300), 1+random.IntN(30000), 1+random.IntN(30000)
		if p.Decode(n+1, context) < p.Decode(n, context) {
			t.Errorf("%s on %s: a larger batch than %d is faster", d.Model.Name, d.Hardware.Name, n)
		}
		if p.Decode(n, context+100) < p.Decode(n, context) {
			t.Errorf("%s on %s: a longer context than %d is faster", d.Model.Name, d.Hardware.Name, context)
		}
		if p.Prefill(prompt+1) < p.Prefill(prompt) {
			t.Errorf("%s on %s: a longer prompt than %d is faster", d.Model.Name, d.Hardware.Name, prompt)
		}
		d.GPUs = 2
		one, two := p.Explain(DecodeBatch(n, context)), plan(t, d).Explain(DecodeBatch(n, context))
		if two.MatmulMemory > one.MatmulMemory || two.AttentionMemory > one.AttentionMemory || two.MatmulCompute > one.MatmulCompute {
			t.Errorf("%s on 2 x %s: %+v, on 1: %+v", d.Model.Name, d.Hardware.Name, two, one)
		}
	}
}

func TestStepDoesNotAllocate(t *testing.T) {
	p, b := llama(t, 4), DecodeBatch(8, 1024)
	if n := testing.AllocsPerRun(100, func() { p.Step(b) }); n != 0 {
		t.Errorf("Step allocates %v times", n)
	}
}

func BenchmarkStep(b *testing.B) {
	p, batch := llama(b, 4), DecodeBatch(8, 1024)
	b.ReportAllocs()
	for b.Loop() {
		batch.ContextTokens += 8
		p.Step(batch)
	}
}
