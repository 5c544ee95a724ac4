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
	const want = "UNMEASURED: the p95 ttft cannot be judged: nothing to observe ttft by (114 answers that ended ok came as one JSON text where a stream was asked for, or had nothing in it)."
	if got := report(t, run).Summary; !strings.HasPrefix(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
	run.Traces[0].Requests[0].FirstOutput = run.Traces[0].Due
	if got := report(t, run).Summary; strings.Contains(got, "one JSON text") {
		t.Errorf("with one stream: %s", got)
	}
}
