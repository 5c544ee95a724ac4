package recount

import "halfsecond/pipeline"

// plain compares the trace of a plain request with that: it is due, and ends, as it does. Of an
// answer that streams beside it, which follows it in the trace, there are no stages.
func (t *interaction) plain() {
	if len(t.Requests) == 0 || t.Requests[0].Simulated || !t.reads(&t.Requests[0]) {
		return
	}
	q := &t.Requests[0]
	t.same("due_ns", t.Due, q.Due)
	t.ends(q.Outcome)
	if t.has(pipeline.SpanLLMDecode) && q.LastOutput != pipeline.Unknown {
		t.same("span "+pipeline.SpanLLMDecode+", its end", t.end(pipeline.SpanLLMDecode), q.LastOutput)
	}
}

// ends compares the outcome of a trace with what its records make of it.
func (t *interaction) ends(o pipeline.Outcome) {
	if t.Outcome != o {
		t.say("outcome", t.Outcome.String(), o.String())
	}
}
