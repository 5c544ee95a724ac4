package main

import (
	"math"
	"testing"
	"time"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/roofline"
	"halfsecond/pipeline"
)

func TestParseParams(t *testing.T) {
	for s, want := range map[string]int64{
		"70B": 70e9, "70b": 70e9, "1.5T": 1.5e12, "500M": 500e6, "0.5B": 500e6, "8030000000": 8_030_000_000,
		"": 0, "70": 0, "B": 0, "-7B": 0, "0B": 0, "NaNB": 0, "7K": 0, "7 B": 0, "1e99T": 0,
	} {
		got, err := parseParams(s)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("parseParams(%q) = %d, %v; want %d", s, got, err, want)
		}
	}
}

// named returns a deployment by names, in 16 bits on one device by vllm unless changed.
func named(model, hardware string, change ...func(*namedDeployment)) namedDeployment {
	n := namedDeployment{model: model, hardware: hardware, engine: "vllm", weights: "fp16", kv: "fp16", gpus: 1, stages: 1}
	for _, f := range change {
		f(&n)
	}
	return n
}

func onGPUs(n int) func(*namedDeployment) { return func(d *namedDeployment) { d.gpus = n } }

func TestFindDeployment(t *testing.T) {
	n := named("llama 3.1 70b", "h100 sxm", func(n *namedDeployment) {
		n.engine, n.weights, n.kv = "TensorRT-LLM", "FP8", "fp8"
		n.gpus, n.stages, n.split, n.kvTokens = 2, 4, "tensor", 1600
	})
	d, err := n.find()
	if err != nil {
		t.Fatal(err)
	}
	if d.Model.Name != "Llama-3.1-70B" || d.Hardware.Name != "H100-SXM" || d.Engine.Name != "trtllm" || d.Weights != roofline.FP8 || d.KV != roofline.KVFP8 ||
		d.GPUs != 2 || d.Stages != 4 || d.Split != "tensor" || d.KVTokens != 1600 {
		t.Errorf("found %+v", d)
	}
}

func TestAlternatives(t *testing.T) {
	for _, test := range []struct{ model, hardware, want string }{
		{"Llama-3.1-70B", "H100-SXM", "; it would with --gpus 2 or with --weights int4"},
		{"Mistral-NeMo-12B", "RTX-4090", "; it would with --gpus 2 or with --weights fp8"},
		{"Falcon-180B", "Apple-M1-7c", ""},
	} {
		d, err := named(test.model, test.hardware).find()
		if err != nil {
			t.Fatal(err)
		}
		if got := alternatives(d); got != test.want {
			t.Errorf("%s on %s: %q, want %q", test.model, test.hardware, got, test.want)
		}
	}
}

// Each thing that can dominate a step is named in words.
func TestVerdict(t *testing.T) {
	slow := roofline.Ideal()
	slow.LayerFixed = time.Millisecond
	for _, test := range []struct {
		named     namedDeployment
		batch     int
		context   int
		constants roofline.Constants
		want      string
	}{
		{named("Llama-3.1-8B", "H100-SXM"), 1, 500, roofline.Ideal(),
			"Reading memory takes 100 % of a decode step, most of it the weights: more bandwidth or fewer bits make it shorter, and a larger batch costs little."},
		{named("Llama-2-7B", "H100-SXM"), 30, 4000, roofline.Ideal(),
			"Reading memory takes 100 % of a decode step, most of it the KV cache: more bandwidth, a shorter context or a smaller batch make it shorter."},
		{named("Llama-3.1-70B", "H100-SXM", onGPUs(2)), 2000, 20, roofline.Ideal(),
			"Multiplying takes 91 % of a decode step: more compute, fewer bits the hardware can multiply in, or a smaller batch make it shorter."},
		{named("Qwen2.5-0.5B", "H100-SXM"), 1, 500, slow,
			"Fixed costs of the engine take 99 % of a decode step: faster hardware hardly helps, and a larger batch costs little."},
		{named("Llama-2-7B", "L4", onGPUs(8)), 256, 1, roofline.Ideal(),
			"Communication takes 57 % of a decode step: fewer GPUs or a faster interconnect make it shorter."},
	} {
		d, err := test.named.find()
		if err != nil {
			t.Fatal(err)
		}
		d.Constants = test.constants
		plan, err := roofline.New(d)
		if err != nil {
			t.Fatal(err)
		}
		o := &predictOptions{named: test.named, prompt: 100, batch: test.batch, context: test.context}
		if got := newPrediction(plan, o, roofline.Room{Blocks: pipeline.UnknownCount, BlockTokens: roofline.BlockTokens}).verdict(); got != test.want {
			t.Errorf("%s on %d x %s: %s\nwant %s", test.named.model, test.named.gpus, test.named.hardware, got, test.want)
		}
	}
}

// What the table says of the devices, the bits and the cache.
func TestPredictionInWords(t *testing.T) {
	for _, test := range []struct {
		named              namedDeployment
		where, bits, cache string
	}{
		{named("Llama-3.1-8B", "H100-SXM"), "H100-SXM", "16 bits (fp16 and bf16 alike)", "131072 bytes a token in fp16"},
		{named("Llama-3.1-8B", "H100-SXM", func(n *namedDeployment) { n.weights, n.kv, n.kvTokens = "int4", "fp8", 160 }),
			"H100-SXM", "4.25 bits, embedding and output head of 16", "65536 bytes a token in fp8; tokens as given"},
		{named("Llama-3.1-8B", "RTX-4090", onGPUs(3), func(n *namedDeployment) { n.engine, n.weights = "llama.cpp", "Q4_K_M" }),
			"3 x RTX-4090 that divide the layers", "4.85 bits", "131072 bytes a token in fp16"},
		{named("Llama-3.1-70B", "H100-SXM", onGPUs(2), func(n *namedDeployment) { n.stages, n.weights = 2, "exl2" }),
			"2 stages of 2 x H100-SXM", "4 bits, embedding and output head of 6", "327680 bytes a token in fp16"},
		{named("gpt-oss-20b", "H100-SXM", func(n *namedDeployment) { n.weights = "mxfp4" }),
			"H100-SXM", "4.25 bits in the experts and 16 in other layers", "24576 bytes a token in fp16, and 3145728 a sequence for its windows"},
		{named("Llama-3.2-1B", "CPU-Ryzen-7950X-DDR5-5200", func(n *namedDeployment) { n.engine = "ollama" }),
			"CPU-Ryzen-7950X-DDR5-5200", "16 bits (fp16 and bf16 alike)", "32768 bytes a token in fp16; the memory size is unknown"},
	} {
		d, err := test.named.find()
		if err != nil {
			t.Fatal(err)
		}
		plan, err := roofline.New(d)
		if err != nil {
			t.Fatal(err)
		}
		cache, err := plan.Room(roofline.BlockTokens)
		if err != nil {
			t.Fatal(err)
		}
		r := newPrediction(plan, &predictOptions{prompt: 100, batch: 1, context: 100}, cache)
		if r.where() != test.where || r.bits() != test.bits || r.kvBytes() != test.cache {
			t.Errorf("%s: on %s, of %s, cache of %s; want %s, %s, %s", test.named.model, r.where(), r.bits(), r.kvBytes(), test.where, test.bits, test.cache)
		}
	}
}

// Each constant is shown with the measurements behind it.
func TestOriginsInWords(t *testing.T) {
	source, cores, limit, times, rate := "a paper", 16, .95, 2., 165.2
	for want, o := range map[string]origin{
		"mfu.x 0.5 (12 measurements)":                         {Factors: []factor{{"mfu.x", .5, 12, false}}},
		"mbu.x 0.812 (3 measurements) x mbu.y 0.75 (assumed)": {Factors: []factor{{"mbu.x", .8123, 3, false}, {"mbu.y", .75, 0, true}}},
		"layer.x 6 (8 measurements) x 16 cores":               {Factors: []factor{{"layer.x", 6, 8, false}}, Cores: &cores},
		"mbu.x 0.99 (8 measurements), at most 0.95":           {Factors: []factor{{"mbu.x", .99, 8, false}}, Limit: &limit},
		"a paper": {Source: &source},
		"mfu.x 0.8 (4 measurements) x 2, for sums in 32 bits halve this board's rate and nothing else, at most 0.95, of 165 TFLOPS": {
			Factors: []factor{{"mfu.x", .8, 4, false}}, Times: &times, Limit: &limit, Of: &rate},
		"a paper, of 165 TFLOPS": {Source: &source, Of: &rate},
	} {
		if got := o.text(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The share that is shown is the one that the figures are made with, and a lone request
// waits for the API server as well as for its prompt.
func TestPredictionAddsUp(t *testing.T) {
	for _, test := range []struct {
		model, hardware, engine, weights string
		prompt                           int
		mfu, of                          float64
		ttft                             func(r *prediction, front float64) float64
	}{
		{"TinyLlama-1.1B", "RTX-4090", "vllm", "fp16", 512, .95, 165.2, func(r *prediction, front float64) float64 { return *r.PrefillMS + front }},
		{"TinyLlama-1.1B", "RTX-4090", "llama.cpp", "fp16", 500, .364, 330.4, func(r *prediction, front float64) float64 { return *r.PrefillMS + front }},
		{"TinyLlama-1.1B", "L40S", "vllm", "fp16", 512, .833, 362, func(r *prediction, front float64) float64 { return *r.PrefillMS + front }},
	} {
		n := named(test.model, test.hardware, func(n *namedDeployment) { n.engine, n.weights = test.engine, test.weights })
		d, err := n.find()
		if err != nil {
			t.Fatal(err)
		}
		plan, err := roofline.New(d)
		if err != nil {
			t.Fatal(err)
		}
		cache, err := plan.Room(roofline.BlockTokens)
		if err != nil {
			t.Fatal(err)
		}
		r := newPrediction(plan, &predictOptions{named: n, prompt: test.prompt, batch: 1, context: test.prompt}, cache)
		if r.Constants.MFU != test.mfu || *r.Origins[0].Of != test.of {
			t.Errorf("%s: %g of %g TFLOPS, want %g of %g", test.hardware, r.Constants.MFU, *r.Origins[0].Of, test.mfu, test.of)
		}
		operations := 2 * (float64(d.Model.LinearParams())*float64(test.prompt) + float64(d.Model.HeadParams()))
		if got, want := r.PrefillTerms.MatmulCompute, operations/(test.mfu*test.of*1e12)*1e3; math.Abs(got-want) > 1e-6 {
			t.Errorf("%s: products take %g ms, by the constants shown %g", test.hardware, got, want)
		}
		front := milliseconds(d.Engine.RequestFixed) + float64(test.prompt)*milliseconds(d.Engine.TokenizeToken)
		if *r.TTFTMS != test.ttft(r, front) || *r.FrontEndMS != front {
			t.Errorf("%s by %s: first token after %g ms, of which %g before the queue; want %g and %g", test.hardware, test.engine, *r.TTFTMS, *r.FrontEndMS, test.ttft(r, front), front)
		}
	}
}

// A prompt that the cache cannot hold has no first token, and one beyond the budget of a
// step is cut.
func TestFirstTokenOfLongPrompts(t *testing.T) {
	n := named("Llama-3.1-8B", "RTX-4090")
	d, err := n.find()
	if err != nil {
		t.Fatal(err)
	}
	plan, err := roofline.New(d)
	if err != nil {
		t.Fatal(err)
	}
	cache, err := plan.Room(roofline.BlockTokens)
	if err != nil {
		t.Fatal(err)
	}
	predicted := func(prompt int) *prediction {
		return newPrediction(plan, &predictOptions{named: n, prompt: prompt, batch: 1, context: 1}, cache)
	}
	if r := predicted(50_000); r.TTFTMS != nil || r.FrontEndMS != nil || r.PromptMS != nil {
		t.Errorf("a prompt that does not fit has its first token after %g ms", *r.TTFTMS)
	}
	first, second := plan.Batch(), plan.Batch()
	first.Add(2048, 0, 0)
	second.Add(952, 2048, 1)
	if got, want := *predicted(3000).PromptMS, milliseconds(plan.Step(first)+plan.Step(second)); got != want {
		t.Errorf("3,000 tokens take %g ms, want %g in two steps", got, want)
	}
}

func TestSignificant(t *testing.T) {
	for v, want := range map[float64]string{0: "0.00", .004: "0.00", 1.234: "1.23", 35: "35.0", 123.4: "123", 12345: "12345"} {
		if got := significant(v); got != want {
			t.Errorf("significant(%g) = %s, want %s", v, got, want)
		}
	}
}

// Every model of the catalogue can be asked about on every device that holds it.
func TestPredictsWhateverFits(t *testing.T) {
	o := &predictOptions{prompt: 512, context: 512, batch: 1}
	for _, m := range catalog.AllModels() {
		for _, h := range catalog.AllHardware() {
			plan, err := roofline.Partial(roofline.Deployment{Model: m, Hardware: h})
			if err != nil {
				continue
			}
			if cache, err := plan.Room(roofline.BlockTokens); err == nil {
				r := newPrediction(plan, o, cache)
				if r.DecodeMS <= 0 || r.TPSSingle <= 0 || r.WeightsGB <= 0 {
					t.Errorf("%s on %s: %+v", m.Name, h.Name, r)
				}
			}
		}
	}
}
