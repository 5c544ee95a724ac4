package engine

import (
	"testing"
	"time"

	"halfsecond/pipeline"
)

// TestCachedPrompt: a prompt of 4,000 tokens that was asked before takes a model of the
// 70B class on two A100 about 50 ms to its first token, a step for its last block, in
// place of the 500 to 3,000 ms that computing it takes.
func TestCachedPrompt(t *testing.T) {
	const prompt = 4000
	var loop pipeline.Virtual
	e := replica(t, "Llama-3.1-70B", "A100-80GB-SXM", 2).Build(&loop)
	var first [2]time.Duration
	var cached [2]int
	at := time.Duration(0)
	for i := range first {
		r := about(&Request{Prompt: prompt, Output: 1}, 1, 1, prompt)
		r.Done = func(pipeline.Outcome) { first[i], cached[i] = r.Last-at, r.CachedTokens }
		e.Submit(r)
		if err := loop.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		at = loop.Now()
	}
	t.Logf("first token after %s, and after %s with %d tokens cached", first[0], first[1], cached[1])
	if cached != [2]int{0, 3984} {
		t.Errorf("%v tokens cached, want 0 and all but the last block, 3984", cached)
	}
	if first[0] < 500*ms || first[0] > 3000*ms || first[1] < 30*ms || first[1] > 80*ms {
		t.Errorf("first token after %s and %s, want 500ms to 3s and 30ms to 80ms", first[0], first[1])
	}
}

// TestManyStreams: 256 streams of an 8B model on one H100 make thousands of tokens a
// second together, which one alone does not.
func TestManyStreams(t *testing.T) {
	rate := func(streams int) float64 {
		const output = 300
		var loop pipeline.Virtual
		e := served(t, "vllm", nil).Build(&loop)
		for range streams {
			e.Submit(&Request{Prompt: 200, Output: output, Done: func(pipeline.Outcome) {}})
		}
		if err := loop.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		return float64(streams*output) / loop.Now().Seconds()
	}
	one, many := rate(1), rate(256)
	t.Logf("%.0f tokens/s of one stream, %.0f of 256 together", one, many)
	if one > 200 || many < 5000 || many > 256*one {
		t.Errorf("%.0f tokens/s of one stream and %.0f of 256, want at most 200 and at least 5000", one, many)
	}
}
