package report

import (
	"strings"
	"testing"

	"halfsecond/pipeline"
)

func TestUnread(t *testing.T) {
	var u Unread
	for _, events := range []int{0, 2, 1} {
		if events > 0 && u.N == 0 && u.words() != "" {
			t.Errorf("%q of nothing", u.words())
		}
		u.add(&pipeline.Request{Unread: events})
	}
	if want := "3 events could not be read, in 2 responses: not valid JSON, so tokens or counts may be missing."; u.words() != want {
		t.Errorf("%q, want %q", u.words(), want)
	}
}

// TestUnstreamedHeadline: where every answer came whole, the headline says so.
func TestUnstreamedHeadline(t *testing.T) {
	run := endpointRun("p95(ttft) < 200ms")
	for i := range run.Traces {
		q := &run.Traces[i].Requests[0]
		q.FirstOutput, q.LastOutput = pipeline.Unknown, pipeline.Unknown
	}
	const want = "UNMEASURED: the p95 ttft cannot be judged: nothing to observe ttft by (114 answers that ended ok came as one JSON text where a stream was asked for)."
	if got := report(t, run).Summary; !strings.HasPrefix(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
	run.Traces[0].Requests[0].FirstOutput = run.Traces[0].Due
	if got := report(t, run).Summary; strings.Contains(got, "one JSON text") {
		t.Errorf("with one stream: %s", got)
	}
}

// TestEmptyHeadline: answers with nothing in them are in the headline whatever the budgets
// say; of completions only where all are such, for a model may have nothing to add.
func TestEmptyHeadline(t *testing.T) {
	run := endpointRun("mean(ok_share) >= 1%", "p95(ttft) < 200ms")
	for i := range run.Traces[:7] {
		q := &run.Traces[i].Requests[0]
		q.FirstOutput, q.LastOutput, q.Empty = pipeline.Unknown, pipeline.Unknown, q.Outcome == pipeline.OK
	}
	r := report(t, run)
	if !strings.HasPrefix(r.Summary, "PASS: ") || !strings.Contains(r.Summary, " 7 of 114 answers that ended ok had nothing in them.") || r.Network.Empty != 7 || r.Network.Untimed != 0 {
		t.Errorf("%s, %+v", r.Summary, r.Network)
	}
	run.Header.Kind = pipeline.KindIDE
	run.Header.Budgets = nil
	if got := report(t, run).Summary; strings.Contains(got, "nothing in them") {
		t.Errorf("some completions: %s", got)
	}
	for i := range run.Traces {
		q := &run.Traces[i].Requests[0]
		q.FirstOutput, q.LastOutput, q.Empty = pipeline.Unknown, pipeline.Unknown, q.Outcome == pipeline.OK
	}
	if got := report(t, run).Summary; !strings.Contains(got, " 114 of 114 answers that ended ok had nothing in them.") {
		t.Errorf("all completions: %s", got)
	}
	run.Header.Kind, run.Header.Budgets = pipeline.KindBench, []string{"p95(ttft) < 200ms"}
	const want = "UNMEASURED: the p95 ttft cannot be judged: nothing to observe ttft by (114 answers that ended ok had nothing in them)."
	if got := report(t, run).Summary; !strings.HasPrefix(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
}
