package report

import (
	"slices"
	"strings"
	"testing"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// answer returns an interaction with an answer of 100 tokens, whose last output came 200 ms
// after the first.
func answer(chunks int, o pipeline.Opening) pipeline.Trace {
	r := pipeline.NewRequest(1, 0)
	r.Sent, r.FirstByte, r.FirstOutput, r.LastOutput, r.End = 0, 100*ms, 100*ms, 300*ms, 300*ms
	r.OutputTokens, r.Chunks, r.Opening = 100, chunks, o
	return pipeline.Trace{Kind: "bench", End: r.End, Requests: []pipeline.Request{r}}
}

// whole returns the same where all came at once.
func whole(chunks int, burst bool) pipeline.Trace {
	t := answer(chunks, pipeline.Opening{})
	t.Requests[0].LastOutput, t.Requests[0].Transport.Burst = 100*ms, burst
	return t
}

// TestBundled: a report says how far tpot may be from the model's where chunks hold several
// tokens, and which answers have none, and each answer is told of once.
func TestBundled(t *testing.T) {
	counted, bytes := pipeline.Opening{Chunks: 1, Tokens: 80, Bytes: 390, Of: 500}, pipeline.Opening{Chunks: 1, Bytes: 400, Of: 500}
	held := answer(100, pipeline.Opening{Chunks: 50, Bytes: 250, Of: 500})
	held.Requests[0].Together = 50
	failed := answer(2, counted)
	failed.Requests[0].Outcome = pipeline.Error
	few := answer(2, pipeline.Opening{})
	few.Requests[0].OutputTokens = 1
	plain := answer(100, pipeline.Opening{})
	for _, c := range []struct {
		name   string
		traces []pipeline.Trace
		want   string
	}{
		{"a token a chunk", []pipeline.Trace{plain, failed, few, held, whole(3, true), answer(25, pipeline.Opening{Chunks: 1, Bytes: 10, Of: 500})}, ""},
		{"counted", []pipeline.Trace{plain, answer(2, counted), answer(2, counted)},
			"2 of 3 answers with a tpot had several tokens in the first output, and 50.0 a chunk at the median. tpot takes that for one token, so tpot and tps are faster than the model is, " +
				"by up to 5.0 times: 2.02 ms at p50, where by the count that the server sends with each chunk it is 10 ms."},
		{"by bytes", []pipeline.Trace{answer(2, counted), answer(2, bytes)},
			"2 of 2 answers with a tpot may have had several tokens in the first output, and 50.0 a chunk at the median. tpot takes that for one token, so tpot and tps are faster than the model is, " +
				"by up to 9.9 times: 2.02 ms at p50, where by the first output's share of the bytes it is about 10 ms, and 10 ms at most if no part of an answer has more than twice, or less than half, of the tokens that its bytes say."},
		{"without bytes", []pipeline.Trace{answer(21, pipeline.Opening{}), answer(21, pipeline.Opening{Chunks: 1, Unsent: 60})},
			"2 of 2 answers with a tpot may have had several tokens in the first output, and 1.9 a chunk at the median. tpot takes that for one token, so tpot and tps are faster than the model is, " +
				"by up to 5.0 times: 2.02 ms at p50, where it is 10 ms at most, if each chunk holds a token or more. Of 1 answer the server counts reasoning that it did not send."},
		{"reasoning that may be a summary", []pipeline.Trace{answer(2, pipeline.Opening{Chunks: 1, Bytes: 100, Of: 500, Sure: 20})},
			"1 of 1 answer with a tpot may have had several tokens in the first output. tpot takes that for one token, so tpot and tps are faster than the model is, by up to 5.0 times. " +
				"Of 1 answer what came of the reasoning may be a summary: at most, its tokens are none of those that followed."},
		{"one", []pipeline.Trace{answer(2, counted)},
			"1 of 1 answer with a tpot had several tokens in the first output. tpot takes that for one token, so tpot and tps are faster than the model is, by up to 5.0 times."},
		{"one chunk", []pipeline.Trace{whole(1, false), whole(2, false), whole(3, true), plain},
			"2 answers of several tokens came at one instant, in one chunk or two: of those there is neither tpot nor tps."},
	} {
		if got := strings.Join(network(c.traces).Bundled.words(), "\n"); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestServerCountsTokens: beside what a server counts stands why ours is shorter where tokens
// come several at a time, and only there.
func TestServerCountsTokens(t *testing.T) {
	const title = "It times tokens as they are made"
	notes := func(traces ...pipeline.Trace) string {
		s := countedBy(&trace.Counters{URL: "u", Software: "vLLM", To: 1000 * ms, Times: []trace.CountedTime{{Name: "tpot", N: 2, Sum: 20 * ms}}}, traces).words()
		i := slices.IndexFunc(s, func(s string) bool { return strings.HasPrefix(s, title) })
		if i < 0 {
			return ""
		}
		return s[i]
	}
	several, late := answer(2, pipeline.Opening{Chunks: 1, Tokens: 80}), answer(2, pipeline.Opening{Chunks: 1, Tokens: 80})
	late.Requests[0].End = 1001 * ms
	const want = title + ", and here they came in chunks: the first output of 1 answer may be several tokens, made before ours of decode begins, and one to ours of tpot and itl; " +
		"1 answer came at one instant and had no tpot here. So ours of these are shorter than its own, and our ttft is longer."
	if got := notes(several, whole(1, false), late); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := notes(answer(100, pipeline.Opening{}), late); got != "" {
		t.Errorf("a token a chunk: %q", got)
	}
}

// TestRecorded: of answers that are given again a report says what it says where they were
// recorded, and of modelled ones nothing.
func TestRecorded(t *testing.T) {
	simulated := func(x pipeline.Trace) pipeline.Trace { x.Requests[0].Simulated = true; return x }
	two := answer(100, pipeline.Opening{})
	two.Requests[0].Choices = 2
	bundle := answer(2, pipeline.Opening{Chunks: 1, Tokens: 80, Bytes: 390, Of: 500})
	step, unseen := whole(100, false), answer(0, pipeline.Opening{})
	if got := recorded([]pipeline.Trace{simulated(answer(100, pipeline.Opening{})), simulated(step), simulated(unseen), bundle}); got != nil || !got.section().empty() {
		t.Errorf("modelled answers, and one over a socket: %+v, want nothing", got)
	}
	bundle, two = simulated(bundle), simulated(two)
	traces := []pipeline.Trace{bundle, two}
	got := recorded(traces)
	if got == nil || got.Bundled.N != 1 || got.Choices != 1 || network(traces) != nil {
		t.Fatalf("%+v, want one of several tokens and one of two choices", got)
	}
	if s := got.section(); s.title != "Recorded answers" || len(s.notes) != 2 {
		t.Errorf("section %+v", s)
	}
}
