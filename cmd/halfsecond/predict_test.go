package main

import (
	"testing"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/roofline"
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

func TestAlternatives(t *testing.T) {
	for _, test := range []struct{ model, hardware, want string }{
		{"Llama-3.1-70B", "H100-SXM", "; it would with --gpus 2 or with --weights int4"},
		{"Mistral-NeMo-12B", "RTX-4090", "; it would with --gpus 2 or with --weights fp8"},
		{"Falcon-180B", "Apple-M1-7c", ""},
	} {
		d, err := namedDeployment{test.model, test.hardware, "fp16", 1}.find()
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
	for _, test := range []struct {
		o    predictOptions
		want string
	}{
		{predictOptions{named: namedDeployment{"Llama-3.1-8B", "H100-SXM", "fp16", 1}, batch: 1, context: 500},
			"Reading memory takes 82 % of a decode step, most of it the weights: more bandwidth or fewer bits make it shorter, and a larger batch costs little."},
		{predictOptions{named: namedDeployment{"Llama-2-7B", "H100-SXM", "fp16", 1}, batch: 30, context: 4000},
			"Reading memory takes 95 % of a decode step, most of it the KV cache: more bandwidth, a shorter context or a smaller batch make it shorter."},
		{predictOptions{named: namedDeployment{"Llama-3.1-70B", "H100-SXM", "fp16", 2}, batch: 2000, context: 20},
			"Multiplying takes 86 % of a decode step: more compute, fewer bits the hardware can multiply in, or a smaller batch make it shorter."},
		{predictOptions{named: namedDeployment{"Qwen2.5-0.5B", "H100-SXM", "fp16", 1}, batch: 1, context: 500},
			"Fixed costs of the engine take 72 % of a decode step: faster hardware hardly helps, and a larger batch costs little."},
		{predictOptions{named: namedDeployment{"Llama-2-7B", "L4", "fp16", 8}, batch: 256, context: 1},
			"Communication takes 55 % of a decode step: fewer GPUs or a faster interconnect make it shorter."},
	} {
		d, err := test.o.named.find()
		if err != nil {
			t.Fatal(err)
		}
		plan, err := roofline.New(d)
		if err != nil {
			t.Fatal(err)
		}
		test.o.prompt = 100
		if got := newPrediction(plan, &test.o, 1).verdict(); got != test.want {
			t.Errorf("%s on %d x %s: %s\nwant %s", test.o.named.model, test.o.named.gpus, test.o.named.hardware, got, test.want)
		}
	}
}

func TestSignificant(t *testing.T) {
	for v, want := range map[float64]string{0: "0.00", .004: "0.00", 1.234: "1.23", 35: "35.0", 123.4: "123", 12345: "12345"} {
		if got := significant(v); got != want {
			t.Errorf("significant(%g) = %s, want %s", v, got, want)
		}
	}
}

// Every dense model of the catalogue can be asked about on every device that holds
// it, in both formats.
func TestPredictsWhateverFits(t *testing.T) {
	o := &predictOptions{prompt: 512, context: 512, batch: 1}
	for _, m := range catalog.AllModels() {
		for _, h := range catalog.AllHardware() {
			plan, err := roofline.Partial(roofline.Deployment{Model: m, Hardware: h})
			if err != nil {
				continue
			}
			if tokens, err := plan.KVTokens(); err == nil {
				r := newPrediction(plan, o, tokens)
				if r.DecodeMS <= 0 || r.TPSSingle <= 0 || r.WeightsGB <= 0 {
					t.Errorf("%s on %s: %+v", m.Name, h.Name, r)
				}
			}
		}
	}
}
