package ide

import (
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/document"
	"halfsecond/simulators/ide/typing"
)

// Where the first text that a key could show came from.
const (
	sourceNone    = "none"
	sourceNetwork = "network"
	sourceReuse   = pipeline.SourceReuse
)

// key is a key whose trace is still open. The trace and what nearly every trace
// has are one block of memory.
type key struct {
	pipeline.Trace
	spans [2]pipeline.Span
	marks [2]pipeline.Mark
	facts [4]pipeline.Fact

	opportunity bool
	verdict     document.Verdict
	source      string
	class       typing.Class
	request     *request // nil when nothing was asked, and again when that has ended
	joined      *request // the request of an earlier key whose text came while this was the last
	past        bool     // something else happened in the editor since
	handed      bool
}

// land marks the first character or line that can be shown for this key.
func (k *key) land(name string, at time.Duration) {
	if k.Mark(name) == pipeline.Unknown {
		k.Marks = append(k.Marks, pipeline.Mark{Name: name, At: at})
		k.End = max(k.End, at)
	}
}

// landed reports whether there was something to show for this key.
func (k *key) landed() bool { return k.Mark(pipeline.MarkFirstCharacter) != pipeline.Unknown }

// take adds the record of the key's request, which has ended.
func (k *key) take(r *pipeline.Request) {
	k.request = nil
	k.Requests = append(k.Requests, *r)
	if r.End != pipeline.Unknown {
		k.End = max(k.End, r.End)
	}
	if r.Outcome != pipeline.OK && r.Outcome != pipeline.Cancelled {
		k.Outcome, k.Reason = r.Outcome, r.Reason
	}
}

// settled reports whether nothing can concern the key any more.
func (k *key) settled() bool { return k.past && k.request == nil && !k.handed }

// finish returns the trace.
func (k *key) finish() *pipeline.Trace {
	k.handed, k.joined = true, nil
	k.facts = [4]pipeline.Fact{
		{Name: pipeline.FactOpportunity, Value: yesNo(k.opportunity)},
		{Name: pipeline.FactVerdict, Value: string(k.verdict)},
		{Name: pipeline.FactSource, Value: k.source},
		{Name: pipeline.FactClass, Value: k.class.String()},
	}
	k.Facts = k.facts[:]
	return &k.Trace
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
