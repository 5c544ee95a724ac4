package dashboard_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"halfsecond/budgets"
	"halfsecond/budgets/dashboard"
	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

const ms = time.Millisecond

// chain returns a turn with every stage that some framework leaves out. Its commit is at
// 40 + 30 + 210 + 12 + 20 = 312 ms, beyond the transcript at 290.
func chain(index int) pipeline.Trace {
	t := pipeline.Trace{Kind: pipeline.KindVoice, Index: index, Due: time.Duration(index) * 10 * time.Second}
	capture := t.Append(pipeline.SpanCapture, 10*ms, true)
	uplink := t.Append(pipeline.SpanUplink, 30*ms, true, capture)
	behind := t.Append(pipeline.SpanVADBacklog, 30*ms, true, uplink)
	stop := t.Append(pipeline.SpanVADWait, 210*ms, true, behind)
	end := t.Append(pipeline.SpanEndOfTurn, 12*ms, true, stop)
	policy := t.Append(pipeline.SpanPolicyWait, 20*ms, true, end)
	final := t.Append(pipeline.SpanSTTTail, 250*ms, true, uplink)
	hook := t.Append(pipeline.SpanHook, 5*ms, true, policy, final)
	connect := t.Append(pipeline.SpanLLMConnect, 60*ms, true, hook)
	queue := t.Append(pipeline.SpanLLMQueue, 7*ms, true, connect)
	prefill := t.Append(pipeline.SpanLLMPrefill, 90*ms, true, queue)
	reasoning := t.Append(pipeline.SpanLLMReasoning, 100*ms, true, prefill)
	gathering := t.Append(pipeline.SpanGathering, 40*ms, true, reasoning)
	look := t.Append(pipeline.SpanLookAhead, 10*ms, true, gathering)
	held := t.Append(pipeline.SpanTTSHeld, 25*ms, true, look)
	voice := t.Append(pipeline.SpanTTSConnect, 55*ms, true, held)
	audio := t.Append(pipeline.SpanTTSFirstAudio, 180*ms, true, voice)
	silence := t.Append(pipeline.SpanLeading, 150*ms, true, audio)
	post := t.Append(pipeline.SpanPostWait, 15*ms, true, silence)
	egress := t.Append(pipeline.SpanEgress, 20*ms, true, post)
	ear := t.Append(pipeline.SpanPlayout, 35*ms, true, egress)
	t.End = t.Spans[ear].End
	t.Marks = []pipeline.Mark{{Name: pipeline.MarkReplyHeard, At: t.End}}
	return t
}

func analyse(t *testing.T, traces ...pipeline.Trace) *budgets.Analysis {
	t.Helper()
	a, err := budgets.Analyse(trace.Run{Header: trace.Header{Kind: pipeline.KindVoice, Target: "sim"}, Traces: traces})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func name(m dashboard.Metric) string { return m.Framework + ": " + m.Name }

// TestNumbers: every metric of the chain, and what those for the whole turn leave out of
// the 1,104 ms that it takes.
func TestNumbers(t *testing.T) {
	want := map[string]struct {
		value time.Duration
		left  string
	}{
		"Pipecat: user_bot_latency":                            {829 * ms, "[{leading_silence 150ms} {playout 35ms} {uplink 30ms} {vad_backlog 30ms} {egress 20ms} {capture 10ms}]"},
		"Pipecat: user_bot_latency before 0.0.102":             {619 * ms, "[{vad_wait 210ms} {leading_silence 150ms} {playout 35ms} {uplink 30ms} {vad_backlog 30ms} {egress 20ms} {capture 10ms}]"},
		"Pipecat: user_turn_secs":                              {242 * ms, ""},
		"Pipecat: TTFB of STT":                                 {220 * ms, ""},
		"Pipecat: TTFB of LLM":                                 {157 * ms, ""},
		"Pipecat: text_aggregation":                            {50 * ms, ""},
		"Pipecat: TTFB of TTS":                                 {260 * ms, ""},
		"LiveKit Agents: e2e_latency":                          {829 * ms, "[{leading_silence 150ms} {playout 35ms} {uplink 30ms} {vad_backlog 30ms} {egress 20ms} {capture 10ms}]"},
		"LiveKit Agents: end_of_utterance_delay + ttft + ttfb": {659 * ms, "[{leading_silence 150ms} {reasoning 100ms} {gathering 40ms} {playout 35ms} {uplink 30ms} {vad_backlog 30ms} {egress 20ms} {post_wait 15ms} {capture 10ms} {look_ahead 10ms} {hook 5ms}]"},
		"LiveKit Agents: transcription_delay":                  {220 * ms, ""},
		"LiveKit Agents: end_of_turn_delay":                    {242 * ms, ""},
		"LiveKit Agents: on_user_turn_completed_delay":         {5 * ms, ""},
		"LiveKit Agents: llm_node_ttft":                        {157 * ms, ""},
		"LiveKit Agents: tts_node_ttfb":                        {310 * ms, ""},
		"LiveKit Agents: ttfb of tts_metrics":                  {260 * ms, ""},
		"Vapi: turnLatency":                                    {739 * ms, "[{leading_silence 150ms} {reasoning 100ms} {playout 35ms} {uplink 30ms} {egress 20ms} {post_wait 15ms} {capture 10ms} {hook 5ms}]"},
		"Vapi: transcriberLatency":                             {250 * ms, ""},
		"Vapi: endpointingLatency":                             {22 * ms, ""},
		"Vapi: modelLatency":                                   {157 * ms, ""},
		"Vapi: voiceLatency":                                   {310 * ms, ""},
	}
	numbers := dashboard.Numbers(analyse(t, chain(0), chain(1)))
	if len(numbers) != len(want) {
		t.Errorf("%d numbers, want %d", len(numbers), len(want))
	}
	for _, n := range numbers {
		w, ok := want[name(n.Metric)]
		if !ok {
			t.Errorf("there is a number %s", name(n.Metric))
			continue
		}
		if !slices.Equal(n.Values, []time.Duration{w.value, w.value}) {
			t.Errorf("%s is %v, want twice %s", name(n.Metric), n.Values, w.value)
		}
		for i := range n.Left {
			n.Left[i].Takes /= 2
		}
		if got := fmt.Sprint(n.Left); n.Metric.Whole && got != w.left {
			t.Errorf("%s leaves out\n%s, want\n%s", name(n.Metric), got, w.left)
		}
	}
}

// Whatever a metric counts, its value, what it leaves out and what it counts twice make
// voice-to-voice, to the nanosecond.
func TestEverythingIsExplained(t *testing.T) {
	a := analyse(t, chain(0), early(1), filled(2), spoken(3))
	for _, m := range dashboard.Metrics() {
		replays, seen := a.Replays(), 0
		for i := range replays {
			n, ok := m.Of(&replays[i])
			if !ok {
				continue
			}
			seen++
			sum := n.Value - n.Twice
			for _, l := range n.Left {
				sum += l.Takes
			}
			if sum != replays[i].Value {
				t.Errorf("%s of turn %d: %s and what is left out make %s, want %s", name(m), replays[i].Trace.Index, n.Value, sum, replays[i].Value)
			}
		}
		if seen == 0 {
			t.Errorf("%s: no turn has it", name(m))
		}
	}
	for _, n := range dashboard.Numbers(a) {
		sum := -n.Twice
		for _, l := range n.Left {
			sum += l.Takes
		}
		if n.Short() != sum {
			t.Errorf("%s is short of voice-to-voice by %s; what is left out makes %s", name(n.Metric), n.Short(), sum)
		}
	}
}

// early returns a turn whose model is asked at the detector's stop, 100 ms before the
// commit: what overlaps counts twice in sums.
func early(index int) pipeline.Trace {
	t := pipeline.Trace{Kind: pipeline.KindVoice, Index: index, Due: time.Duration(index) * 10 * time.Second}
	uplink := t.Append(pipeline.SpanUplink, 40*ms, true)
	stop := t.Append(pipeline.SpanVADWait, 200*ms, true, uplink)
	end := t.Append(pipeline.SpanEndOfTurn, 100*ms, true, stop)
	final := t.Append(pipeline.SpanSTTTail, 240*ms, true, uplink)
	first := t.Append(pipeline.SpanLLMFirstToken, 150*ms, true, stop)
	text := t.Append(pipeline.SpanGathering, 30*ms, true, first)
	audio := t.Append(pipeline.SpanTTSFirstAudio, 80*ms, true, text, end, final)
	ear := t.Append(pipeline.SpanPlayout, 40*ms, true, audio)
	t.Marks = []pipeline.Mark{{Name: pipeline.MarkReplyHeard, At: t.Spans[ear].End}}
	t.Facts = []pipeline.Fact{{Name: pipeline.FactGuess, Value: "right"}}
	return t
}

// filled returns a turn whose filler is heard at 500 ms, with 100 ms on the way.
func filled(index int) pipeline.Trace {
	t := chain(index)
	t.Marks = append(t.Marks, pipeline.Mark{Name: pipeline.MarkFillerHeard, At: t.Due + 500*ms})
	return t
}

// spoken returns a turn of a model that hears and speaks.
func spoken(index int) pipeline.Trace {
	t := pipeline.Trace{Kind: pipeline.KindVoice, Index: index, Due: time.Duration(index) * 10 * time.Second}
	uplink := t.Append(pipeline.SpanUplink, 40*ms, true)
	end := t.Append(pipeline.SpanEndOfTurn, 500*ms, true, uplink)
	audio := t.Append(pipeline.SpanModelAudio, 300*ms, true, end)
	ear := t.Append(pipeline.SpanPlayout, 40*ms, true, audio)
	t.Marks = []pipeline.Mark{{Name: pipeline.MarkReplyHeard, At: t.Spans[ear].End}}
	return t
}

func one(t *testing.T, of pipeline.Trace, framework, metric string) (dashboard.Turn, bool) {
	t.Helper()
	for _, m := range dashboard.Metrics() {
		if m.Framework == framework && m.Name == metric {
			r := analyse(t, of).Replays()
			return m.Of(&r[0])
		}
	}
	t.Fatalf("no metric %s of %s", metric, framework)
	return dashboard.Turn{}, false
}

// A model that is asked before the commit is in LiveKit's end_of_turn_delay and in its
// ttft: 300 + 150 + 80 ms of a turn of 540, of which 100 are there twice.
func TestTwice(t *testing.T) {
	n, ok := one(t, early(0), "LiveKit Agents", "end_of_utterance_delay + ttft + ttfb")
	if !ok || n.Value != 530*ms || n.Twice != 100*ms {
		t.Errorf("%+v, want 530ms with 100ms twice", n)
	}
}

// A dashboard's clock stops at the filler: 500 ms less the 205 ms of silence, egress and
// player, from 70 ms on.
func TestFiller(t *testing.T) {
	n, ok := one(t, filled(0), "Pipecat", "user_bot_latency")
	if !ok || n.Value != 225*ms {
		t.Errorf("%s, want 225ms", n.Value)
	}
}

// A tool has the model asked twice: the numbers are those of the answer.
func TestTool(t *testing.T) {
	x := pipeline.Trace{Kind: pipeline.KindVoice}
	uplink := x.Append(pipeline.SpanUplink, 40*ms, true)
	stop := x.Append(pipeline.SpanVADWait, 200*ms, true, uplink)
	first := x.Append(pipeline.SpanLLMFirstToken, 90*ms, true, stop)
	call := x.Append(pipeline.SpanToolCall, 30*ms, true, first)
	tool := x.Append(pipeline.SpanTool, 500*ms, true, call)
	second := x.Append(pipeline.SpanLLMFirstToken, 110*ms, true, tool)
	audio := x.Append(pipeline.SpanTTSFirstAudio, 80*ms, true, second)
	x.Marks = []pipeline.Mark{{Name: pipeline.MarkReplyHeard, At: x.Spans[audio].End}}
	if n, ok := one(t, x, "Vapi", "modelLatency"); !ok || n.Value != 110*ms {
		t.Errorf("modelLatency %s, want 110ms", n.Value)
	}
	if _, ok := one(t, x, "Vapi", "transcriberLatency"); ok {
		t.Error("there is a latency of a transcriber that there is not")
	}
}

// Turns that others logged have their numbers already.
func TestImported(t *testing.T) {
	x := chain(0)
	x.Facts = []pipeline.Fact{{Name: pipeline.FactLog, Value: "vapi"}}
	if n := dashboard.Numbers(analyse(t, x)); n != nil {
		t.Errorf("%d numbers, want none", len(n))
	}
}

// Every metric says where it was read.
func TestSources(t *testing.T) {
	for _, m := range dashboard.Metrics() {
		if m.Framework == "" || m.Name == "" || m.From == "" || m.To == "" || m.Spans == "" || m.Source == "" {
			t.Errorf("%s lacks words", name(m))
		}
	}
}

func ExampleNumbers() {
	a, err := budgets.Analyse(trace.Run{Header: trace.Header{Kind: pipeline.KindVoice}, Traces: []pipeline.Trace{early(0)}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range dashboard.Numbers(a) {
		if n.Metric.Whole {
			fmt.Println(n.Metric.Framework, n.Metric.Name, n.Values[0], "of", n.V2V)
		}
	}
	// Output:
	// Pipecat user_bot_latency 460ms of 540ms
	// Pipecat user_bot_latency before 0.0.102 260ms of 540ms
	// LiveKit Agents e2e_latency 460ms of 540ms
	// LiveKit Agents end_of_utterance_delay + ttft + ttfb 530ms of 540ms
	// Vapi turnLatency 560ms of 540ms
}
