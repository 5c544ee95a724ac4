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
		"LiveKit Agents: end_of_utterance_delay + ttft + ttfb": {604 * ms, "[{leading_silence 150ms} {reasoning 100ms} {tts_connect 55ms} {gathering 40ms} {playout 35ms} {uplink 30ms} {vad_backlog 30ms} {egress 20ms} {post_wait 15ms} {capture 10ms} {look_ahead 10ms} {hook 5ms}]"},
		"LiveKit Agents: transcription_delay":                  {220 * ms, ""},
		"LiveKit Agents: end_of_turn_delay":                    {242 * ms, ""},
		"LiveKit Agents: on_user_turn_completed_delay":         {5 * ms, ""},
		"LiveKit Agents: llm_node_ttft":                        {157 * ms, ""},
		"LiveKit Agents: tts_node_ttfb":                        {205 * ms, ""},
		"LiveKit Agents: ttfb of tts_metrics":                  {205 * ms, ""},
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
	a := analyse(t, chain(0), early(1), filled(2), spoken(3), gridded(4, 217*ms), gridded(5, 150*ms), held(6))
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

// gridded returns a turn whose detector is set to 200 ms and takes so long.
func gridded(index int, takes time.Duration) pipeline.Trace {
	t := pipeline.Trace{Kind: pipeline.KindVoice, Index: index, Due: time.Duration(index) * 10 * time.Second}
	uplink := t.Append(pipeline.SpanUplink, 40*ms, true)
	stop := t.Append(pipeline.SpanVADWait, takes, true, uplink)
	final := t.Append(pipeline.SpanSTTTail, 230*ms, true, uplink)
	first := t.Append(pipeline.SpanLLMFirstToken, 150*ms, true, stop, final)
	audio := t.Append(pipeline.SpanTTSFirstAudio, 80*ms, true, first)
	ear := t.Append(pipeline.SpanPlayout, 40*ms, true, audio)
	t.Marks = []pipeline.Mark{{Name: pipeline.MarkReplyHeard, At: t.Spans[ear].End}}
	t.Facts = []pipeline.Fact{{Name: pipeline.FactVADSilence, Value: "200ms"}}
	return t
}

// held returns a turn of 5,160 ms whose answer is there long before the turn is over.
func held(index int) pipeline.Trace {
	t := pipeline.Trace{Kind: pipeline.KindVoice, Index: index, Due: time.Duration(index) * 10 * time.Second}
	uplink := t.Append(pipeline.SpanUplink, 40*ms, true)
	stop := t.Append(pipeline.SpanVADWait, 200*ms, true, uplink)
	end := t.Append(pipeline.SpanEndOfTurn, 4700*ms, true, stop)
	first := t.Append(pipeline.SpanLLMFirstToken, 150*ms, true, stop)
	text := t.Append(pipeline.SpanGathering, 30*ms, true, first)
	audio := t.Append(pipeline.SpanTTSFirstAudio, 180*ms, true, text, end)
	ear := t.Append(pipeline.SpanPlayout, 40*ms, true, audio)
	t.Marks = []pipeline.Mark{{Name: pipeline.MarkReplyHeard, At: t.Spans[ear].End}}
	return t
}

// TestSilenceAsItIsSet: a framework takes the silence that its detector is set to from the
// detector's stop. At the ear the turns land at 580 ms: a stop at 257 or 190 ms makes 57 or
// -10 ms the end of speech, where it is 40.
func TestSilenceAsItIsSet(t *testing.T) {
	for _, c := range []struct {
		takes time.Duration
		want  map[string]time.Duration
	}{
		{217 * ms, map[string]time.Duration{"Pipecat: user_bot_latency": 443 * ms, "Pipecat: user_turn_secs": 213 * ms, "Pipecat: TTFB of STT": 213 * ms, "LiveKit Agents: e2e_latency": 443 * ms, "LiveKit Agents: transcription_delay": 213 * ms, "Pipecat: user_bot_latency before 0.0.102": 243 * ms}},
		{150 * ms, map[string]time.Duration{"Pipecat: user_bot_latency": 510 * ms, "Pipecat: user_turn_secs": 280 * ms, "Pipecat: TTFB of STT": 280 * ms, "LiveKit Agents: e2e_latency": 510 * ms, "LiveKit Agents: transcription_delay": 280 * ms, "Pipecat: user_bot_latency before 0.0.102": 310 * ms}},
	} {
		for _, m := range dashboard.Metrics() {
			want, ok := c.want[name(m)]
			if !ok {
				continue
			}
			if n, ok := one(t, gridded(0, c.takes), m.Framework, m.Name); !ok || n.Value != want {
				t.Errorf("the detector takes %s: %s is %s, want %s", c.takes, name(m), n.Value, want)
			}
		}
	}
}

// TestTextBeforeTheEnd: the detector takes 57 ms for the end of speech, and the text is there
// at 50. LiveKit makes 0 of that, and Pipecat has no number: turns whose text was soon are not
// left out of the one, and it has no other number for it than for those at the end.
func TestTextBeforeTheEnd(t *testing.T) {
	early := gridded(0, 217*ms)
	early.Spans[2].End = early.Due + 50*ms
	if n, ok := one(t, early, "LiveKit Agents", "transcription_delay"); !ok || n.Value != 0 {
		t.Errorf("transcription_delay is %s, known %t, want 0", n.Value, ok)
	}
	if n, ok := one(t, early, "Pipecat", "TTFB of STT"); ok {
		t.Errorf("TTFB of STT is %s, want none", n.Value)
	}
	for _, n := range dashboard.Numbers(analyse(t, early, gridded(1, 217*ms))) {
		if name(n.Metric) == "LiveKit Agents: transcription_delay" && !slices.Equal(n.Values, []time.Duration{0, 213 * ms}) {
			t.Errorf("transcription_delay is %v, want 0 and 213ms", n.Values)
		}
	}
}

// TestNoFinalText: where the end of a session stands for a final text, no framework has a
// latency of one.
func TestNoFinalText(t *testing.T) {
	x := chain(0)
	h := pipeline.NewTranscription(1, 0)
	h.Flags, h.End = []string{pipeline.FlagNoFinal}, 290*ms
	x.Hearings = []pipeline.Transcription{h}
	for framework, metric := range map[string]string{"Pipecat": "TTFB of STT", "LiveKit Agents": "transcription_delay", "Vapi": "transcriberLatency"} {
		if n, ok := one(t, x, framework, metric); ok {
			t.Errorf("%s is %s", metric, n.Value)
		}
	}
	if n, ok := one(t, x, "Pipecat", "user_bot_latency"); !ok || n.Value != 829*ms {
		t.Errorf("user_bot_latency is %s, want 829ms", n.Value)
	}
}

// TestWaitForTheCommitIsNoVoice: an answer that was made early waits for the end of the turn,
// and that is the latency of no voice.
func TestWaitForTheCommitIsNoVoice(t *testing.T) {
	for metric, want := range map[string]time.Duration{"tts_node_ttfb": 180 * ms, "ttfb of tts_metrics": 180 * ms, "voiceLatency": 180 * ms, "turnLatency": 5230 * ms} {
		framework := "LiveKit Agents"
		if metric == "voiceLatency" || metric == "turnLatency" {
			framework = "Vapi"
		}
		x := held(0)
		x.Append(pipeline.SpanSTTTail, 250*ms, true, 0)
		if n, ok := one(t, x, framework, metric); !ok || n.Value != want {
			t.Errorf("%s is %s, want %s", metric, n.Value, want)
		}
	}
	// A voice that began before the end of the turn took its time from the answer on.
	x := held(0)
	x.Spans[5].Start, x.Spans[5].End = x.Spans[4].End, x.Spans[4].End+180*ms
	if n, ok := one(t, x, "Vapi", "voiceLatency"); !ok || n.Value != 210*ms {
		t.Errorf("voiceLatency of a voice that began early is %s, want 210ms", n.Value)
	}
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

// TestImported: of turns that others logged it is what their own log says of the whole, and
// what that leaves out of voice-to-voice; of a table, whose stages are ours, everything.
func TestImported(t *testing.T) {
	logged := func(log string) pipeline.Trace {
		x := pipeline.Trace{Kind: pipeline.KindVoice, Facts: []pipeline.Fact{{Name: pipeline.FactLog, Value: log}}}
		uplink := x.Append(pipeline.SpanUplink, 30*ms, true)
		first := x.Append(pipeline.SpanLLMFirstToken, 300*ms, false, x.Append(pipeline.SpanEndOfTurn, 400*ms, false, uplink))
		audio := x.Append(pipeline.SpanTTSFirstAudio, 200*ms, false, first)
		ear := x.Append(pipeline.SpanPlayout, 40*ms, true, audio)
		x.Marks = []pipeline.Mark{{Name: pipeline.MarkReplySent, At: x.Spans[audio].End}, {Name: pipeline.MarkReplyHeard, At: x.Spans[ear].End}}
		return x
	}
	for log, want := range map[string]string{
		"vapi":          "Vapi: turnLatency 900ms [{playout 40ms} {uplink 30ms}]",
		"livekit-turns": "LiveKit Agents: e2e_latency 900ms [{playout 40ms} {uplink 30ms}]", "livekit-spans": "LiveKit Agents: e2e_latency 900ms [{playout 40ms} {uplink 30ms}]",
		"pipecat-spans": "Pipecat: user_bot_latency 900ms [{playout 40ms} {uplink 30ms}]", "deepgram-agent": "",
	} {
		got := ""
		for _, n := range dashboard.Numbers(analyse(t, logged(log))) {
			got += fmt.Sprint(name(n.Metric), " ", n.Values[0], " ", n.Left)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", log, got, want)
		}
		unheard := logged(log)
		unheard.Marks = unheard.Marks[:1]
		if n := dashboard.Numbers(analyse(t, unheard)); n != nil {
			t.Errorf("%s: %d numbers beside a V2V that is not known", log, len(n))
		}
	}
	if table, ours := dashboard.Numbers(analyse(t, logged("csv"))), dashboard.Numbers(analyse(t, logged(""))); len(table) != len(ours) || len(table) < 8 {
		t.Errorf("a table has %d numbers, want the %d of turns of our own", len(table), len(ours))
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
