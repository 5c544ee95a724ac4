package budgets

import (
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

func pool(t *testing.T, kindName, metric string, traces []pipeline.Trace) Pool {
	t.Helper()
	for _, m := range Metrics(kindName) {
		if m.Name == metric {
			return collect(m, traces)
		}
	}
	t.Fatalf("%s has no metric %s", kindName, metric)
	return Pool{}
}

func check(t *testing.T, p Pool, population int, values ...float64) {
	t.Helper()
	if p.Population != population || !slices.Equal(p.Values, values) {
		t.Errorf("%s = %v of %d, want %v of %d", p.Metric.Name, p.Values, p.Population, values, population)
	}
}

func TestVoiceMetrics(t *testing.T) {
	failed := turn(2, 100*ms, ms)
	failed.Outcome = pipeline.Timeout
	unheard := turn(3, 100*ms, ms)
	unheard.Marks = nil
	open := turn(4, 100*ms, ms)
	open.Spans[3].End = pipeline.Unknown // the transcript never came
	traces := []pipeline.Trace{turn(0, 300*ms, 20*ms), turn(1, 100*ms, 10*ms), failed, unheard, open}

	check(t, pool(t, "voice", "reply", traces), 5, 441e6, 450e6, 660e6)
	check(t, pool(t, "voice", "end_of_turn", traces), 5, 100e6, 100e6, 100e6, 300e6)
	check(t, pool(t, "voice", "stt_tail", traces), 5, 47e6, 47e6, 47e6)
	check(t, pool(t, "voice", "playout", traces), 0)
	check(t, pool(t, "voice", "ok_share", traces), 5, 0, 1, 1, 1, 1)
	// From 0 to the last end at 4 s + 441 ms.
	check(t, pool(t, "voice", "ok_rate", traces), 1, 4/4.441)
}

func TestIDEMetrics(t *testing.T) {
	reused := key(5, false, 0)
	reused.Facts = append(reused.Facts, pipeline.Fact{Name: "source", Value: "typed_as_suggested"}, pipeline.Fact{Name: "verdict", Value: "typed_through"})
	exact := key(1, true, 120*ms, pipeline.OK)
	exact.Facts = append(exact.Facts, pipeline.Fact{Name: "source", Value: "network"}, pipeline.Fact{Name: "verdict", Value: "exact"})
	exact.Marks = append(exact.Marks, pipeline.Mark{Name: "first_line", At: exact.Due + 180*ms},
		pipeline.Mark{Name: "shown", At: exact.Due + 120*ms}, pipeline.Mark{Name: "hidden_by_key", At: exact.Due + 419*ms})
	diverged := key(2, true, -1, pipeline.OK)
	diverged.Facts = append(diverged.Facts, pipeline.Fact{Name: "verdict", Value: "diverged"})
	traces := []pipeline.Trace{
		key(0, false, -1), exact, diverged, key(3, true, -1, pipeline.Cancelled), key(4, false, 90*ms, pipeline.Cancelled, pipeline.OK), reused,
	}

	check(t, pool(t, "ide", "ttfc", traces), 3, 120e6)
	check(t, pool(t, "ide", "ttfc_shown", traces), 3, 0, 90e6, 120e6)
	check(t, pool(t, "ide", "first_line", traces), 1, 180e6)
	check(t, pool(t, "ide", "requests_per_key", traces), 6, 0, 0, 1, 1, 1, 2)
	check(t, pool(t, "ide", "cancelled_share", traces), 5, 0, 0, 0, 1, 1)
	check(t, pool(t, "ide", "useful_share", traces), 3, 0, 0, 1)
	check(t, pool(t, "ide", "useful_requests", traces), 5, 0, 0, 0, 0, 1)
	check(t, pool(t, "ide", "useful_answers", traces), 2, 0, 1)
	check(t, pool(t, "ide", "flash_share", traces), 1, 1)
	check(t, pool(t, "ide", "flicker_share", traces), 1, 0)
	check(t, pool(t, "ide", "reuse_share", traces), 3, 0, 0, 1)
}

// Requests a key are all that were sent, whoever led to them: those of a step or a guess are told of
// the key before it, and in a run of one person's steps of the first key there is. Warm-ups and what
// the tester never let go are none.
func TestRequestsPerKey(t *testing.T) {
	step := func(session int, due time.Duration, class string, requests int) pipeline.Trace {
		s := at(pipeline.KindStep, session, due)
		s.Facts = []pipeline.Fact{{Name: pipeline.FactClass, Value: class}}
		for range requests {
			r := pipeline.NewRequest(99, due)
			r.Sent = due
			s.Requests = append(s.Requests, r)
		}
		return s
	}
	unsent := step(0, time.Hour, pipeline.ClassInvoke, 1)
	unsent.Requests[0].Sent = pipeline.Unknown
	traces := []pipeline.Trace{
		key(0, true, 50*ms, pipeline.OK), key(1, false, -1), key(2, true, -1, pipeline.Cancelled),
		step(0, time.Hour, pipeline.ClassSpeculation, 2), step(0, 0, pipeline.ClassMove, 1), step(7, 0, pipeline.ClassInvoke, 3),
		step(0, 0, pipeline.ClassFocus, 9), unsent,
	}
	check(t, pool(t, "ide", "requests_per_key", traces), 3, 0, 3, 5)
	a, err := Analyse(trace.Run{Header: trace.Header{Kind: "ide", Scenario: "by hand", Target: "sim"}, Traces: traces})
	if err != nil {
		t.Fatal(err)
	}
	p := a.Pool("requests_per_key")
	check(t, *p, 3, 0, 3, 5)
	if sum := p.Values[0] + p.Values[1] + p.Values[2]; sum != float64(a.Ghost().Sent()) {
		t.Errorf("%v requests by the metric, %d on the page", sum, a.Ghost().Sent())
	}
	for i, want := range []float64{5, 0, 3} {
		if got := a.Split(p.Metric)[i].Values; len(got) != 1 || got[0] != want {
			t.Errorf("key %d gives %v requests to a comparison, want %v", i, got, want)
		}
	}
	check(t, pool(t, "ide", "requests_per_key", traces[3:]), 0)
}

func TestRequestMetrics(t *testing.T) {
	const due = 10 * time.Second
	whole := pipeline.NewRequest(1, due)
	whole.Sent, whole.Scheduled, whole.FirstByte = due+2*ms, due+30*ms, due+31*ms
	whole.FirstOutput, whole.FirstText, whole.FirstSeen, whole.LastOutput = due+100*ms, due+120*ms, due+121*ms, due+500*ms
	whole.OutputTokens, whole.PromptTokens, whole.CachedTokens = 11, 64, 48
	burst := whole
	burst.Transport.Burst = true
	burst.OutputTokens = 5
	one := whole
	one.OutputTokens, one.CachedTokens = 1, 0
	uncounted := whole
	uncounted.OutputTokens, uncounted.CachedTokens = pipeline.UnknownCount, pipeline.UnknownCount
	uncounted.Chunks, uncounted.Transport.DNS, uncounted.Transport.Status = 5, 4*ms, 200
	uncounted.Server = pipeline.ServerTime{Queue: 10 * ms, Load: pipeline.Unknown, Prefill: 60 * ms, Decode: pipeline.Unknown, Total: 450 * ms}
	failed := pipeline.NewRequest(2, due)
	failed.Transport.TLS, failed.Transport.Status, failed.Transport.Reused, failed.Server = 9*ms, 500, true, uncounted.Server
	failed.Outcome, failed.PromptTokens, failed.CachedTokens = pipeline.Error, 64, 0
	traces := []pipeline.Trace{
		{Due: due, End: due + time.Second, Requests: []pipeline.Request{whole, burst}},
		{Due: due, End: due + 2*time.Second, Requests: []pipeline.Request{one, uncounted, failed}},
	}

	four := func(v float64) []float64 { return []float64{v, v, v, v} }
	check(t, pool(t, "bench", "ttft", traces), 5, four(100e6)...)
	check(t, pool(t, "bench", "service_ttft", traces), 5, four(98e6)...)
	check(t, pool(t, "bench", "e2e", traces), 5, four(500e6)...)
	check(t, pool(t, "bench", "ttfb", traces), 5, four(31e6)...)
	check(t, pool(t, "bench", "ttfo", traces), 5, four(120e6)...)
	check(t, pool(t, "bench", "ttfv", traces), 5, four(121e6)...)
	check(t, pool(t, "bench", "llm_queue", traces), 5, four(28e6)...)
	check(t, pool(t, "bench", "llm_prefill", traces), 5, four(70e6)...)
	far := whole
	far.Way = pipeline.Way{Out: 10 * ms, Back: 12 * ms} // Scheduled lacks the one, FirstOutput has the other
	check(t, pool(t, "bench", "llm_prefill", []pipeline.Trace{{Requests: []pipeline.Request{far}}}), 1, 48e6)
	check(t, pool(t, "bench", "llm_queue", []pipeline.Trace{{Requests: []pipeline.Request{far}}}), 1, 28e6)
	check(t, pool(t, "bench", "tpot", traces), 2, 40e6) // 400 ms / 10
	check(t, pool(t, "bench", "tps", traces), 2, 25)
	check(t, pool(t, "bench", "aggregate_tps", traces), 1, 17.0/2)
	check(t, pool(t, "bench", "cached_share", traces), 3, 0, .75, .75)
	check(t, pool(t, "bench", "response", traces), 2, 500e6)
	check(t, pool(t, "bench", "icl", traces), 2, 100e6) // 400 ms / 4
	check(t, pool(t, "bench", "service_e2e", traces), 5, four(498e6)...)
	check(t, pool(t, "bench", "dns", traces), 1, 4e6)
	check(t, pool(t, "bench", "connect", traces), 0)
	check(t, pool(t, "bench", "reused_share", traces), 2, 0, 1)
	check(t, pool(t, "bench", "server_queue", traces), 1, 10e6)
	check(t, pool(t, "bench", "server_load", traces), 0)
	check(t, pool(t, "bench", "server_prefill", traces), 1, 60e6)
	check(t, pool(t, "bench", "before_first", traces), 1, 28e6) // 98 - 10 - 60
	check(t, pool(t, "bench", "server_total", traces), 1, 450e6)
	check(t, pool(t, "bench", "outside_server", traces), 1, 48e6)
	if p := pool(t, "bench", "tpot", traces); p.Unseen != 3 {
		t.Errorf("tpot leaves out %d requests, want 3", p.Unseen)
	}
}

// Every gap between chunks that a client saw is a value of icl, and none is lost in a
// mean; where nobody saw them one by one the mean stands for them.
func TestGapsBetweenChunks(t *testing.T) {
	seen := pipeline.NewRequest(1, 0)
	seen.FirstOutput, seen.LastOutput, seen.Chunks = 100*ms, 1100*ms, 5
	seen.Gaps, seen.LongestGap = pipeline.CountGaps([]time.Duration{20 * ms, 0, 20 * ms, 960 * ms})
	simulated := seen
	simulated.Gaps, simulated.LongestGap, simulated.Simulated = nil, pipeline.Unknown, true
	burst := seen
	burst.Transport.Burst = true
	failed := seen
	failed.Outcome = pipeline.Truncated
	traces := []pipeline.Trace{{Requests: []pipeline.Request{seen, simulated, burst, failed}}}
	check(t, pool(t, "bench", "icl", traces), 6, 0, 19_988_480, 19_988_480, 250e6, 960e6)
	check(t, pool(t, "bench", "longest_gap", traces), 2, 960e6)
	for _, metric := range []string{"icl", "longest_gap"} {
		if p, want := pool(t, "bench", metric, traces), map[string]int{"icl": 1, "longest_gap": 2}[metric]; p.Unseen != want {
			t.Errorf("%s leaves out %d requests, want %d", metric, p.Unseen, want)
		}
	}
}

// An answer that came in one read, as one that is no stream does, tells no pace: least of all
// one of no time at all.
func TestPaceOfOneRead(t *testing.T) {
	r := pipeline.NewRequest(1, 0)
	r.FirstOutput, r.LastOutput, r.Chunks, r.OutputTokens = 900*ms, 900*ms, 1, 20
	traces := []pipeline.Trace{{Requests: []pipeline.Request{r}}}
	for _, metric := range []string{"tpot", "tps"} {
		p := pool(t, "bench", metric, traces)
		check(t, p, 0)
		if p.Unseen != 1 {
			t.Errorf("%s leaves out %d requests, want 1", metric, p.Unseen)
		}
	}
}

// Of several choices the tokens are counted together, and the instants are of the first: there
// is no pace.
func TestPaceOfChoices(t *testing.T) {
	r := pipeline.NewRequest(1, 0)
	r.FirstOutput, r.LastOutput, r.Chunks, r.OutputTokens, r.Choices, r.Outcome = 50*ms, 230*ms, 10, 20, 2, pipeline.OK
	traces := []pipeline.Trace{{Requests: []pipeline.Request{r}}}
	for _, metric := range []string{"tpot", "tps"} {
		p := pool(t, "bench", metric, traces)
		if check(t, p, 0); p.Unseen != 1 {
			t.Errorf("%s leaves out %d requests, want 1", metric, p.Unseen)
		}
	}
	check(t, pool(t, "bench", "icl", traces), 1, float64(20*ms))
}

// An answer that came as one text has landed at its end; no stage of it is a first token.
func TestResponseOfOneText(t *testing.T) {
	r := pipeline.NewRequest(1, 10*ms)
	r.Sent, r.FirstByte, r.End, r.OutputTokens, r.Outcome = 11*ms, 310*ms, 311*ms, 3, pipeline.OK
	traces := []pipeline.Trace{{
		Due: 10 * ms, End: 311 * ms, Outcome: pipeline.OK, Requests: []pipeline.Request{r},
		Spans: []pipeline.Span{{Name: pipeline.SpanLLMWhole, Start: 10 * ms, End: 311 * ms}},
	}}
	for metric, want := range map[string]int{"response": 1, "llm_whole": 1, "llm_first_token": 0, "llm_decode": 0, "ttft": 0, "tpot": 0, "e2e": 0} {
		if p := pool(t, "bench", metric, traces); want == 1 {
			check(t, p, 1, float64(301*ms))
		} else {
			check(t, p, 0)
		}
	}
	traces[0].Requests[0].Empty = true
	check(t, pool(t, "bench", "response", traces), 1) // it never came
}

// Every metric says what it is, has a name of its own, and takes nothing at all.
func TestMetricsOfNothing(t *testing.T) {
	for _, kindName := range []string{"voice", "ide", "bench"} {
		names := map[string]bool{}
		for _, m := range Metrics(kindName) {
			if m.Formula == "" || m.Over == "" || names[m.Name] {
				t.Errorf("%s: metric %+v lacks words or a name of its own", kindName, m)
			}
			names[m.Name] = true
			check(t, collect(m, nil), 0)
		}
	}
}

// Goodput is counted by the tightest limit on the landing, else by the first on another
// latency; a pace and a share are none.
func TestGood(t *testing.T) {
	for _, c := range []struct {
		exprs []string
		want  string
	}{
		{[]string{"p95(reply) < 500ms", "share(reply < 400ms) >= 50%", "p95(ttft) < 100ms"}, "reply < 400ms"},
		{[]string{"p95(tpot) < 10ms", "mean(ok_share) >= 99%", "p95(ttft) <= 100ms", "p95(e2e) < 9s"}, "ttft <= 100ms"},
		{[]string{"p95(tpot) < 10ms", "share(reply > 900ms) <= 5%"}, ""},
		{nil, ""},
	} {
		a, err := Analyse(trace.Run{Header: trace.Header{Kind: "voice", Budgets: c.exprs}})
		if err != nil {
			t.Fatal(err)
		}
		m, l, ok := a.Good()
		if got := strings.TrimSpace(m.Name + " " + l.String()); ok != (c.want != "") || ok && got != c.want {
			t.Errorf("%q: goodput by %q, %v, want %q", c.exprs, got, ok, c.want)
		}
	}
}

func TestFormat(t *testing.T) {
	tests := []struct {
		unit Unit
		v    float64
		want string
	}{
		{Duration, 431e6, "431 ms"}, {Duration, 500e6, "500 ms"}, {Duration, 47.24e6, "47.2 ms"}, {Duration, 1.5e6, "1.5 ms"},
		{Duration, 12345, "0.012 ms"}, {Duration, 3_012_400_000, "3,012 ms"}, {Duration, 0, "0 ms"}, {Duration, -293e6, "-293 ms"},
		{Duration, 9_999.4e6, "9,999 ms"}, {Duration, 10e9, "10 s"}, {Duration, 10_029e6, "10.03 s"}, {Duration, -342_817e6, "-342.8 s"}, {Duration, 1_234_567e6, "1,235 s"},
		{Duration, -1e-3, "0 ms"}, {Share, 0.942, "94.2 %"}, {Share, 1, "100 %"}, {Count, 1.204, "1.2"},
		{TokenRate, 28.57, "28.6 tok/s"}, {Rate, 2.5, "2.5 /s"},
	}
	for _, test := range tests {
		if got := test.unit.Format(test.v); got != test.want {
			t.Errorf("%v.Format(%v) = %q, want %q", test.unit, test.v, got, test.want)
		}
	}
}

func TestFormatLike(t *testing.T) {
	for _, test := range []struct {
		v, size float64
		want    string
	}{{213e6, 10e9, "0.213 s"}, {9.8e9, 10e9, "9.8 s"}, {12.345e9, 9e9, "12,345 ms"}} {
		if got := Duration.FormatLike(test.v, test.size); got != test.want {
			t.Errorf("FormatLike(%v, %v) = %q, want %q", test.v, test.size, got, test.want)
		}
	}
}

func TestFormatBeside(t *testing.T) {
	tests := []struct {
		unit             Unit
		v, other         float64
		text, limit, gap string
	}{
		{Duration, 499_999_600, 500e6, "499.9996 ms", "500 ms", "0.0004 ms"},
		{Duration, 793e6, 500e6, "793 ms", "500 ms", "293 ms"},
		{Duration, 428.7e6, 500e6, "429 ms", "500 ms", "71 ms"},
		{Duration, 500e6, 500e6, "500 ms", "500 ms", "0 ms"},
		{Duration, 12_345e6, 500e6, "12.345 s", "0.5 s", "11.845 s"}, // both in one unit
		{Share, 0.49, 0.9, "49 %", "90 %", "41 points"},
		{Count, 1.31, 1.2, "1.31", "1.2", "0.11"},
	}
	for _, test := range tests {
		text, limit, gap := test.unit.FormatBeside(test.v, test.other)
		if text != test.text || limit != test.limit || gap != test.gap {
			t.Errorf("FormatBeside(%v, %v) = %q, %q, %q, want %q, %q, %q", test.v, test.other, text, limit, gap, test.text, test.limit, test.gap)
		}
	}
}

func TestRow(t *testing.T) {
	if got, want := Duration.Row(400e6, 12345, 1e6), []string{"400.00 ms", "0.01 ms", "1.00 ms"}; !slices.Equal(got, want) {
		t.Errorf("Row = %q, want %q", got, want)
	}
	if got, want := Duration.Row(400e6, 342_817e6), []string{"0.4 s", "342.8 s"}; !slices.Equal(got, want) {
		t.Errorf("Row = %q, want %q", got, want)
	}
}
