package recount

import (
	"time"

	"halfsecond/pipeline"
)

// key compares the trace of a key with its request, or with that of an earlier key whose text
// came while this one was the last: what is shown had come by then, and a request that failed
// is the key's failure.
func (t *interaction) key() {
	if t.whole && len(t.Requests) > 0 {
		ends := pipeline.OK
		for i := range t.Requests {
			if o := t.Requests[i].Outcome; o != pipeline.OK && o != pipeline.Cancelled {
				ends = o
			}
		}
		t.ends(ends)
	}
	first := t.shownFrom()
	if first == pipeline.Unknown || t.Fact(pipeline.FactSource) == pipeline.SourceReuse {
		return
	}
	for _, name := range []string{pipeline.MarkFirstCharacter, pipeline.MarkFirstLine} {
		if at := t.Mark(name); at != pipeline.Unknown && at < first {
			t.say("mark "+name, nanos(at), nanos(first)+" or later (first_text_ns)")
		}
	}
}

// shownFrom returns when the first text came that the key could show; Unknown where its
// requests were not read, or brought none.
func (t *interaction) shownFrom() time.Duration {
	from := pipeline.Unknown
	take := func(q pipeline.Request, ok bool) {
		if ok && !q.Simulated && q.FirstText != pipeline.Unknown && (from == pipeline.Unknown || q.FirstText < from) {
			from = q.FirstText
		}
	}
	for i := range t.Requests {
		take(t.Requests[i], t.reads(&t.Requests[i]))
	}
	for _, u := range t.Uses {
		q, ok := t.says.requests[u.Request]
		take(q, ok)
	}
	return from
}
