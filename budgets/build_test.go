package budgets

import (
	"math/rand/v2"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

const ms = time.Millisecond

// turn returns a voice turn in which the end-of-turn wait runs beside the
// transcript's tail, and the answer after both. It lands at
// 20 + max(200+endOfTurn, 47) + llm + 120.
func turn(index int, endOfTurn, llm time.Duration) pipeline.Trace {
	t := pipeline.Trace{Kind: "voice", Index: index, Due: time.Duration(index) * time.Second}
	uplink := t.Append("uplink", 20*ms, true)
	silence := t.Append("vad_wait", 200*ms, true, uplink)
	end := t.Append("end_of_turn", endOfTurn, true, silence)
	stt := t.Append("stt_tail", 47*ms, true, uplink)
	first := t.Append("llm_first_token", llm, true, end, stt)
	tts := t.Append("tts_first_audio", 120*ms, true, first)
	t.End = t.Spans[tts].End
	t.Marks = []pipeline.Mark{{Name: "reply_heard", At: t.End}}
	return t
}

// turns returns n turns whose end-of-turn wait is i ms for i from 1 to n: they
// land at 341+i ms with a model that takes 1 ms.
func turns(n int) []pipeline.Trace {
	var out []pipeline.Trace
	for i := 1; i <= n; i++ {
		out = append(out, turn(i, time.Duration(i)*ms, ms))
	}
	return out
}

func voiceRun(traces []pipeline.Trace, exprs ...string) trace.Run {
	return trace.Run{
		Header: trace.Header{Scenario: "voice", Kind: "voice", Target: "sim", N: len(traces), Budgets: exprs},
		Traces: traces,
		Footer: trace.Footer{N: len(traces), Finished: true, Lateness: trace.Lateness{P50: pipeline.Unknown, P99: pipeline.Unknown, Max: pipeline.Unknown}},
	}
}

// key returns a keystroke. ttfc below 0 means that nothing was shown.
func key(index int, opportunity bool, ttfc time.Duration, requests ...pipeline.Outcome) pipeline.Trace {
	t := pipeline.Trace{Kind: "ide", Index: index, Due: time.Duration(index) * 200 * ms}
	t.End = t.Due + 190*ms
	t.Facts = []pipeline.Fact{{Name: "opportunity", Value: "no"}}
	if opportunity {
		t.Facts[0].Value = "yes"
	}
	for i, o := range requests {
		r := pipeline.NewRequest(int64(100*index+i), t.Due+50*ms)
		r.Sent, r.Outcome = r.Due, o
		t.Requests = append(t.Requests, r)
	}
	if ttfc >= 0 {
		wait := t.Append("debounce", min(ttfc, 50*ms), true)
		t.Append("llm_first_token", max(ttfc-50*ms, 0), true, wait)
		t.Marks = []pipeline.Mark{{Name: "first_character", At: t.Due + ttfc}}
	}
	return t
}

func ideRun(traces []pipeline.Trace, exprs ...string) trace.Run {
	run := voiceRun(traces, exprs...)
	run.Header.Scenario, run.Header.Kind = "ide", "ide"
	return run
}

// anyGraph returns a trace of up to 8 spans of up to 4 names that wait for each
// other at random, some with a gap, and that lands at the end of one of them or
// a little later.
func anyGraph(rng *rand.Rand) pipeline.Trace {
	t := pipeline.Trace{Kind: "voice", Session: rng.IntN(3), Index: rng.IntN(100), Due: time.Duration(rng.IntN(50))}
	names := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	if rng.IntN(3) == 0 {
		names = []string{"a", "b", "c", "a", "b", "c", "d", "a"} // stages that come more than once
	}
	for i := range 1 + rng.IntN(8) {
		var after []pipeline.SpanID
		start := t.Due
		for id := range i {
			if rng.IntN(3) == 0 {
				after = append(after, pipeline.SpanID(id))
				start = max(start, t.Spans[id].End)
			}
		}
		start += time.Duration(rng.IntN(4) / 3 * rng.IntN(9)) // a gap, one time in four
		t.Add(pipeline.Span{Name: names[i], Start: start, End: start + time.Duration(rng.IntN(20))}, after...)
	}
	last := t.Spans[rng.IntN(len(t.Spans))].End
	t.End = last + time.Duration(rng.IntN(3)/2*rng.IntN(9))
	t.Marks = []pipeline.Mark{{Name: "reply_heard", At: t.End}}
	return t
}
