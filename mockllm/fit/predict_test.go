package fit

import (
	"math"
	"testing"
	"time"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/roofline"
)

// toy is a deployment on which every step can be worked out by hand. Its layer has 10
// million parameters and its head a million, of 2 bytes each; a cached token takes
// 4,000 bytes. On a device of 1 GB/s and 1 TFLOPS that is 20 ms to read the layer, 2 ms
// to read the head, 20 us to multiply a token, 2 us for its logits, 4 us to read a
// cached token and 4 ns for a pair of tokens.
func toy() roofline.Deployment {
	return roofline.Deployment{
		Model: catalog.Model{
			Name: "toy", Layers: 1, Hidden: 1000, Heads: 10, KVHeads: 10, HeadDim: 100, FFN: 2000, Gated: true, Vocab: 1000,
		},
		Hardware: catalog.Hardware{Name: "toy", Bandwidth: 1e9, FP16: 1e12},
		Engine: catalog.Engine{
			Name: "toy", Kernels: "serving", Split: catalog.SplitTensor, FlashAttention: true, MaxSequences: 8, TokenBudget: 4000,
			RequestFixed: 2 * time.Millisecond, TokenizeToken: time.Microsecond,
		},
		Constants: roofline.Ideal(),
	}
}

// Every closed form beside the value that follows from the figures of toy. A prompt of
// 2,000 tokens takes 40.002 ms to multiply and 8 ms of attention.
func TestPredict(t *testing.T) {
	closed := "closed-loop concurrency = batch column"
	for _, test := range []struct {
		name   string
		row    Row
		change func(*roofline.Deployment)
		want   float64
	}{
		{"prefill", Row{Metric: PrefillRate, Batch: 1, Prompt: 2000}, nil, 2000 / .048002},
		{"prefill of two", Row{Metric: PrefillRate, Batch: 2, Prompt: 2000}, nil, 4000 / .096004},
		{"prefill on replicas", Row{Metric: PrefillRate, Batch: 8, Prompt: 2000, GPUs: 4, Parallelism: "dp"}, nil, 4 * 4000 / .096004},
		{"prefill with all logits", Row{Metric: PrefillRate, Batch: 1, Prompt: 2000}, func(d *roofline.Deployment) { d.Engine.AllLogits = true }, 2000 / .052},

		// 22 ms, and 4 us a cached token.
		{"decode", Row{Metric: DecodeRate, Batch: 1, Prompt: 64, Generated: 72}, nil, 1 / .0224},
		{"decode of two", Row{Metric: DecodeRate, Batch: 2, Prompt: 64, Generated: 72}, nil, 2 / .0228},
		{"decode of unstated counts", Row{Metric: DecodeRate, Batch: 1, Prompt: Unstated, Generated: Unstated}, nil, 1 / .022004},
		{"decode on replicas", Row{Metric: DecodeRate, Batch: 6, Prompt: 64, Generated: 72, GPUs: 3, Parallelism: "dp"}, nil, 6 / .0228},

		// 2 ms a request, 2 ms to tokenize.
		{"first token", Row{Metric: TTFT, Batch: 1, Prompt: 2000}, nil, 4 + 48.002},
		{"first token of a batch", Row{Metric: TTFT, Batch: 4, Prompt: 2000}, nil, 4 + 4*48.002},
		{"first token a step later", Row{Metric: TTFT, Batch: 1, Prompt: 2000}, func(d *roofline.Deployment) { d.Engine.FirstTokenSteps = 1 }, 4 + 48.002 + 22 + 8.004},
		{"first token of clients in step", Row{Metric: TTFT, Batch: 2, Prompt: 2000, Note: closed}, nil, 4 + 96.004},
		{"first token of clients that queue", Row{Metric: TTFT, Batch: 4, Prompt: 2000, Note: closed}, nil, 4 + 2.5*48.002},

		{"time per token", Row{Metric: TPOT, Batch: 2, Prompt: 64, Generated: 72}, nil, 22.8},
		{"time per token of one client", Row{Metric: TPOT, Batch: 1, Prompt: 64, Generated: 72, Note: closed}, nil, 22.4},
		{"time per token between prompts", Row{Metric: TPOT, Batch: 3, Prompt: 2000, Generated: 100, Note: closed}, nil, 22 + 3*8.2 + 2*48.002/100},
		{"time per token, prompts first", Row{Metric: TPOT, Batch: 3, Prompt: 2000, Generated: 100, Note: closed},
			func(d *roofline.Deployment) { d.Engine.PrefillFirst = true }, 22 + 3*8.2 + 48.002/100},

		{"a run", Row{Metric: AggregateRate, Batch: 2, Prompt: 2000, Generated: 100}, nil, 200 / (.096004 + 100*.0384)},
		{"a run in waves of four", Row{Metric: AggregateRate, Batch: 6, Prompt: 2000, Generated: 100},
			func(d *roofline.Deployment) { d.KVTokens = 8448 }, 400 / (2*.096004 + 100*.0548)},
		{"a run of waves on replicas", Row{Metric: AggregateRate, Batch: 12, Prompt: 2000, Generated: 100, GPUs: 2, Parallelism: "dp"},
			func(d *roofline.Deployment) { d.KVTokens = 8448 }, 2 * 400 / (2*.096004 + 100*.0548)},
		{"a run of what fits", Row{Metric: AggregateRate, Batch: Unstated, Prompt: 2000, Generated: 100},
			func(d *roofline.Deployment) { d.KVTokens = 8448 }, 400 / (2*.096004 + 100*.0548)}, // 4 of 132 blocks, 4*2100/2050 staggered
		{"a run of one block less", Row{Metric: AggregateRate, Batch: 6, Prompt: 2000, Generated: 100},
			func(d *roofline.Deployment) { d.KVTokens = 8432 }, 300 / (1.5*.096004 + 100*.0466)},
		{"a run of what the engine takes", Row{Metric: AggregateRate, Batch: Unstated, Prompt: 2000, Generated: 100},
			func(d *roofline.Deployment) { d.KVTokens = 210_000 }, 800 / (4*.096004 + 100*.0876)},
		{"a run of what its slots take", Row{Metric: AggregateRate, Batch: Unstated, Prompt: 2000, Generated: 100},
			func(d *roofline.Deployment) { d.KVTokens, d.Engine.MaxSequences, d.Engine.Slots = 210_000, 0, 2 }, 200 / (.096004 + 100*.0384)},
		{"a run whose prompts go in one by one", Row{Metric: AggregateRate, Batch: 2, Prompt: 2000, Generated: 100},
			func(d *roofline.Deployment) { d.Engine.TokenBudget = 1000 }, 200 / (2*.048002 + 100*.0384)},
		{"a run without a budget", Row{Metric: AggregateRate, Batch: 6, Prompt: 2000, Generated: 100},
			func(d *roofline.Deployment) { d.Engine.TokenBudget = 0 }, 600 / (6*.048002 + 100*.0712)},
		{"a run that hardly fits", Row{Metric: AggregateRate, Batch: 6, Prompt: 2000, Generated: 100},
			func(d *roofline.Deployment) { d.KVTokens = 16 }, 100 / (.048002 + 100*.0302)},
		{"a run of a model that does not fit", Row{Metric: AggregateRate, Batch: 6, Prompt: 2000, Generated: 100},
			func(d *roofline.Deployment) { d.Hardware.Memory = 1 << 20 }, 100 / (.048002 + 100*.0302)},
	} {
		d := toy()
		if test.change != nil {
			test.change(&d)
		}
		p, err := roofline.Partial(d)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		test.row.GPUs = max(1, test.row.GPUs)
		if got := test.row.predict(p); math.Abs(got/test.want-1) > 1e-9 {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
