package report

import (
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

const ms = time.Millisecond

// voiceRun returns n turns on sim whose end-of-turn wait grows by 0.3 ms a turn.
func voiceRun(n int, endOfTurn time.Duration, exprs ...string) trace.Run {
	run := trace.Run{
		Header: trace.Header{
			Scenario: "voice", Kind: "voice", ScenarioHash: "c0ffee0123456789", Target: "sim", Seed: 7, N: n, Version: "v0.1.0", Budgets: exprs,
		},
		Footer: trace.Footer{
			N: n, Finished: true, Lateness: trace.Lateness{P50: pipeline.Unknown, P99: pipeline.Unknown, Max: pipeline.Unknown},
		},
	}
	for _, name := range []string{"uplink", "vad_wait", "end_of_turn", "stt_tail", "llm_first_token", "gathering", "tts_first_audio", "playout"} {
		run.Header.Stages = append(run.Header.Stages, trace.Stage{Name: name, Simulated: true})
	}
	for i := range n {
		run.Traces = append(run.Traces, turn(i, endOfTurn+time.Duration(i)*300*time.Microsecond))
	}
	return run
}

func turn(i int, endOfTurn time.Duration) pipeline.Trace {
	t := pipeline.Trace{Kind: "voice", Session: i % 4, Index: i / 4, Due: time.Duration(i) * 3 * time.Second}
	uplink := t.Append("uplink", 20*ms, true)
	silence := t.Append("vad_wait", 40*ms, true, uplink)
	end := t.Append("end_of_turn", endOfTurn, true, silence)
	stt := t.Append("stt_tail", time.Duration(30+i%17)*ms, true, uplink)
	llm := t.Append("llm_first_token", time.Duration(60+i%23)*ms, true, end, stt)
	sentence := t.Append("gathering", 41*ms+234567, true, llm)
	start := t.Spans[sentence].End + 2500*time.Microsecond // a wait that no span explains
	tts := t.Add(pipeline.Span{Name: "tts_first_audio", Start: start, End: start + 80*ms, Simulated: true}, sentence)
	leading := t.Append("leading_silence", 0, true, tts)
	play := t.Append("playout", 25*ms, true, leading)
	t.Append("memory", 700*ms, true, llm) // goes on beside the answer
	t.End = t.Spans[play].End
	t.Marks = []pipeline.Mark{{Name: "reply_heard", At: t.End}}

	r := pipeline.NewRequest(int64(i+1), t.Spans[llm].Start)
	r.Sent, r.FirstOutput, r.LastOutput, r.End = r.Due, t.Spans[llm].End, t.Spans[llm].End+590*ms, t.Spans[llm].End+590*ms
	r.Scheduled = r.Sent + ms
	r.FirstText, r.FirstSeen = r.FirstOutput, r.FirstOutput
	r.PromptTokens, r.OutputTokens, r.TokenSource, r.Simulated = 256, 60, "engine", true
	t.Requests = []pipeline.Request{r}
	return t
}

// shared gives a run a model with a prefix cache that others use too.
func shared(run trace.Run) trace.Run {
	for i := range run.Traces {
		run.Traces[i].Requests[0].CachedTokens = 192
	}
	run.Footer.Background = trace.Background{Requests: 1234, OK: 1230}
	return run
}

// ideRun returns n keys on a mock whose loop was late: every second one is an
// opportunity, every tenth of those is never answered.
func ideRun(n int, exprs ...string) trace.Run {
	run := trace.Run{
		Header: trace.Header{
			Scenario: "ide", Kind: "ide", ScenarioHash: "beef", Target: "mock", Seed: 1, N: n, Version: "v0.1.0", Budgets: exprs,
			Stages: []trace.Stage{{Name: "debounce", Simulated: true}, {Name: "llm_first_token"}},
		},
		Footer: trace.Footer{N: n, Finished: true, Lateness: trace.Lateness{N: 5210, P50: 70_000, P99: 410_000, Max: 1_900_000}},
	}
	for i := range n {
		run.Traces = append(run.Traces, key(i))
	}
	return run
}

func key(i int) pipeline.Trace {
	t := pipeline.Trace{Kind: "ide", Index: i, Due: time.Duration(i) * 200 * ms}
	t.End = t.Due + 190*ms
	t.Facts = []pipeline.Fact{{Name: "opportunity", Value: "no"}}
	wait := t.Append("debounce", 50*ms, true)
	if i%2 == 1 {
		return t
	}
	t.Facts[0].Value = "yes"
	r := pipeline.NewRequest(int64(i+1), t.Spans[wait].End)
	r.Sent = r.Due + 400*time.Microsecond
	if i%20 == 10 {
		r.Outcome, r.Reason = pipeline.Cancelled, "next key"
		t.Requests = []pipeline.Request{r}
		return t
	}
	llm := t.Append("llm_first_token", time.Duration(70+i%60)*ms, false, wait)
	r.FirstByte, r.FirstOutput, r.LastOutput = t.Spans[llm].End, t.Spans[llm].End, t.Spans[llm].End+45*ms
	r.OutputTokens, r.TokenSource, r.Chunks = 10, "usage", 10
	r.Transport = pipeline.NewTransport()
	r.Transport.Status, r.Transport.HTTP, r.Transport.Reused = 200, "1.1", true
	t.Requests = []pipeline.Request{r}
	t.Marks = []pipeline.Mark{
		{Name: "first_character", At: t.Spans[llm].End}, {Name: "shown", At: t.Spans[llm].End}, {Name: "hidden_by_key", At: t.Due + 400*ms},
	}
	t.Facts = append(t.Facts, pipeline.Fact{Name: "verdict", Value: "exact"}, pipeline.Fact{Name: "source", Value: "network"})
	return t
}
