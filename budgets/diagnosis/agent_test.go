package diagnosis

import (
	"testing"
	"time"

	"halfsecond/budgets"
	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

const msec = time.Millisecond

// agent is a voice agent by the lengths of its stages in one turn; those of 0 are not there.
type agent struct {
	uplink, backlog, vad, endOfTurn, policy, stt, timer time.Duration
	sttQueue, ttsQueue                                  time.Duration
	sttAfterVAD                                         bool
	hook, llmConnect, queue, prefill                    time.Duration
	gathering, lookAhead, ttsConnect, held, tts         time.Duration
	leading, fillerPlays, egress, playout               time.Duration
	prompt, cached                                      int
	trip                                                time.Duration // in the queue and the prefill
	every                                               time.Duration // from one turn to the next
	index                                               int
	filler                                              time.Duration // heard so long after due; 0 for none
	bargeIn, noticed, silence                           time.Duration // after the reply is heard; 0 for none
	facts                                               []pipeline.Fact
}

// healthy is an agent with nothing wrong.
func healthy() agent {
	return agent{
		uplink: 40 * msec, vad: 200 * msec, endOfTurn: 12 * msec, stt: 247 * msec, prefill: 98 * msec, gathering: 60 * msec,
		tts: 188 * msec, egress: 10 * msec, playout: 40 * msec, prompt: 1200, cached: 1100, every: 5 * time.Second,
	}
}

func (a agent) turn(due time.Duration) pipeline.Trace {
	t := pipeline.Trace{Kind: pipeline.KindVoice, Index: a.index, Due: due, Facts: a.facts}
	stage := func(name string, d time.Duration, after ...pipeline.SpanID) pipeline.SpanID {
		if d == 0 {
			return after[0]
		}
		return t.Append(name, d, true, after...)
	}
	heard := stage(pipeline.SpanUplink, a.uplink, pipeline.NoSpan)
	stop := stage(pipeline.SpanVADWait, a.vad, stage(pipeline.SpanVADBacklog, a.backlog, heard))
	from := heard
	if a.sttAfterVAD {
		from = stop
	}
	commit := []pipeline.SpanID{stage(pipeline.SpanPolicyWait, a.policy, stage(pipeline.SpanEndOfTurn, a.endOfTurn, stop)), stage(pipeline.SpanSTTTail, a.stt, stage(pipeline.SpanSTTQueue, a.sttQueue, from))}
	if a.timer > 0 {
		commit = append(commit, stage(pipeline.SpanSTTTimer, a.timer, stop))
	}
	at := t.Append(pipeline.SpanHook, a.hook, true, commit...)
	filler := pipeline.NoSpan
	if a.fillerPlays > 0 {
		filler = t.Append(pipeline.SpanFillerPlays, a.fillerPlays, true, at)
	}
	at = stage(pipeline.SpanLLMConnect, a.llmConnect, at)
	q := pipeline.NewRequest(1, t.Spans[at].End)
	at = stage(pipeline.SpanLLMQueue, a.queue, at)
	q.PromptTokens, q.CachedTokens, q.OutputTokens, q.Simulated = a.prompt, a.cached, 50, true
	at = stage(pipeline.SpanLLMPrefill, a.prefill, at)
	q.FirstText, q.Way = t.Spans[at].End, pipeline.Way{Out: a.trip / 2, Back: a.trip / 2}
	at = stage(pipeline.SpanLookAhead, a.lookAhead, stage(pipeline.SpanGathering, a.gathering, at))
	at = stage(pipeline.SpanTTSFirstAudio, a.tts, stage(pipeline.SpanTTSHeld, a.held, stage(pipeline.SpanTTSQueue, a.ttsQueue, stage(pipeline.SpanTTSConnect, a.ttsConnect, at))))
	at = stage(pipeline.SpanLeading, a.leading, at)
	if a.egress > 0 {
		at = t.Append(pipeline.SpanEgress, a.egress, true, at, filler)
	}
	at = stage(pipeline.SpanPlayout, a.playout, at)
	t.End = t.Spans[at].End
	t.Marks = []pipeline.Mark{{Name: pipeline.MarkReplyHeard, At: t.End}}
	if a.filler > 0 {
		t.Marks = append(t.Marks, pipeline.Mark{Name: pipeline.MarkFillerHeard, At: due + a.filler})
	}
	if a.silence > 0 {
		t.Marks = append(t.Marks, pipeline.Mark{Name: pipeline.MarkBargeIn, At: t.End + a.bargeIn}, pipeline.Mark{Name: pipeline.MarkSilence, At: t.End + a.silence})
		if a.noticed > 0 {
			q.Outcome, q.End = pipeline.Cancelled, t.End+a.noticed
		}
	}
	t.Requests = []pipeline.Request{q}
	return t
}

// call returns n turns of one session; change is given each agent and its turn's number.
func call(n int, change func(i int, a *agent)) []pipeline.Trace {
	var traces []pipeline.Trace
	due := time.Second
	for i := range n {
		a := healthy()
		a.index = i
		if change != nil {
			change(i, &a)
		}
		traces = append(traces, a.turn(due))
		due += a.every
	}
	return traces
}

func analysis(t testing.TB, traces []pipeline.Trace, exprs ...string) *budgets.Analysis {
	t.Helper()
	a, err := budgets.Analyse(trace.Run{
		Header: trace.Header{Scenario: "calls", Kind: pipeline.KindVoice, Target: "sim", N: len(traces), Budgets: exprs},
		Traces: traces,
		Footer: trace.Footer{N: len(traces), Finished: true, Lateness: trace.Lateness{P50: pipeline.Unknown, P99: pipeline.Unknown, Max: pipeline.Unknown}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func ids(found []Diagnosis) []string {
	names := []string{}
	for _, d := range found {
		names = append(names, d.ID)
	}
	return names
}
