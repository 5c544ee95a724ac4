package diagnosis

import (
	"fmt"
	"slices"
	"time"

	"halfsecond/budgets"
	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// metricAnchor finds budgets that a dashboard would report as kept and the ear as broken:
// its clock starts when the detector reports the end of speech and stops at the first byte
// of audio. That such a clock says less is always so; it is a failure once it changes the
// verdict.
func metricAnchor(r *run) (Diagnosis, bool) {
	seen, ok := r.dashboard()
	if !ok {
		return Diagnosis{}, false
	}
	d := Diagnosis{ID: MetricAnchor, Cost: pipeline.Unknown, Title: "a clock from the detector's stop to the first byte of audio reports a budget as kept that the ear finds broken", Fix: cureAnchor}
	for i := range r.Judgements {
		ear := &r.Judgements[i]
		if ear.Budget.Metric.Name != r.Landing().Metric.Name || !ear.HasValue || ear.Budget.Limit.Holds(ear.Value) {
			continue
		}
		for k := range seen.Judgements {
			if j := &seen.Judgements[k]; j.Budget.String() == ear.Budget.String() && j.HasValue && j.Budget.Limit.Holds(j.Value) {
				d.Evidence = append(d.Evidence, fmt.Sprintf("%s: %s by such a clock, %s at the ear", ear.Budget, j.Unit().Format(j.Value), ear.Unit().Format(ear.Value)))
				break
			}
		}
	}
	if len(d.Evidence) == 0 {
		return Diagnosis{}, false
	}
	before, behind := r.outside()
	d.Evidence = append(d.Evidence, fmt.Sprintf("it does not see what lies before its start (%s) and behind its end (%s)", figures(before), figures(behind)))
	return d, true
}

// dashboard returns the run as such a clock sees it.
func (r *run) dashboard() (*budgets.Analysis, bool) {
	seen := trace.Run{Header: r.Run.Header, Footer: r.Run.Footer}
	seen.Header.Stages, seen.Header.Budgets = nil, nil
	for i := range r.Judgements {
		if b := r.Judgements[i].Budget; b.Metric.Name == r.Landing().Metric.Name {
			seen.Header.Budgets = append(seen.Header.Budgets, b.String())
		}
	}
	if len(seen.Header.Budgets) == 0 {
		return nil, false
	}
	for _, t := range r.all {
		x := pipeline.Trace{Kind: t.Kind, Session: t.Session, Index: t.Index, Due: t.Due, End: t.End, Late: t.Late, Outcome: t.Outcome, Reason: t.Reason}
		if start, stop := anchors(t); stop != pipeline.Unknown && t.Mark(pipeline.MarkReplyHeard) != pipeline.Unknown {
			x.Due, x.Marks = start, []pipeline.Mark{{Name: pipeline.MarkReplyHeard, At: stop}}
		}
		seen.Traces = append(seen.Traces, x)
	}
	a, err := budgets.Analyse(seen)
	return a, err == nil
}

// anchors returns when such a clock starts and stops in a turn; stop is Unknown where
// either cannot be told.
func anchors(t *pipeline.Trace) (start, stop time.Duration) {
	end := func(names ...string) time.Duration {
		for _, name := range names {
			i := slices.IndexFunc(t.Spans, func(s pipeline.Span) bool { return s.Name == name && s.End != pipeline.Unknown })
			if i >= 0 {
				return t.Spans[i].End
			}
		}
		return pipeline.Unknown
	}
	start = end(pipeline.SpanVADWait, pipeline.SpanEndOfTurn)
	if start == pipeline.Unknown {
		return t.Due, pipeline.Unknown
	}
	return start, end(pipeline.SpanTTSFirstAudio, pipeline.SpanModelAudio)
}

// outside returns what the turns that landed took before the clock starts and after it
// stops.
func (r *run) outside() (before, behind []time.Duration) {
	for i := range r.turns {
		t := &r.turns[i]
		if start, stop := anchors(t.Trace); stop != pipeline.Unknown {
			before, behind = append(before, start-t.Trace.Due), append(behind, t.Trace.Due+t.Value-stop)
		}
	}
	return before, behind
}
