package roofline

import (
	"math"
	"testing"
	"time"

	"halfsecond/mockllm/catalog"
)

// unit is hardware that does one operation and moves one byte a nanosecond, so that
// the terms of an ideal engine count operations and bytes. It has an interconnect as
// fast.
var unit = catalog.Hardware{Name: "unit", Vendor: "nobody", Memory: 1 << 40, Bandwidth: 1e9, FP16: 1e9, Link: 1e9}

// counting returns the plan of a model on unit hardware.
func counting(t testing.TB, m catalog.Model, change ...func(*Deployment)) *Plan {
	t.Helper()
	d := Deployment{Model: m, Hardware: unit, Weights: FP16, Constants: Ideal()}
	for _, f := range change {
		f(&d)
	}
	return plan(t, d)
}

func engineOf(t testing.TB, name string) func(*Deployment) {
	e, err := catalog.FindEngine(name)
	if err != nil {
		t.Fatal(err)
	}
	return func(d *Deployment) { d.Engine = e }
}

func gpus(n int) func(*Deployment)   { return func(d *Deployment) { d.GPUs = n } }
func stages(n int) func(*Deployment) { return func(d *Deployment) { d.Stages = n } }

// Sequences of a window of 100 tokens: what each adds to the sums.
func TestWindowSums(t *testing.T) {
	for _, test := range []struct {
		name           string
		tokens, before int
		context        int64
		pairs          float64
	}{
		{"a token inside the window", 1, 49, 50, 49.5},
		{"the token that fills it", 1, 99, 100, 99.5},
		{"the next one", 1, 100, 100, 99.5},
		{"a token far behind", 1, 100_000, 100, 99.5},
		{"a prompt inside the window", 80, 0, 80, 3200},
		{"a prompt that leaves it", 300, 0, 300, 5000 + 200*99.5},
		{"a chunk that leaves it", 60, 80, 140, 20*90 + 40*99.5},
		{"a chunk behind it", 60, 1000, 159, 60 * 99.5},
	} {
		b := Batch{Window: 100}
		b.Add(test.tokens, test.before, 0)
		if b.WindowContext != test.context || b.WindowPairs != test.pairs {
			t.Errorf("%s: reads %d tokens, %v pairs; want %d, %v", test.name, b.WindowContext, b.WindowPairs, test.context, test.pairs)
		}
	}
}

// Add and AddAlike agree, whatever is added.
func TestAddAlike(t *testing.T) {
	for _, tokens := range []int{1, 5, DecodeTokens, DecodeTokens + 1, 400} {
		for _, window := range []int{0, 100} {
			one, many := Batch{Window: window}, Batch{Window: window}
			for range 3 {
				one.Add(tokens, 90, 1)
			}
			many.AddAlike(3, tokens, 90, 1)
			if one != many {
				t.Errorf("%d tokens, window %d: three times Add gives %+v, AddAlike %+v", tokens, window, one, many)
			}
		}
	}
}

// gpt-oss-20b: half of 24 layers see 128 tokens. Of 10,000 tokens a decode reads
// 12 layers whole and 12 layers' windows of 2 * 8 * 64 values of 2 bytes.
func TestSlidingWindow(t *testing.T) {
	p := counting(t, model(t, "gpt-oss-20b"))
	terms := p.Explain(p.DecodeBatch(3, 10_000))
	if got, want := terms.AttentionMemory, time.Duration(3*12*2048*(10_000+128)); got != want {
		t.Errorf("reads %d bytes, want %d", got, want)
	}
	if got, want := terms.AttentionCompute, time.Duration(3*12*4*64*64*(9999.5+127.5)); got != want {
		t.Errorf("%d operations, want %d", got, want)
	}
	// All layers would read 3 * 24 * 2048 * 10,000: not quite twice as much.
	whole := counting(t, func() catalog.Model { m := model(t, "gpt-oss-20b"); m.Window, m.WindowShare = 0, 0; return m }())
	if got, want := whole.Explain(whole.DecodeBatch(3, 10_000)).AttentionMemory, time.Duration(3*24*2048*10_000); got != want {
		t.Errorf("without windows it reads %d bytes, want %d", got, want)
	}
}

// Latent attention of DeepSeek-V3: 61 layers of 576 values for a token, and 128 heads
// that multiply 512 + 64 and 512 wide in decode, 128 + 64 and 128 wide in a chunk.
func TestLatentAttention(t *testing.T) {
	p := counting(t, model(t, "DeepSeek-V3"))
	decode := p.Explain(p.DecodeBatch(2, 1000))
	if got, want := decode.AttentionMemory, time.Duration(2*1000*70_272); got != want {
		t.Errorf("decode reads %d bytes, want %d", got, want)
	}
	if got, want := decode.AttentionCompute, time.Duration(2*999.5*61*2*128*(576+512)); got != want {
		t.Errorf("decode: %d operations, want %d", got, want)
	}
	chunk := p.Batch()
	chunk.Add(512, 1024, 0)
	terms := p.Explain(chunk)
	// The 1,024 cached tokens become keys and values again: 2 * 512 * 128 * 256 each.
	const pairs, again = 512 * (1024 + 256), 1024
	if got, want := terms.AttentionCompute, time.Duration(61*(pairs*2*128*(192+128)+again*2*512*128*256)); got != want {
		t.Errorf("chunk: %d operations, want %d", got, want)
	}
	// Eight devices share the heads, but each reads all that is cached.
	eight := counting(t, model(t, "DeepSeek-V3"), gpus(8))
	shared := eight.Explain(eight.DecodeBatch(2, 1000))
	if shared.AttentionMemory != decode.AttentionMemory || shared.AttentionCompute != decode.AttentionCompute/8 {
		t.Errorf("on 8: reads %d, %d operations; want %d, %d",
			shared.AttentionMemory, shared.AttentionCompute, decode.AttentionMemory, decode.AttentionCompute/8)
	}
}

// Without flash attention a prompt of N tokens moves 8 bytes * N^2 for each head and
// layer, beside everything else.
func TestFlashAttentionOff(t *testing.T) {
	llama := model(t, "Llama-3.1-8B")
	on := counting(t, llama, engineOf(t, "llama.cpp"), func(d *Deployment) { d.Engine.MicroBatch = 0 })
	off := counting(t, llama, engineOf(t, "llama.cpp-2024"), func(d *Deployment) { d.Engine.MicroBatch = 0 })
	const n = 4096
	if got, want := off.Explain(off.PrefillBatch(n)).Scores, time.Duration(8*n*n*32*32); got != want {
		t.Errorf("scores of %d tokens move %d bytes, want %d", n, got, want)
	}
	if got := on.Explain(on.PrefillBatch(n)).Scores; got != 0 {
		t.Errorf("flash attention moves %d bytes of scores, want none", got)
	}
	if off.Prefill(n)-on.Prefill(n) != off.Explain(off.PrefillBatch(n)).Scores {
		t.Errorf("the difference is %v, want the scores'", off.Prefill(n)-on.Prefill(n))
	}
}

// Long contexts stay exact: of a million tokens and of more pairs than 32 bits count.
func TestLongContexts(t *testing.T) {
	p := counting(t, model(t, "Llama-3.1-8B"))
	for _, n := range []int{131_072, 1_000_000} {
		terms := p.Explain(p.PrefillBatch(n))
		if got, want := float64(terms.AttentionCompute), 2*float64(n)*float64(n)*4096*32; math.Abs(got/want-1) > 1e-12 {
			t.Errorf("a prompt of %d: %v operations of attention, want %v", n, got, want)
		}
		if got, want := p.Explain(p.DecodeBatch(256, n)).AttentionMemory, time.Duration(256*n)*131_072; got != want {
			t.Errorf("decode at %d reads %d bytes, want %d", n, got, want)
		}
	}
	// Attention overtakes the matrices of Llama-3.1-8B at P / (H*h*L) = 53,248 tokens.
	below, above := p.Explain(p.PrefillBatch(53_000)), p.Explain(p.PrefillBatch(53_500))
	if below.AttentionCompute > below.MatmulCompute || above.AttentionCompute < above.MatmulCompute {
		t.Errorf("attention against matrices: %v to %v at 53,000, %v to %v at 53,500",
			below.AttentionCompute, below.MatmulCompute, above.AttentionCompute, above.MatmulCompute)
	}
}

// The time to the first token grows faster than the prompt, and the more so the longer
// it is.
func TestPrefillGrowsFasterThanThePrompt(t *testing.T) {
	p := llama(t, 1)
	last := 0.
	for _, n := range []int{2_000, 10_000, 50_000, 100_000} {
		each := float64(p.Prefill(n)) / float64(n)
		if each <= last {
			t.Errorf("%d tokens take %v ns each, not more than fewer do: %v", n, each, last)
		}
		last = each
	}
}

// A cache in fewer bits is read faster, less what unpacking costs.
func TestCacheFormats(t *testing.T) {
	llama := model(t, "Llama-3.1-8B")
	for _, test := range []struct {
		kv   KVFormat
		want float64 // of the time in 16 bits
	}{
		{KVFP16, 1}, {KVFP8, .5 / .9}, {KVINT8, .515 / .9}, {KVQ8, .53125 / .9}, {KVQ4, .28125 / .9},
	} {
		d := Deployment{Model: llama, Hardware: hardware(t, "H100-SXM"), KV: test.kv, Constants: round}
		p, whole := plan(t, d), plan(t, Deployment{Model: llama, Hardware: d.Hardware, Constants: round})
		got := float64(p.Explain(p.DecodeBatch(64, 8000)).AttentionMemory) / float64(whole.Explain(whole.DecodeBatch(64, 8000)).AttentionMemory)
		if math.Abs(got-test.want) > 1e-6 {
			t.Errorf("%s: reading takes %v of the time in 16 bits, want %v", test.kv, got, test.want)
		}
	}
}
