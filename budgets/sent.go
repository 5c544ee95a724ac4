package budgets

import (
	"slices"

	"halfsecond/pipeline"
)

// sentMetric is the metric of turns that others logged. Their clocks stop at the agent, so that
// it is not V2V.
var sentMetric = latency("reply_sent",
	"first audio of the reply leaves the agent - end of the user's speech, as their log has it (mark reply_sent - due): not V2V, for the user hears it later",
	"turns that were imported", toSent)

func toSent(t *pipeline.Trace) (float64, standing) { return observedIn(t, pipeline.MarkReplySent) }

// observedIn is toMark, but for an imported turn that ended ok without the mark: nobody saw
// it, and that is no failure.
func observedIn(t *pipeline.Trace, mark string) (float64, standing) {
	v, s := toMark(t, mark)
	if s == missing && t.Outcome == pipeline.OK && t.Fact(pipeline.FactLog) != "" {
		return 0, unseen
	}
	return v, s
}

// imported returns a kind as its traces have it. Voice turns that were imported have the
// metric reply_sent, and land there where nobody logged when they were heard: so they have a
// waterfall, levers and an owner.
func (k kind) imported(traces []pipeline.Trace) kind {
	has := func(mark string) bool {
		return slices.ContainsFunc(traces, func(t pipeline.Trace) bool { return t.Mark(mark) != pipeline.Unknown })
	}
	if k.name != voice.name || !slices.ContainsFunc(traces, func(t pipeline.Trace) bool { return t.Fact(pipeline.FactLog) != "" }) {
		return k
	}
	other := sentMetric
	if !has(k.mark) && has(pipeline.MarkReplySent) {
		other = k.landing
		k.mark, k.landing, k.of = pipeline.MarkReplySent, sentMetric, toSent
	}
	k.own = append([]Metric{other}, k.own...)
	return k
}
