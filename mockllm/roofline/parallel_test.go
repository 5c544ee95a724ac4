package roofline

import (
	"math"
	"testing"
	"time"

	"halfsecond/mockllm/catalog"
)

// handOver is what passing the activations of so many Llama-3.1-8B tokens to the
// next stage takes on unit hardware: 4,096 values of 2 bytes each.
func handOver(stages, tokens int) time.Duration {
	return time.Duration(stages-1) * time.Duration(tokens) * 8192
}

// A pipeline does not make one stream faster: its token passes all stages.
func TestPipelineOfOneStream(t *testing.T) {
	llama := model(t, "Llama-3.1-8B")
	one, four := counting(t, llama), counting(t, llama, stages(4))
	if got, want := four.Decode(1, 1000), one.Decode(1, 1000)+handOver(4, 1); got != want {
		t.Errorf("a token takes %d ns on 4 stages, want %d", got, want)
	}
	// A short prompt is one micro-batch.
	if got, want := four.Prefill(1000), one.Prefill(1000)+handOver(4, 1000); got != want {
		t.Errorf("a prompt takes %d ns on 4 stages, want %d", got, want)
	}
}

// A batch is cut into one micro-batch a stage, of whole sequences: eight streams on
// four stages take as long as two, nine as long as three.
func TestPipelineOfManyStreams(t *testing.T) {
	llama := model(t, "Llama-3.1-8B")
	one, four := counting(t, llama), counting(t, llama, stages(4))
	for streams, alike := range map[int]int{2: 1, 4: 1, 8: 2, 9: 3, 100: 25} {
		if got, want := four.Decode(streams, 1000), one.Decode(alike, 1000)+handOver(4, alike); got != want {
			t.Errorf("%d streams take %d ns on 4 stages, want %d", streams, got, want)
		}
	}
}

// A chunk beside decodes is not cut: the step takes as long as the chunk's own.
func TestPipelineKeepsAChunkWhole(t *testing.T) {
	p := counting(t, model(t, "Llama-3.1-8B"), stages(4))
	b := p.Batch()
	b.Add(1000, 0, 0)
	b.AddAlike(3, 1, 1000, 1)
	alone := p.Batch()
	alone.Add(1000, 0, 0)
	if got, least := p.Step(b), p.Step(alone); got < least || float64(got) > 1.02*float64(least) {
		t.Errorf("a chunk beside three decodes takes %v, alone %v", got, least)
	}
}

// Prompts of several micro-batches pass the stages like wagons: m of them take
// (m + s - 1) / s of one's time. vllm's are as long as its token budget, llama.cpp's
// 512 tokens whether layers are split or not.
func TestMicroBatchesPassLikeWagons(t *testing.T) {
	llama := model(t, "Llama-3.1-8B")
	for _, test := range []struct {
		name           string
		one, many      *Plan
		prompt, single int
		want           float64
	}{
		{"vllm, 4 stages, 4 chunks", counting(t, llama), counting(t, llama, stages(4)), 4 * 8192, 8192, 7. / 4},
		{"llama.cpp, 4 devices, 4 micro-batches", counting(t, llama, engineOf(t, "llama.cpp")),
			counting(t, llama, engineOf(t, "llama.cpp"), gpus(4)), 2048, 512, 7. / 4},
		{"llama.cpp, 4 devices, 1 micro-batch", counting(t, llama, engineOf(t, "llama.cpp")),
			counting(t, llama, engineOf(t, "llama.cpp"), gpus(4)), 512, 512, 1},
		{"llama.cpp, 1 device, 4 micro-batches", counting(t, llama, engineOf(t, "llama.cpp")),
			counting(t, llama, engineOf(t, "llama.cpp")), 2048, 512, 4},
	} {
		// Without attention, which grows along the prompt, the micro-batches are alike.
		micro := test.one.Batch()
		micro.Tokens = test.single
		whole := test.many.Batch()
		whole.Tokens, whole.Longest = test.prompt, test.prompt
		got := float64(test.many.Step(whole)-time.Duration(test.want*float64(handOver(test.many.stages, test.single)))) /
			float64(test.one.Step(micro))
		if math.Abs(got-test.want) > 1e-6 {
			t.Errorf("%s: %v times a micro-batch, want %v", test.name, got, test.want)
		}
	}
}

// Splitting layers gives no faster decode, sharing them does.
func TestLayerSplitDecode(t *testing.T) {
	llama := model(t, "Llama-3.1-8B")
	cpp := engineOf(t, "llama.cpp")
	one, split := counting(t, llama, cpp), counting(t, llama, cpp, gpus(4))
	if got, want := split.Decode(1, 1000), one.Decode(1, 1000)+handOver(4, 1); got != want {
		t.Errorf("a token takes %d ns on 4 devices with split layers, want %d", got, want)
	}
	shared := counting(t, llama, cpp, gpus(4), func(d *Deployment) { d.Split = catalog.SplitTensor })
	all := time.Duration(2 * 32 * 1.5 * 8192) // 64 all-reduces of 2 * 3/4 of 8,192 bytes
	if got, want := shared.Decode(1, 1000), one.Decode(1, 1000)/4+all; got < want-1 || got > want+1 {
		t.Errorf("a token takes %d ns on 4 devices that share layers, want %d", got, want)
	}
}

// A step of micro-batches costs at least what its tokens cost at once, and its terms
// add up to it.
func TestMicroBatchesReadTheWeightsAgain(t *testing.T) {
	d := Deployment{Model: model(t, "Llama-3.1-8B"), Hardware: hardware(t, "RTX-4090"), Weights: INT4, Constants: round}
	engineOf(t, "llama.cpp")(&d)
	cut := plan(t, d)
	d.Engine.MicroBatch = 0
	whole := plan(t, d)
	b := cut.PrefillBatch(2000)
	if got, want := cut.Explain(b).MatmulMemory, 4*(whole.Explain(b).MatmulMemory-rounded(whole.headMemory))+rounded(whole.headMemory); got < want-4 || got > want+4 {
		t.Errorf("the weights are read for %v, want four times: %v", got, want)
	}
	terms := cut.Explain(b)
	sum := terms.By(Compute) + terms.By(Memory) + terms.By(Communication) + terms.By(Fixed)
	if off := sum - cut.Step(b); off < -3 || off > 3 {
		t.Errorf("terms add up to %v, the step is %v", sum, cut.Step(b))
	}
}

func TestExposedShare(t *testing.T) {
	c := Ideal()
	c.Exposed = .25
	llama := model(t, "Llama-3.1-8B")
	hidden, exposed := counting(t, llama), counting(t, llama, func(d *Deployment) { d.Constants = c })
	b := hidden.DecodeBatch(16, 1) // 2 * 16 operations a weight against 2 bytes
	terms := exposed.Explain(b)
	if got, want := exposed.Step(b)-hidden.Step(b), terms.MatmulMemory/4; got != want {
		t.Errorf("exposing a quarter of the reads costs %v, want %v", got, want)
	}
	if got := terms.By(Compute) + terms.By(Memory); got != exposed.Step(b) {
		t.Errorf("the terms by bound add up to %v, want %v", got, exposed.Step(b))
	}
}

// Matrices that make what is cached are divided among devices as the cache is: by heads,
// which are repeated when there are more devices, and not at all with latent attention.
func TestProjectionsThatAreRepeated(t *testing.T) {
	llama, deepseek := model(t, "Llama-3.1-8B"), model(t, "DeepSeek-V3")
	keys := int64(32 * 2 * 4096 * 8 * 128)           // of 8 heads of 128, in 32 layers
	pressed := int64(61 * 7168 * (1536 + 512 + 64))  // queries, keys and values of 61 layers
	active := 58 * 8 * 3 * int64(7168) * int64(2048) // experts of one token
	for _, test := range []struct {
		name      string
		m         catalog.Model
		gpus      int
		onOne     int64 // parameters that a device reads for one token, times the devices
		onDevices int64 // and holds
	}{
		{"as many heads as devices", llama, 8, llama.LinearParams() + llama.HeadParams(), llama.TotalParams()},
		{"more devices", llama, 32, llama.LinearParams() + llama.HeadParams() + 3*keys, llama.TotalParams() + 3*keys},
		{"latent attention", deepseek, 8, deepseek.SteadyParams() + active + deepseek.HeadParams() + 7*pressed, deepseek.TotalParams() + 7*pressed},
		{"one device", deepseek, 1, deepseek.SteadyParams() + active + deepseek.HeadParams(), deepseek.TotalParams()},
	} {
		p := counting(t, test.m, gpus(test.gpus))
		terms, n := p.Explain(p.DecodeBatch(1, 1)), int64(test.gpus)
		for what, got := range map[string]time.Duration{"reads": terms.MatmulMemory, "multiplies": terms.MatmulCompute} {
			if want := 2 * test.onOne / n; got < time.Duration(want) || got > time.Duration(want+1) {
				t.Errorf("%s: a device %s for %d ns, want %d", test.name, what, got, want)
			}
		}
		if got := p.WeightBytes(); got != 2*test.onDevices {
			t.Errorf("%s: devices hold %d bytes, want %d", test.name, got, 2*test.onDevices)
		}
	}
}
