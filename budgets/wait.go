package budgets

import (
	"slices"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// behindWait names the stages at which a turn that is there has come through a wait, with it
// or without: a wait of no time leaves no span.
var behindWait = map[string][]string{
	pipeline.SpanUplinkLoss:  {pipeline.SpanUplink},
	pipeline.SpanVADBacklog:  {pipeline.SpanUplink},
	pipeline.SpanSTTQueue:    {pipeline.SpanSTTTail},
	pipeline.SpanPolicyWait:  {pipeline.SpanEndOfTurn},
	pipeline.SpanLLMQueue:    {pipeline.SpanLLMPrefill, pipeline.SpanLLMFirstToken},
	pipeline.SpanLookAhead:   {pipeline.SpanGathering},
	pipeline.SpanTTSHeld:     {pipeline.SpanGathering},
	pipeline.SpanTTSQueue:    {pipeline.SpanTTSFirstAudio},
	pipeline.SpanFillerWait:  {pipeline.SpanFillerPlays},
	pipeline.SpanPlayoutLoss: {pipeline.SpanPlayout},
}

// withWaits has the waits that a run models be 0 where nothing was waited for: it is known
// there that there was no wait. Of what nobody models, a wait that is not there is unknown.
func withWaits(metrics []Metric, stages []trace.Stage) []Metric {
	for i := range metrics {
		m := &metrics[i]
		behind, waits := behindWait[m.Name]
		if waits && m.rests == restsOnStage && slices.ContainsFunc(stages, func(s trace.Stage) bool { return s.Name == m.Name && s.Simulated }) {
			*m = waitMetric(*m, behind)
		}
	}
	return metrics
}

// waitMetric makes that of a wait from that of its spans.
func waitMetric(m Metric, behind []string) Metric {
	spans := m.gather
	m.Formula, m.Over = m.Formula+", 0 where nothing was waited for", "interactions that came to it"
	m.gather = func(traces []pipeline.Trace, p *Pool) {
		spans(traces, p)
		for i := range traces {
			t, came := &traces[i], 0
			for j := range t.Spans {
				switch name := t.Spans[j].Name; {
				case name == m.Name:
					came--
				case slices.Contains(behind, name):
					came++
				}
			}
			for range came {
				p.put(okOnly(t.Outcome)(0, present))
			}
		}
	}
	return m
}
