package roofline

import (
	"testing"
	"time"

	"halfsecond/mockllm/catalog"
)

// What people who run these models know, of deployments with the built-in constants.
// Nothing here was fitted to; -v prints the numbers.

// deployed returns the plan of a model in some format on so many devices, by vllm or
// another engine.
func deployed(t *testing.T, m, h string, change ...func(*Deployment)) *Plan {
	t.Helper()
	d := Deployment{Model: model(t, m), Hardware: hardware(t, h)}
	for _, f := range change {
		f(&d)
	}
	return plan(t, d)
}

func weights(f Format) func(*Deployment) { return func(d *Deployment) { d.Weights = f } }
func cache(f KVFormat) func(*Deployment) { return func(d *Deployment) { d.KV = f } }

// A model of 3 billion parameters answers two to three times as soon as one of 7.
// Shorter prompts than this gain less on fast devices, where fixed costs rule.
func TestThreeBillionAgainstSeven(t *testing.T) {
	for _, pair := range [][2]string{
		{"Llama-3.2-3B", "Mistral-7B"}, {"Llama-3.2-3B", "Llama-2-7B"}, {"Qwen2.5-3B", "Qwen2.5-7B"}, {"StarCoder2-3B", "StarCoder2-7B"},
	} {
		for _, h := range []string{"L4", "A10", "RTX-4090", "L40S", "A100-80GB-SXM", "H100-SXM"} {
			small, large := deployed(t, pair[0], h), deployed(t, pair[1], h)
			ratio := func(prompt int) float64 { return large.Prefill(prompt).Seconds() / small.Prefill(prompt).Seconds() }
			t.Logf("%s against %s on %s: %.2f times at 500 tokens, %.2f at 2,000, %.2f at 8,000", pair[0], pair[1], h, ratio(500), ratio(2000), ratio(8000))
			if r := ratio(2000); r < 2 || r > 3 {
				t.Errorf("%s is %.2f times as fast as %s on %s, want 2 to 3", pair[0], r, pair[1], h)
			}
		}
	}
}

// From 2,000 to 100,000 tokens the time to the first token grows faster than the
// prompt, for attention grows with its square and becomes most of it.
func TestLongPromptsAreQuadratic(t *testing.T) {
	for _, h := range []string{"L40S", "A100-80GB-SXM", "H100-SXM"} {
		p := deployed(t, "Llama-3.1-8B", h)
		short := p.Prefill(2000).Seconds()
		share := func(prompt int) float64 {
			return p.Explain(p.PrefillBatch(prompt)).AttentionCompute.Seconds() / p.Prefill(prompt).Seconds()
		}
		for _, n := range []int{2_000, 10_000, 32_000, 100_000} {
			t.Logf("%s: %6d tokens %8.3f s, %5.1f times 2,000 tokens, %2.0f %% of it attention", h, n, p.Prefill(n).Seconds(), p.Prefill(n).Seconds()/short, 100*share(n))
		}
		growth := p.Prefill(100_000).Seconds() / short
		// Linear growth is 50 times, growth with the square 2,500.
		if growth < 100 || growth > 300 || share(2000) > .1 || share(100_000) < .6 {
			t.Errorf("%s: %.0f times for 50 times the tokens, attention %.2f of it at 2,000 and %.2f at 100,000", h, growth, share(2000), share(100_000))
		}
	}
}

// 256 streams of a model of 8 billion parameters make thousands of tokens a second.
func TestManyStreams(t *testing.T) {
	p := deployed(t, "Llama-3.1-8B", "H100-SXM")
	one, _ := p.TPS(1, 1000)
	single, aggregate := p.TPS(256, 1000)
	holds, err := p.KVTokens()
	t.Logf("256 streams at 1,000 tokens: %.0f tokens/s together, %.1f each; alone %.1f; the cache holds %d tokens", aggregate, single, one, holds)
	if err != nil || holds < 256*1000 || aggregate < 5000 || aggregate > 30_000 || aggregate < 50*one {
		t.Errorf("%.0f tokens/s of 256 streams, %.1f of one, cache of %d tokens, %v", aggregate, one, holds, err)
	}
}

// Fewer bits a weight make decode faster, by less than the bits; prefill only where
// the hardware multiplies in them.
func TestWeightFormatsHelp(t *testing.T) {
	for _, test := range []struct {
		hardware                string
		format                  Format
		leastDecode, mostDecode float64 // times as fast as in 16 bits
		leastPrefill            float64
		mostPrefill             float64
	}{
		{"H100-SXM", FP8, 1.3, 2, 1.3, 2.1},
		{"A100-80GB-SXM", FP8, 1.3, 2, .4, 1},
		{"A100-80GB-SXM", INT8, 1.3, 2, .4, 1},
		{"A100-80GB-SXM", INT4, 1.8, 16 / 4.25, .4, 1},
		{"L4", INT4, 2.3, 16 / 4.25, .4, 1},
	} {
		whole, fewer := deployed(t, "Llama-3.1-8B", test.hardware), deployed(t, "Llama-3.1-8B", test.hardware, weights(test.format))
		decode := whole.Decode(1, 1000).Seconds() / fewer.Decode(1, 1000).Seconds()
		prefill := whole.Prefill(4000).Seconds() / fewer.Prefill(4000).Seconds()
		t.Logf("%s on %s: decode %.2f times as fast as in 16 bits, prefill %.2f times", test.format, test.hardware, decode, prefill)
		if decode < test.leastDecode || decode > test.mostDecode || prefill < test.leastPrefill || prefill > test.mostPrefill {
			t.Errorf("%s on %s: decode %.2f times as fast, prefill %.2f, want %.2f to %.2f and %.2f to %.2f", test.format, test.hardware,
				decode, prefill, test.leastDecode, test.mostDecode, test.leastPrefill, test.mostPrefill)
		}
	}
}

// Fewer bits a cached value make room for as many more tokens, and decode of long
// contexts faster.
func TestCacheFormatsHelp(t *testing.T) {
	whole := deployed(t, "Llama-3.1-8B", "A100-80GB-SXM")
	room, err := whole.KVTokens()
	if err != nil {
		t.Fatal(err)
	}
	last := whole.Decode(32, 8000)
	for _, f := range []KVFormat{KVFP8, KVQ4} {
		p := deployed(t, "Llama-3.1-8B", "A100-80GB-SXM", cache(f))
		tokens, err := p.KVTokens()
		if err != nil {
			t.Fatal(err)
		}
		speed := whole.Decode(32, 8000).Seconds() / p.Decode(32, 8000).Seconds()
		t.Logf("%s: %d tokens of cache (%.2f times), 32 streams at 8,000 tokens %.2f times as fast", f, tokens, float64(tokens)/float64(room), speed)
		if off := float64(tokens)/float64(room)*f.Bytes()/2 - 1; off < -.001 || off > .001 {
			t.Errorf("%s: room for %d tokens, %d in 16 bits", f, tokens, room)
		}
		if got := p.Decode(32, 8000); got >= last || speed > 2/f.Bytes() {
			t.Errorf("%s: a step takes %v, with more bits %v", f, got, last)
		} else {
			last = got
		}
		// At short contexts there is little to gain.
		if got := whole.Decode(1, 100).Seconds() / p.Decode(1, 100).Seconds(); got < .99 || got > 1.01 {
			t.Errorf("%s: a short context is %.3f times as fast", f, got)
		}
	}
}

// A prompt of 4,000 tokens of which all but the last block is cached takes about 50 ms
// on a model of 70 billion parameters, and half a second to three without.
func TestCachedPrompt(t *testing.T) {
	for _, test := range []struct {
		hardware string
		gpus     int
	}{{"A100-80GB-SXM", 2}, {"A100-80GB-SXM", 4}, {"L40S", 4}} {
		p := deployed(t, "Llama-3.1-70B", test.hardware, gpus(test.gpus))
		cached := p.Batch()
		cached.Add(BlockTokens, 4000-BlockTokens, 1)
		with, without := p.Step(cached), p.Prefill(4000)
		t.Logf("%d x %s: %v with the prompt cached, %v without", test.gpus, test.hardware, with, without)
		if with < 20*time.Millisecond || with > 80*time.Millisecond || without < 500*time.Millisecond || without > 3*time.Second {
			t.Errorf("%d x %s: %v with the prompt cached, %v without", test.gpus, test.hardware, with, without)
		}
	}
}

// Drafted tokens are almost free until the products fill the device: verifying five
// at a time costs little for one stream, and more than twice as much for 256.
func TestVerificationIsCheapForFewStreams(t *testing.T) {
	p := deployed(t, "Llama-3.1-8B", "A100-80GB-SXM")
	verify := func(streams int) float64 {
		b := p.Batch()
		b.AddAlike(streams, 5, 1000, 5)
		return p.Step(b).Seconds() / p.Decode(streams, 1001).Seconds()
	}
	t.Logf("five tokens at a time take %.2f times as long as one for 1 stream, %.2f for 16, %.2f for 64, %.2f for 256",
		verify(1), verify(16), verify(64), verify(256))
	if verify(1) > 1.15 || verify(256) < 2 {
		t.Errorf("five tokens at a time take %.2f times as long for 1 stream, %.2f for 256", verify(1), verify(256))
	}
}

// Every engine of the catalogue that runs on a board decodes a model of 8 billion
// parameters no faster than the weights can be read.
func TestNoEngineBeatsTheMemory(t *testing.T) {
	m, h := model(t, "Llama-3.1-8B"), hardware(t, "RTX-4090")
	least := float64(m.LinearParams()+m.HeadParams()) * 2 / h.Bandwidth
	ran := 0
	for _, e := range catalog.AllEngines() {
		if e.Support(h) == catalog.Unsupported {
			continue
		}
		ran++
		p := plan(t, Deployment{Model: m, Hardware: h, Engine: e})
		took := p.Decode(1, 100).Seconds()
		t.Logf("%-18s %.1f ms a token, %.2f times what reading the weights takes", e.Name, 1e3*took, took/least)
		if took < least {
			t.Errorf("%s takes %.1f ms a token, and reading the weights %.1f", e.Name, 1e3*took, 1e3*least)
		}
	}
	if all := len(catalog.AllEngines()); ran != all-1 { // all but that of Gaudi
		t.Errorf("%d of %d engines run on %s", ran, all, h.Name)
	}
}
