package roofline

import (
	"testing"
	"time"

	"halfsecond/mockllm/catalog"
	"halfsecond/pipeline"
)

// round are constants that keep closed forms easy to follow.
var round = Constants{
	MFU: .5, AttentionMFU: .25, MBU: .8, AttentionMBU: .5, KVDequant: .9, ExpertMBU: .5, Exposed: .25, Activations: 10,
	StepFixed: 200 * time.Microsecond, LayerFixed: 40 * time.Microsecond, SequenceFixed: 5 * time.Microsecond,
	AllReduceLatency: 10 * time.Microsecond, BusShare: .5,
	MemoryUse: .9, WorkingMemory: 1 << 30, NonTorch: 1 << 28,
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
	if got := p.Explain(p.DecodeBatch(1, 1)).BoundBy(); got != Memory {
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
	mixed.Add(512, 1024, 0)
	for range 4 {
		mixed.Add(1, 1999, 1)
	}
	chunk := Batch{}
	chunk.Add(512, 1024, 0)
	for _, test := range []struct {
		name  string
		gpus  int
		batch Batch
		step  time.Duration
		terms Terms
		bound Bound
	}{
		{"prefill of 1,000 tokens", 1, llama(t, 1).PrefillBatch(1000), 34_522_838, Terms{
			28_229_918, 5_600_491, 1_060_239, 78_252, 0, 2_347_558, 0, 1_485_000, .25}, Compute},
		{"decode of 8 at 1,024", 1, llama(t, 1).DecodeBatch(8, 1024), 7_841_017, Terms{
			242_820, 5_600_491, 17_362, 641_040, 0, 18_780, 0, 1_520_000, .25}, Memory},
		{"the same on 4 GPUs", 4, llama(t, 1).DecodeBatch(8, 1024), 3_774_085, Terms{
			60_705, 1_400_123, 4_341, 160_260, 0, 10_564, 667_962, 1_520_000, .25}, Memory},
		{"the same on 16 GPUs, which repeat the 8 cache heads and their matrices", 16, llama(t, 1).DecodeBatch(8, 1024), 2_650_073, Terms{
			15_719, 362_551, 1_085, 80_130, 0, 8_510, 674_953, 1_520_000, .25}, Fixed},
		{"a chunk beside 4 decodes", 1, mixed, 20_097_139, Terms{
			14_574_040, 5_600_491, 1_406_636, 746_211, 0, 1_211_340, 0, 1_505_000, .25}, Compute},
		{"a chunk that samples nothing and so needs no head", 1, chunk, 19_831_368, Terms{
			14_452_630, 5_208_449, 1_389_676, 120_195, 0, 1_201_950, 0, 1_485_000, .25}, Compute},
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

// Pointwise work of a layer moves vectors of 4,096 values of 2 bytes: ten for each
// token on every device, and fourteen more that devices divide among them.
func TestActivations(t *testing.T) {
	c := Ideal()
	c.Activations, c.MBU = 10, .5
	for _, test := range []struct {
		name    string
		devices func(*Deployment)
		vectors float64
	}{
		{"one device", gpus(1), 24},
		{"two that share layers", gpus(2), 17},
		{"four that share layers", gpus(4), 13.5},
		{"four stages", stages(4), 24},
	} {
		p := counting(t, model(t, "Llama-3.1-8B"), test.devices, func(d *Deployment) { d.Constants = c })
		b := p.DecodeBatch(1, 1000)
		if got, want := p.Explain(b).Activations, time.Duration(2*test.vectors*4096*2*32); got != want { // at half the bandwidth
			t.Errorf("%s: activations take %d ns, want %d", test.name, got, want)
		}
		without := counting(t, model(t, "Llama-3.1-8B"), test.devices, func(d *Deployment) { d.Constants = c; d.Constants.Activations = 0 })
		if got, want := p.Step(b)-without.Step(b), p.Explain(b).Activations; got != want {
			t.Errorf("%s: activations make the step %d ns longer, want %d", test.name, got, want)
		}
	}
}

// Launches that overlap with the device's work show only where they take longer.
func TestOverlappedLaunches(t *testing.T) {
	llama := model(t, "Llama-3.1-8B")
	with := func(layer time.Duration, overlapped bool) *Plan {
		c := Ideal()
		c.StepFixed, c.LayerFixed, c.SequenceFixed, c.Overlapped = 7, layer, 5, overlapped
		return counting(t, llama, func(d *Deployment) { d.Constants = c })
	}
	b := with(0, false).DecodeBatch(3, 1000)
	device := with(0, false).Step(b) - 7 - 3*5
	for _, test := range []struct {
		name       string
		layer      time.Duration
		overlapped bool
		step       time.Duration
	}{
		{"one after the other", device / 32, false, device + 32*(device/32) + 22},
		{"shorter launches", device / 33, true, device + 22},
		{"longer ones", device / 16, true, 32*(device/16) + 22},
	} {
		p := with(test.layer, test.overlapped)
		if got := p.Step(b); got != test.step {
			t.Errorf("%s: step %d ns, want %d", test.name, got, test.step)
		}
		if got, want := p.Explain(b).Fixed, test.step-device; got != want {
			t.Errorf("%s: fixed costs %d ns, want %d", test.name, got, want)
		}
	}
}

// Each micro-batch is launched on its own.
func TestOverlappedLaunchesOfMicroBatches(t *testing.T) {
	c := Ideal()
	c.LayerFixed, c.Overlapped = time.Hour, true
	p := counting(t, model(t, "Llama-3.1-8B"), engineOf(t, "llama.cpp"), func(d *Deployment) { d.Constants = c })
	if got, want := p.Prefill(1500), 3*32*time.Hour; got != want { // micro-batches of 512
		t.Errorf("three micro-batches take %v, want %v", got, want)
	}
}

// Some programs compute the output head for every token of a prompt.
func TestLogitsOfAPrompt(t *testing.T) {
	for name, want := range map[string]int{"vllm": 1, "llama.cpp": 1, "transformers": 1000} {
		p := counting(t, model(t, "Llama-3.1-8B"), engineOf(t, name))
		if got := p.Logits(1000); got != want {
			t.Errorf("%s: logits of %d tokens of a prompt of 1000, want %d", name, got, want)
		}
		if got := p.PrefillBatch(1000).Logits; got != want {
			t.Errorf("%s: a prompt's step has %d logits, want %d", name, got, want)
		}
	}
}

func TestAddSums(t *testing.T) {
	var b Batch
	b.Add(512, 1024, 0)
	b.Add(1, 1999, 1)
	want := Batch{Tokens: 513, Sequences: 2, Logits: 1, ContextTokens: 1536 + 2000, AttentionPairs: 512*(1024+256) + 1999.5, Longest: 512, DecodePairs: 1999.5, Recalled: 1024}
	if b != want {
		t.Errorf("got %+v, want %+v", b, want)
	}
}

func TestDecodeBatchIsTheSumOfItsSequences(t *testing.T) {
	var b Batch
	for range 7 {
		b.Add(1, 299, 1)
	}
	if got := llama(t, 1).DecodeBatch(7, 300); got != b {
		t.Errorf("DecodeBatch(7, 300) = %+v, want %+v", got, b)
	}
}

func TestTermsByBoundAddUpToTheStep(t *testing.T) {
	p := llama(t, 2)
	batch := p.DecodeBatch(64, 4000)
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

func TestStepDoesNotAllocate(t *testing.T) {
	p, b := llama(t, 4), llama(t, 4).DecodeBatch(8, 1024)
	if n := testing.AllocsPerRun(100, func() { p.Step(b) }); n != 0 {
		t.Errorf("Step allocates %v times", n)
	}
}

func BenchmarkStep(b *testing.B) {
	p, batch := llama(b, 4), llama(b, 4).DecodeBatch(8, 1024)
	b.ReportAllocs()
	for b.Loop() {
		batch.ContextTokens += 8
		p.Step(batch)
	}
}

func BenchmarkAdd(b *testing.B) {
	p := llama(b, 4)
	b.ReportAllocs()
	for b.Loop() {
		batch := p.Batch()
		for i := range 256 {
			batch.Add(1, 1000+i, 1)
		}
	}
}
