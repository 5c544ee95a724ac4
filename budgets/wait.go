package budgets

import (
	"slices"
	"strings"
	"unicode"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// behindWait names the stages at which a turn that is there has come through a wait, with it
// or without: a wait of no time leaves no span.
var behindWait = map[string][]string{
	pipeline.SpanCapture:      {pipeline.SpanUplink},
	pipeline.SpanUplinkLoss:   {pipeline.SpanUplink},
	pipeline.SpanJitterBuffer: {pipeline.SpanUplink},
	pipeline.SpanVADBacklog:   {pipeline.SpanUplink},
	pipeline.SpanSTTQueue:     {pipeline.SpanSTTTail},
	pipeline.SpanPolicyWait:   {pipeline.SpanEndOfTurn},
	pipeline.SpanHook:         {pipeline.SpanSTTTail},
	pipeline.SpanLLMQueue:     {pipeline.SpanLLMPrefill, pipeline.SpanLLMFirstToken, pipeline.SpanLLMWhole},
	pipeline.SpanLookAhead:    {pipeline.SpanGathering},
	pipeline.SpanTTSHeld:      {pipeline.SpanGathering},
	pipeline.SpanTTSQueue:     {pipeline.SpanTTSFirstAudio},
	pipeline.SpanLeading:      {pipeline.SpanTTSFirstAudio, pipeline.SpanModelAudio},
	pipeline.SpanPostWait:     {pipeline.SpanPlayout},
	pipeline.SpanPreBuffer:    {pipeline.SpanPlayout},
	pipeline.SpanFillerWait:   {pipeline.SpanFillerPlays},
	pipeline.SpanEgress:       {pipeline.SpanPlayout},
	pipeline.SpanPlayoutLoss:  {pipeline.SpanPlayout},
}

// withNone has what did not happen be 0 where a run knows that: waits, and tokens that were
// wasted where a budget is on them.
func withNone(metrics []Metric, h *trace.Header) []Metric {
	for i := range metrics {
		m := &metrics[i]
		if behind, waits := behindWait[m.Name]; waits && m.rests == restsOnStage && knows(h, m.Name) {
			*m = waitMetric(*m, behind)
		}
		if m.Name == "wasted_tokens" && budgeted(h, m.Name) {
			*m = wastedTokens(true)
		}
		if m.Name == "flash_share" {
			*m = flashShare(leastVisible(h))
		}
		for _, q := range qualityMetrics(repairCost(h)) {
			if q.Name == m.Name {
				*m = q
			}
		}
	}
	return metrics
}

// knows reports whether a wait that left no span took no time: it is part of the model. The
// header has those that the scenario sets; what it leaves out takes no time either, and is
// shown where a budget asks for it. That a model of others queued for a published first token
// is not known, nor is what services of others wait for; silence at the begin of audio is heard.
func knows(h *trace.Header, wait string) bool {
	if i := slices.IndexFunc(h.Stages, func(s trace.Stage) bool { return s.Name == wait }); i >= 0 {
		return h.Stages[i].Simulated
	}
	switch {
	case !budgeted(h, wait):
		return false
	case h.Target == targetSim:
		return wait != pipeline.SpanLLMQueue
	}
	return wait == pipeline.SpanLeading && h.Target != targetImport
}

// The targets of runs in which nothing is real, and of turns that others timed.
const (
	targetSim    = "sim"
	targetImport = "import"
)

// budgeted reports whether a budget is on a metric.
func budgeted(h *trace.Header, metric string) bool {
	apart := func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	return slices.ContainsFunc(h.Budgets, func(b string) bool { return slices.Contains(strings.FieldsFunc(b, apart), metric) })
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
