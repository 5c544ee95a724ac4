package budgets

import (
	"slices"
	"time"

	"halfsecond/budgets/quality"
	"halfsecond/pipeline"
)

// kind is what budgets knows of a kind of interaction.
type kind struct {
	name   string
	stages []string // the spans it can leave, in the order of the pipeline
	mark   string   // the mark it lands with
	// landing is the metric that counts to the mark. Its values belong one to
	// one to interactions, of returns them.
	landing Metric
	of      func(t *pipeline.Trace) (float64, standing)
	own     []Metric // its other metrics
}

var (
	voice = kind{
		name: pipeline.KindVoice,
		stages: []string{
			pipeline.SpanCapture, pipeline.SpanUplink, pipeline.SpanUplinkLoss, pipeline.SpanJitterBuffer,
			pipeline.SpanVADBacklog, pipeline.SpanVADWait, pipeline.SpanEarlyEnd, pipeline.SpanSTTInterim, pipeline.SpanEndOfTurn, pipeline.SpanSTTQueue, pipeline.SpanSTTTail,
			pipeline.SpanSTTTimer, pipeline.SpanPolicyWait, pipeline.SpanHook, pipeline.SpanCommit,
			pipeline.SpanLLMConnect, pipeline.SpanLLMLoad, pipeline.SpanLLMQueue, pipeline.SpanLLMPrefill, pipeline.SpanLLMReasoning, pipeline.SpanLLMWhole,
			pipeline.SpanWrongGuess, pipeline.SpanToolCall, pipeline.SpanTool, pipeline.SpanGathering, pipeline.SpanLookAhead,
			pipeline.SpanTTSConnect, pipeline.SpanTTSQueue, pipeline.SpanTTSHeld, pipeline.SpanTTSFirstAudio, pipeline.SpanLeading, pipeline.SpanModelAudio,
			pipeline.SpanPostWait, pipeline.SpanPreBuffer, pipeline.SpanFiller, pipeline.SpanFillerPlays, pipeline.SpanFillerWait,
			pipeline.SpanEgress, pipeline.SpanPlayout, pipeline.SpanPlayoutLoss, pipeline.SpanUnderrun,
		},
		mark:    pipeline.MarkReplyHeard,
		landing: latency("reply", replyFormula, "turns", toReply),
		of:      toReply,
		own:     voiceMetrics,
	}
	ide = kind{
		name:    pipeline.KindIDE,
		stages:  []string{pipeline.SpanDebounce, pipeline.SpanLLMLoad, pipeline.SpanLLMFirstToken, pipeline.SpanLLMWhole},
		mark:    pipeline.MarkFirstCharacter,
		landing: latency("ttfc", ttfcFormula, opportunities, toOpportunity),
		of:      toOpportunity,
		own:     slices.Concat(ideMetrics, ghostMetrics, qualityMetrics(quality.DefaultRepair)),
	}
	// bench stands for every other kind: plain requests.
	bench = kind{
		name:    pipeline.KindBench,
		stages:  []string{pipeline.SpanLLMLoad, pipeline.SpanLLMFirstToken, pipeline.SpanLLMDecode, pipeline.SpanLLMWhole},
		mark:    "last_output",
		landing: latency("response", "last output of the last request, or the end of its answer where that came as one text - due of the interaction", "interactions", toResponse),
		of:      toResponse,
	}
)

const (
	replyFormula  = "first audible sample of the answer heard - end of the user's speech (mark reply_heard - due)"
	ttfcFormula   = "first character that can be shown - the key (mark first_character - due)"
	opportunities = "keys after which the plugin's own rules would ask"
)

// kindOf returns what is known of the kind with that name.
func kindOf(name string) kind {
	switch name {
	case voice.name:
		return voice
	case ide.name:
		return ide
	default:
		return bench
	}
}

// Metrics returns every metric of a kind of interaction ("voice", "ide", or
// anything else for plain requests), the one it lands with first.
func Metrics(kindName string) []Metric {
	k := kindOf(kindName)
	return k.metrics(k.stages)
}

func (k kind) metrics(stages []string) []Metric {
	all := append([]Metric{k.landing}, k.own...)
	for _, s := range stages {
		if !slices.ContainsFunc(k.own, func(m Metric) bool { return m.Name == s }) {
			all = append(all, stageMetric(s))
		}
	}
	all = append(all, requestMetrics...)
	return append(all, okShare, okRate)
}

var okShare = tally("ok_share", Share, "interactions that ended ok / all interactions", "interactions",
	func(t *pipeline.Trace) (float64, standing) { return flag(t.Outcome == pipeline.OK) })

var okRate = Metric{
	Name: "ok_rate", Unit: Rate, Formula: "interactions that ended ok / time of the run", Over: "the whole run", whole: true,
	gather: func(traces []pipeline.Trace, p *Pool) {
		ok := 0
		for i := range traces {
			if traces[i].Outcome == pipeline.OK {
				ok++
			}
		}
		if w := window(traces); w > 0 {
			p.add(float64(ok) / w.Seconds())
		}
	},
}

// window returns the time from the first due instant to the last end.
func window(traces []pipeline.Trace) time.Duration {
	if len(traces) == 0 {
		return 0
	}
	from, to := traces[0].Due, traces[0].End
	for i := range traces {
		from, to = min(from, traces[i].Due), max(to, traces[i].End)
	}
	return to - from
}

// toMark returns the time from due to a mark; without the mark it is missing.
func toMark(t *pipeline.Trace, mark string) (float64, standing) {
	at := pipeline.Since(t.Due, t.Mark(mark))
	if at == pipeline.Unknown {
		return 0, missing
	}
	return float64(at), present
}

func toReply(t *pipeline.Trace) (float64, standing) { return observedIn(t, pipeline.MarkReplyHeard) }

func toResponse(t *pipeline.Trace) (float64, standing) {
	if len(t.Requests) == 0 {
		return 0, missing
	}
	last := &t.Requests[len(t.Requests)-1]
	at := pipeline.Since(t.Due, last.LastOutput)
	if last.Whole() {
		at = pipeline.Since(t.Due, last.End)
	}
	if at == pipeline.Unknown {
		return 0, missing
	}
	return float64(at), present
}

// ideMetrics are those of typing, beside ttfc.
var ideMetrics = []Metric{
	latency("ttfc_shown", ttfcFormula, "keys after which something was shown", func(t *pipeline.Trace) (float64, standing) {
		return ifMarked(t, pipeline.MarkFirstCharacter)
	}),
	latency("first_line", "first whole line that can be shown - the key (mark first_line - due)", "keys after which a line was shown",
		func(t *pipeline.Trace) (float64, standing) { return ifMarked(t, pipeline.MarkFirstLine) }),
	{
		Name: "requests_per_key", Unit: Count, Over: "keys", gather: perKey,
		Formula: "requests sent, those of other steps and guesses ahead too and warm-ups aside / keys",
	},
	{
		Name: "cancelled_share", Unit: Share, Formula: "requests closed before their end / requests sent", Over: "requests sent",
		gather: func(traces []pipeline.Trace, p *Pool) {
			eachRequest(traces, func(r *pipeline.Request) {
				if r.Sent != pipeline.Unknown {
					p.put(flag(r.Outcome == pipeline.Cancelled))
				}
			})
		},
	},
	tally("reuse_share", Share, "of those keys, the ones served from an earlier answer that the user typed as suggested", "keys after which something was shown",
		func(t *pipeline.Trace) (float64, standing) {
			if _, s := ifMarked(t, pipeline.MarkFirstCharacter); s != present {
				return 0, s
			}
			return flag(t.Fact(pipeline.FactSource) == pipeline.SourceReuse)
		}),
}

// perKey gives each key the requests that it sent, and those of the steps that are told of it.
func perKey(traces []pipeline.Trace, p *Pool) {
	keys, steps := apart(traces)
	if len(keys) == 0 {
		return
	}
	requests, people := make([]int, len(keys)), peopleOf(keys)
	for i := range keys {
		requests[i] = sent(&keys[i])
	}
	for i := range steps {
		if s := &steps[i]; s.Fact(pipeline.FactClass) != pipeline.ClassFocus {
			requests[max(0, people.before(s))] += sent(s)
		}
	}
	for _, n := range requests {
		p.add(float64(n))
	}
}

// sent counts the requests of an interaction that went out.
func sent(t *pipeline.Trace) int {
	n := 0
	for i := range t.Requests {
		if t.Requests[i].Sent != pipeline.Unknown {
			n++
		}
	}
	return n
}

var toOpportunity = ofOpportunity(func(t *pipeline.Trace) (float64, standing) { return toMark(t, pipeline.MarkFirstCharacter) })

// ofOpportunity leaves out the keys after which the plugin would not ask.
func ofOpportunity(of func(t *pipeline.Trace) (float64, standing)) func(t *pipeline.Trace) (float64, standing) {
	return func(t *pipeline.Trace) (float64, standing) {
		if t.Fact(pipeline.FactOpportunity) != "yes" {
			return 0, outside
		}
		return of(t)
	}
}

// ifMarked is toMark over the interactions that have the mark.
func ifMarked(t *pipeline.Trace, mark string) (float64, standing) {
	v, s := toMark(t, mark)
	if s == missing {
		return 0, outside
	}
	return v, s
}
