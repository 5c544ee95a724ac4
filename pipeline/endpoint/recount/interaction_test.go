package recount

import (
	"slices"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/exchange"
)

// differences compares a trace, whose records are what the bytes say unless these say others.
func differences(t pipeline.Trace, others ...pipeline.Request) string {
	r, text := &Result{}, ""
	asItSays(r, t)
	if len(others) > 0 {
		says := newTold()
		for _, q := range others {
			says.requests[q.ID] = q
		}
		r = &Result{}
		r.interactions([]pipeline.Trace{t}, says)
	}
	for _, d := range r.Differ {
		text += d.String() + "\n"
	}
	return text
}

// plainRequest is asked at 10 ms; its first output comes at 40 and its last at 90.
func plainRequest() pipeline.Request {
	q := pipeline.NewRequest(1, 10*ms)
	q.Sent, q.FirstOutput, q.FirstText, q.LastOutput, q.End = 11*ms, 40*ms, 60*ms, 90*ms, 95*ms
	return q
}

func plainTrace() pipeline.Trace {
	t := pipeline.Trace{Kind: pipeline.KindBench, Session: 1, Index: 2, Due: 10 * ms, End: 95 * ms, Requests: []pipeline.Request{plainRequest()}}
	first := t.Add(pipeline.Span{Name: pipeline.SpanLLMFirstToken, Start: 10 * ms, End: 40 * ms})
	t.Add(pipeline.Span{Name: pipeline.SpanLLMDecode, Start: 40 * ms, End: 90 * ms}, first)
	return t
}

// TestPlain: the trace of a plain request is due, begins, ends and fails as that does.
func TestPlain(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(t *pipeline.Trace)
		want   string
	}{
		{"as it is", func(*pipeline.Trace) {}, ""},
		{"with another beside", func(t *pipeline.Trace) {
			beside := plainRequest()
			beside.ID, beside.Due, beside.FirstOutput, beside.LastOutput, beside.End = 2, ms, 5*ms, 80*ms, 80*ms
			t.Requests = append(t.Requests, beside)
		}, ""},
		{"its due", func(t *pipeline.Trace) { t.Due = 9 * ms }, "interaction 2 of session 1: due_ns is 9000000 in the trace, 10000000 by its bytes\n"},
		{"its outcome", func(t *pipeline.Trace) { t.Outcome = pipeline.Timeout }, "interaction 2 of session 1: outcome is timeout in the trace, ok by its bytes\n"},
		{"its end, sooner", func(t *pipeline.Trace) { t.End = 94 * ms }, "interaction 2 of session 1: end_ns is 94000000 in the trace, 95000000 or later by its bytes\n"},
		{"its end, taken in turn", func(t *pipeline.Trace) { t.End = 98 * ms }, ""},
		{"its end, later", func(t *pipeline.Trace) { t.End += 6 * time.Second }, "interaction 2 of session 1: end_ns is 6095000000 in the trace, 95000000 or little later by its bytes\n"},
		{"its first token", func(t *pipeline.Trace) { t.Spans[0].Start = 12 * ms }, "interaction 2 of session 1: span llm_first_token, its begin is 12000000 in the trace, 10000000 by its bytes\n"},
		{"its first output", func(t *pipeline.Trace) { t.Spans[0].End = 39 * ms }, "interaction 2 of session 1: span llm_first_token, its end is 39000000 in the trace, 40000000 or later (first_output_ns) by its bytes\n"},
		{"its last output", func(t *pipeline.Trace) { t.Spans[1].End = 89 * ms }, "interaction 2 of session 1: span llm_decode, its end is 89000000 in the trace, 90000000 by its bytes\n"},
	} {
		x := plainTrace()
		c.change(&x)
		if got := differences(x); got != c.want {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.want)
		}
	}
	other := plainRequest()
	other.ID = 7
	if got := differences(plainTrace(), other); got != "" {
		t.Errorf("a trace whose bytes were not read: %s", got)
	}
}

// TestAgainstTheBytes: a trace is compared with what the bytes say, not with its own records:
// one whose records were changed along with it is not right by that.
func TestAgainstTheBytes(t *testing.T) {
	x := plainTrace()
	x.Requests[0].LastOutput, x.Spans[1].End = 80*ms, 80*ms
	const want = "interaction 2 of session 1: span llm_decode, its end is 80000000 in the trace, 90000000 by its bytes\n"
	if got := differences(x, plainRequest()); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// TestKeys: what a key shows had come by then, be it with the request of an earlier key, and a
// request that failed is its failure; one that was given up is not.
func TestKeys(t *testing.T) {
	own := func(mark time.Duration, source string) pipeline.Trace {
		x := plainTrace()
		x.Kind, x.Due = pipeline.KindIDE, 5*ms
		x.Spans[0].End = 60 * ms
		x.Marks = []pipeline.Mark{{Name: pipeline.MarkFirstCharacter, At: mark}}
		x.Facts = []pipeline.Fact{{Name: pipeline.FactSource, Value: source}}
		return x
	}
	joined := own(59*ms, "network")
	joined.Requests, joined.Spans, joined.Uses = nil, nil, []pipeline.Use{{Request: 1, How: "joined"}}
	reused := joined
	reused.Facts = []pipeline.Fact{{Name: pipeline.FactSource, Value: pipeline.SourceReuse}}
	failed, given := own(60*ms, "network"), own(60*ms, "network")
	failed.Requests = slices.Clone(failed.Requests)
	failed.Requests[0].Outcome = pipeline.Truncated
	given.Requests = slices.Clone(given.Requests)
	given.Requests[0].Outcome = pipeline.Cancelled
	for _, c := range []struct {
		name string
		key  pipeline.Trace
		want string
	}{
		{"as it is", own(60*ms, "network"), ""},
		{"too soon", own(59*ms, "network"), "key 2 of session 1: mark first_character is 59000000 in the trace, 60000000 or later (first_text_ns) by its bytes\n"},
		{"too soon, of an earlier key's", joined, "key 2 of session 1: mark first_character is 59000000 in the trace, 60000000 or later (first_text_ns) by its bytes\n"},
		{"typed as suggested", reused, ""},
		{"failed", failed, "key 2 of session 1: outcome is ok in the trace, truncated by its bytes\n"},
		{"given up", given, ""},
	} {
		q := plainRequest()
		if len(c.key.Requests) > 0 {
			q = c.key.Requests[0]
		}
		if got := differences(c.key, q); got != c.want {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestWordless: of a session whose words were not kept, its later turns are in the log too.
func TestWordless(t *testing.T) {
	for _, note := range []string{"turn", "onset"} {
		x := heardSession(1)
		x.Notes = append(x.Notes, exchange.Note{Name: note, At: 500 * ms, N: 3}, exchange.Note{Name: "over", At: 600 * ms, N: 5})
		var tr pipeline.Trace
		for _, id := range []int64{1, 3, 5} {
			tr.Hearings = append(tr.Hearings, pipeline.NewTranscription(id, 0))
		}
		got, err := Traces([]pipeline.Trace{tr}, log(t, exchange.Header{Hashed: true}, 0, x))
		if err != nil || got.Wordless != 2 || got.Missing != 1 || got.Read() != 0 || got.Turns != 0 || !got.Spoken {
			t.Errorf("%s: %+v, error %v; want 2 without words, 1 missing", note, got, err)
		}
	}
}
