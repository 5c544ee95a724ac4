package report

import (
	"strings"
	"testing"

	"halfsecond/pipeline"
)

// TestOddCounts: a report names answers beyond their limit, and counts that cannot be.
func TestOddCounts(t *testing.T) {
	var traces []pipeline.Trace
	for _, output := range []int{20, 80, 21, pipeline.UnknownCount} {
		r := pipeline.NewRequest(1, 0)
		r.Outcome, r.LimitTokens, r.OutputTokens = pipeline.OK, 20, output
		if output == pipeline.UnknownCount {
			r.Impossible = "an answer of more than 100000000 tokens"
		}
		traces = append(traces, pipeline.Trace{Requests: []pipeline.Request{r}})
	}
	n := network(traces)
	if want := (Overlong{N: 2, Of: 3, Most: 60}); n.Overlong != want {
		t.Errorf("%+v, want %+v", n.Overlong, want)
	}
	got := strings.Join(n.counts(), "\n")
	want := "Longer than asked for: 2 of 3 answers, by 60 tokens at most. The server does not heed the limit that it is given.\n" +
		"Of 1 request the server counted what cannot be, or cannot be read, which is taken as not counted: an answer of more than 100000000 tokens."
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if notes := network(traces[:1]).counts(); notes != nil {
		t.Errorf("an answer of 20 tokens: %q", notes)
	}
}
