package study

import (
	"halfsecond/budgets"
	"halfsecond/pipeline"
	"halfsecond/simulators/scenario"
	"halfsecond/simulators/voice"
)

// phase is a part of a turn, in their order, but that words are written down beside the silence
// after them. What a change does to a turn begins in one, and what is over before that can differ
// only by what it does to the load: in a closed loop users speak again sooner, so that a run of as
// many turns is a shorter one, and a backlog that grows with time has grown less by its end. That
// is no gain.
type phase int

const (
	hearing  phase = iota // until speech is at the detector
	writing               // until its words are there, where a recognizer hears it as it comes
	deciding              // until the turn is over
	asking                // until the model has begun to answer
	speaking              // until the voice has begun to speak
	playing               // until the reply is heard, and what comes of it
)

// phaseOf returns the phase that what a metric counts is over in, but for what is the work of workers
// whom all calls share.
func phaseOf(v *scenario.Voice, metric string) phase {
	switch metric {
	case pipeline.SpanCapture, pipeline.SpanUplink, pipeline.SpanUplinkLoss, pipeline.SpanJitterBuffer:
		return hearing
	case pipeline.SpanSTTTail:
		if v.STTFrom == voice.FromVADStop {
			return deciding
		}
		return writing
	case pipeline.SpanSTTInterim:
		return writing
	case pipeline.SpanVADWait, pipeline.SpanEndOfTurn, pipeline.SpanEarlyEnd, pipeline.SpanSTTTimer, pipeline.SpanPolicyWait, budgets.CutInShare:
		return deciding
	case pipeline.SpanHook, pipeline.SpanCommit, pipeline.SpanLLMConnect, pipeline.SpanWrongGuess, pipeline.SpanTool, pipeline.SpanModelAudio:
		return asking
	case pipeline.SpanGathering, pipeline.SpanLookAhead, pipeline.SpanTTSConnect, pipeline.SpanTTSHeld, pipeline.SpanTTSFirstAudio:
		return speaking
	}
	return playing
}

// workers are those that all calls share; as a set, several kinds of them.
type workers uint

const (
	detectors workers = 1 << iota
	recognizers
	models
	voices
	wayToModel // there are none on it, but it is part of what a request takes
)

// workersOf returns whose work a metric is; none where each turn has its own. Whenever turns come to
// it, it is as long as the work of those before, and as its own: but for the load it is shorter only
// with more workers, or less to do for them.
func workersOf(metric string) workers {
	switch metric {
	case pipeline.SpanVADBacklog:
		return detectors
	case pipeline.SpanSTTQueue:
		return recognizers
	case pipeline.SpanLLMQueue, pipeline.SpanLLMLoad, pipeline.SpanLLMPrefill, pipeline.SpanLLMReasoning, pipeline.SpanToolCall, "llm_queue", "llm_prefill",
		"server_queue", "server_load", "server_prefill", "server_decode", "server_total", "tpot", "icl", "longest_gap", "tps":
		return models
	case pipeline.SpanLLMFirstToken, pipeline.SpanLLMWhole, "ttft", "service_ttft", "ttfb", "ttfo", "ttfv", "e2e", "service_e2e", "before_first", "outside_server":
		return models | wayToModel
	case pipeline.SpanTTSQueue:
		return voices
	}
	return 0
}

// reaches reports whether a change of a scenario's settings may serve an aim otherwise than by the
// load: it acts on the work that the aim is of, or before what that counts is over.
func (l *lever) reaches(v *scenario.Voice, m budgets.Aim) bool {
	name := m.Budget.Metric.Name
	if who := workersOf(name); who != 0 {
		return l.work&who != 0
	}
	return l.from <= phaseOf(v, name)
}

// since returns levers that act from a phase of the turn on, and on what workers have to do.
func since(p phase, work workers, groups ...[]lever) (all []lever) {
	for _, of := range groups {
		for _, l := range of {
			l.from, l.work = p, l.work|work
			all = append(all, l)
		}
	}
	return all
}
