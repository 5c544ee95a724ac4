package report

import (
	"slices"
	"strings"
	"testing"

	"halfsecond/pipeline"
)

// TestBenchOfAnUnfitTester: it says first that nothing can be said, and says nothing else.
func TestBenchOfAnUnfitTester(t *testing.T) {
	run := benchNoisy()
	run.Footer.Lateness.P99 = 40 * ms
	b, err := NewBench(run)
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Conclusions) != 1 || !strings.HasPrefix(b.Conclusions[0], "UNMEASURED: the tester itself ran 40 ms late (p99), no less than the shortest TTFT took (") || b.Unfit == nil {
		t.Errorf("conclusions %q, unfit %v", b.Conclusions, b.Unfit)
	}
	if len(b.Trends)+len(b.Options)+len(b.Duels) > 0 || !b.Measured() {
		t.Errorf("%d trends, %d options, %d duels, measured %v: want the cells alone", len(b.Trends), len(b.Options), len(b.Duels), b.Measured())
	}
}

// TestBenchOfAnswersWithoutOutput: of each cell without figures the notes say why.
func TestBenchOfAnswersWithoutOutput(t *testing.T) {
	b := newBenchRun("endpoint")
	silent := func(prompt int, empty bool) {
		q := &b.ask("a", "baseline", prompt, 20*ms, 4*ms).Requests[0]
		q.FirstOutput, q.LastOutput, q.Empty, q.Chunks = pipeline.Unknown, pipeline.Unknown, empty, 0
	}
	for range 2 {
		silent(10, true)
		silent(20, false)
	}
	b.ask("a", "baseline", 30, 20*ms, 4*ms)
	silent(30, true)
	b.ask("a", "baseline", 40, 20*ms, 4*ms).Requests[0].Unread = 3
	b.ask("a", "baseline", 40, 21*ms, 4*ms)
	bench, err := NewBench(b.Run)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range bench.Notes {
		if strings.Contains(n, "nothing in them") || strings.HasPrefix(n, "No figures") || strings.Contains(n, "could not be read") {
			got = append(got, n)
		}
	}
	want := []string{
		"2 of 2 answers that ended ok had nothing in them, of a, baseline, 10 tokens.",
		"No figures of a, baseline, 20 tokens: 2 requests that ended ok, 0 with a first output; an answer that comes as one text has no instant of its own.",
		"1 of 2 answers that ended ok had nothing in them, of a, baseline, 30 tokens.",
		"No figures of a, baseline, 30 tokens: 2 requests that ended ok, 1 with a first output; a median takes two.",
		"3 events could not be read, in 1 response: not valid JSON, so tokens or counts may be missing.",
	}
	if !slices.Equal(got, want) || bench.Measured() {
		t.Errorf("notes\n%q, want\n%q", got, want)
	}
}
