package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// calls returns 20 calls of 3 turns, each of which takes 933 ms: 40 to the agent, 247 until
// the transcript is there (the detector is done before), 98 for the model, 60 for a
// sentence, which the voice holds for 250 and speaks after 188, and 50 to the ear. It cuts in
// on every tenth turn, every tenth early request is wrong, the first reply has a hole of
// 120 ms, and every third is spoken into, twice for nothing.
func calls() trace.Run {
	run := trace.Run{
		Header: trace.Header{Scenario: "calls", Kind: pipeline.KindVoice, Target: "sim", N: 60},
		Footer: trace.Footer{N: 60, Finished: true, Lateness: trace.Lateness{P50: pipeline.Unknown, P99: pipeline.Unknown, Max: pipeline.Unknown}},
	}
	for i := range 60 {
		run.Traces = append(run.Traces, ofCall(i))
	}
	return run
}

func ofCall(i int) pipeline.Trace {
	t := pipeline.Trace{Kind: pipeline.KindVoice, Session: i / 3, Index: i % 3, Due: time.Duration(i) * 10 * time.Second}
	uplink := t.Append(pipeline.SpanUplink, 40*ms, true)
	stop := t.Append(pipeline.SpanVADWait, 200*ms, true, uplink)
	final := t.Append(pipeline.SpanSTTTail, 247*ms, true, uplink)
	token := t.Append(pipeline.SpanLLMFirstToken, 98*ms, true, stop, final)
	text := t.Append(pipeline.SpanGathering, 60*ms, true, token)
	held := t.Append(pipeline.SpanTTSHeld, 250*ms, true, text)
	audio := t.Append(pipeline.SpanTTSFirstAudio, 188*ms, true, held)
	sent := t.Append(pipeline.SpanEgress, 10*ms, true, audio)
	ear := t.Append(pipeline.SpanPlayout, 40*ms, true, sent)
	heard := t.Spans[ear].End
	if i == 0 {
		t.Append(pipeline.SpanUnderrun, 120*ms, true, ear)
	}
	t.End = heard + 2*time.Second
	t.Marks = []pipeline.Mark{{Name: pipeline.MarkReplyHeard, At: heard}, {Name: pipeline.MarkReplyOver, At: t.End}}

	fact := func(name, value string) { t.Facts = append(t.Facts, pipeline.Fact{Name: name, Value: value}) }
	guess, cut := "right", "no"
	if i%10 == 9 {
		guess, cut = "wrong", "yes"
		fact(pipeline.FactWasted, "100")
	}
	fact(pipeline.FactGuess, guess)
	fact(pipeline.FactCutIn, cut)
	if i%3 == 2 {
		what := "stopped"
		if i < 6 {
			what = "false stop"
		}
		fact(pipeline.FactBargeIn, what)
		t.Marks = append(t.Marks, pipeline.Mark{Name: pipeline.MarkBargeIn, At: heard + time.Second}, pipeline.Mark{Name: pipeline.MarkSilence, At: heard + 1300*ms})
	}
	q := pipeline.NewRequest(int64(i+1), t.Spans[token].Start)
	q.PromptTokens, q.CachedTokens, q.OutputTokens, q.Simulated = 1000+500*t.Index, 750*t.Index, 50, true
	t.Requests = []pipeline.Request{q}
	return t
}

// pages returns a run's report in its three forms, the terminal page with single spaces
// between words.
func pages(t *testing.T, run trace.Run) (table, markdown string, document map[string]any) {
	t.Helper()
	r, err := New(run)
	if err != nil {
		t.Fatal(err)
	}
	var a, b, c bytes.Buffer
	for _, err := range []error{r.Table(&a, Options{Width: 160}), r.Markdown(&b), r.JSON(&c), json.Unmarshal(c.Bytes(), &document)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return strings.Join(strings.Fields(a.String()), " "), b.String(), document
}

// at follows names and numbers into a document.
func at(document any, keys ...any) any {
	for _, k := range keys {
		switch k := k.(type) {
		case string:
			document = document.(map[string]any)[k]
		case int:
			document = document.([]any)[k]
		}
	}
	return document
}

// TestDiagnosed: what the traces show to be wrong is in all three forms, and nothing is said
// of a run in which nothing is.
func TestDiagnosed(t *testing.T) {
	table, markdown, document := pages(t, calls())
	const title = "the voice holds the first text back until more comes: audio begins after the second call"
	const shows = "tts_held is critical in 100 % of turns (p50 250 ms, p95 250 ms)"
	for _, want := range []string{"tts_held: " + title, "- " + shows, "Fix: "} {
		if !strings.Contains(table, want) {
			t.Errorf("the page lacks %q:\n%s", want, table)
		}
	}
	for _, want := range []string{escape("tts_held: " + title), "- " + escape(shows), "- Fix: "} {
		if !strings.Contains(markdown, want) {
			t.Errorf("the Markdown page lacks %q:\n%s", want, markdown)
		}
	}
	all := at(document, "diagnoses").([]any)
	if len(all) != 1 || at(all, 0, "id") != "tts_held" || at(all, 0, "title") != title || at(all, 0, "evidence", 0) != shows || at(all, 0, "cost_ms") != 250.0 || at(all, 0, "fix") == "" {
		t.Errorf("diagnoses %v", all)
	}
	table, markdown, document = pages(t, voiceRun(40, 90*ms))
	if strings.Contains(table+markdown, "Fix:") || at(document, "diagnoses") != nil {
		t.Errorf("something is wrong with a run in which nothing is:\n%s", table)
	}
}

// TestDashboards: the same 933 ms as others number them, and what each leaves out.
func TestDashboards(t *testing.T) {
	table, markdown, document := pages(t, calls())
	got := map[string]any{}
	for _, d := range at(document, "voice", "dashboards").([]any) {
		if p50 := at(d, "p50"); p50 == at(d, "p95") {
			got[fmt.Sprint(at(d, "framework"), ": ", at(d, "metric"))] = p50
		}
	}
	want := map[string]any{
		"Pipecat: user_bot_latency": 843.0, "Pipecat: user_bot_latency before 0.0.102": 643.0, "Pipecat: user_turn_secs": 247.0,
		"Pipecat: TTFB of STT": 247.0, "Pipecat: TTFB of LLM": 98.0, "Pipecat: text_aggregation": 60.0, "Pipecat: TTFB of TTS": 438.0,
		"LiveKit Agents: e2e_latency": 843.0, "LiveKit Agents: end_of_utterance_delay + ttft + ttfb": 783.0, "LiveKit Agents: transcription_delay": 247.0,
		"LiveKit Agents: end_of_turn_delay": 247.0, "LiveKit Agents: llm_node_ttft": 98.0, "LiveKit Agents: tts_node_ttfb": 438.0, "LiveKit Agents: ttfb of tts_metrics": 438.0,
		"Vapi: turnLatency": 843.0, "Vapi: transcriberLatency": 247.0, "Vapi: endpointingLatency": 0.0, "Vapi: modelLatency": 98.0, "Vapi: voiceLatency": 498.0,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("dashboards %v, want %v", got, want)
	}
	for _, words := range []string{"halfsecond reply 933.0 933.0", "Pipecat user_bot_latency 843.0 843.0 90.0", "LiveKit Agents e2e_latency 843.0 843.0 90.0", "Vapi turnLatency 843.0 843.0 90.0"} {
		if !strings.Contains(table, words) {
			t.Errorf("the page lacks %q:\n%s", words, table)
		}
		if !strings.Contains(plainOf(markdown), words) {
			t.Errorf("the Markdown page lacks %q:\n%s", words, markdown)
		}
	}
	if words := "it leaves out uplink 40.0, playout 40.0, egress 10.0."; !strings.Contains(table, words) {
		t.Errorf("the page lacks %q:\n%s", words, table)
	}
}

// plainOf returns a Markdown page's words, without its bars and escapes.
func plainOf(markdown string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("|", " ", `\`, "").Replace(markdown)), " ")
}

// TestCallTurns: V2V by turn of the call, with its prompts.
func TestCallTurns(t *testing.T) {
	table, markdown, document := pages(t, calls())
	for _, words := range []string{"1 20 933.0 933.0 1,000 0 %", "2 20 933.0 933.0 1,500 50 %", "3 20 933.0 933.0 2,000 75 %"} {
		if !strings.Contains(table, words) {
			t.Errorf("the page lacks %q:\n%s", words, table)
		}
		if !strings.Contains(plainOf(markdown), words) {
			t.Errorf("the Markdown page lacks %q:\n%s", words, markdown)
		}
	}
	want := map[string]any{"turn": 2.0, "to": 2.0, "n": 20.0, "p50": 933.0, "p95": 933.0, "prompt_tokens": 1500.0, "cached_share": .5}
	if got := at(document, "voice", "turns", 1); !reflect.DeepEqual(got, want) {
		t.Errorf("turn 2: %v, want %v", got, want)
	}
	alone := calls()
	for i := range alone.Traces {
		alone.Traces[i].Session, alone.Traces[i].Index = i, 0
	}
	if _, _, document = pages(t, alone); len(at(document, "voice", "turns").([]any)) != 0 {
		t.Error("calls of one turn have a table by turn")
	}
}

// TestCutInBesideLatency: 6 of 60, with Wilson's interval; not known where no pauses are.
func TestCutInBesideLatency(t *testing.T) {
	table, markdown, document := pages(t, calls())
	c := at(document, "voice", "cut_in")
	if got := fmt.Sprintf("%v %.4f %.4f %.4f", at(c, "turns"), at(c, "value"), at(c, "low"), at(c, "high")); got != "60 0.1000 0.0466 0.2015" {
		t.Errorf("cut-ins %s, want 6 of 60: 0.0466 to 0.2015", got)
	}
	for _, page := range []string{table, plainOf(markdown)} {
		if !strings.Contains(strings.ToLower(page), "cut-in rate: 10") {
			t.Errorf("the page lacks the cut-in rate:\n%s", page)
		}
	}
	table, markdown, document = pages(t, voiceRun(40, 90*ms))
	if at(document, "voice", "cut_in") != nil {
		t.Error("a cut-in rate is known without pauses")
	}
	for _, page := range []string{table, plainOf(markdown)} {
		if !strings.Contains(strings.ToLower(page), "cut-in rate: not known") {
			t.Errorf("the page does not say that the cut-in rate is not known:\n%s", page)
		}
	}
}

// TestAsides: what only some turns have, where they have it.
func TestAsides(t *testing.T) {
	_, _, document := pages(t, calls())
	for _, c := range []struct {
		name string
		want map[string]any
	}{
		{"playback", map[string]any{"replies": 60.0, "with_holes": 1.0, "underruns": 1.0, "stalled_ms": 120.0}},
		{"barge_in", map[string]any{"replies": 20.0, "stopped": 18.0, "false_stops": 2.0, "unnoticed": 0.0, "stop_p50": 300.0, "stop_p95": 300.0}},
		{"guess", map[string]any{"turns": 60.0, "right": 54.0, "wrong": 6.0, "wasted_tokens": 600.0}},
	} {
		for key, want := range c.want {
			if got := at(document, "voice", c.name, key); got != want {
				t.Errorf("%s: %s is %v, want %v", c.name, key, got, want)
			}
		}
	}
	table, _, document := pages(t, voiceRun(40, 90*ms))
	for _, name := range []string{"playback", "barge_in", "guess", "tool", "filler"} {
		if at(document, "voice", name) != nil {
			t.Errorf("a run without it has %s", name)
		}
	}
	for _, word := range []string{"Playback:", "Barge-in:", "Guess:", "Filler:", "Tools:"} {
		if strings.Contains(table, word) {
			t.Errorf("the page of a run without it says %s", word)
		}
	}
}

// TestFillerWait: how long an answer waits for a filler's end is told of those that wait.
func TestFillerWait(t *testing.T) {
	run := voiceRun(40, 90*ms)
	run.Header.Stages = append(run.Header.Stages, trace.Stage{Name: pipeline.SpanFillerWait, Simulated: true})
	for i := range run.Traces {
		x := &run.Traces[i]
		x.Marks = append(x.Marks, pipeline.Mark{Name: pipeline.MarkFillerHeard, At: x.Due + 300*ms})
		plays := x.Append(pipeline.SpanFillerPlays, 400*ms, true)
		if i < 10 {
			x.Append(pipeline.SpanFillerWait, time.Duration(201+i)*ms, true, plays)
		}
	}
	table, _, document := pages(t, run)
	if got := []any{at(document, "voice", "filler", "waited"), at(document, "voice", "filler", "wait_p50")}; !reflect.DeepEqual(got, []any{10.0, 205.0}) {
		t.Errorf("waited and wait_p50 are %v, want 10 and 205", got)
	}
	if words := strings.Join(strings.Fields(table), " "); !strings.Contains(words, "in 10 of them the answer waited for its end, p50 205 ms") {
		t.Errorf("the page does not tell the wait of those 10:\n%s", table)
	}
}

// TestRealSpeech: what real services did badly is said: a voice that stutters, and a
// recognizer that never says that its text is final.
func TestRealSpeech(t *testing.T) {
	run := voiceRun(40, 90*ms)
	for i := range run.Traces {
		x := &run.Traces[i]
		s := pipeline.NewSpeech(int64(2*i+1), x.Due)
		s.FirstAudio, s.Samples, s.Rate = x.Due+300*ms, 8000, 8000
		h := pipeline.NewTranscription(int64(2*i+2), x.Due)
		for _, span := range x.Spans {
			if span.Name == pipeline.SpanSTTTail {
				h.End = span.End
			}
		}
		if i < 4 {
			s.Stalled, s.Underruns, h.Flags = 1900*ms, 19, []string{pipeline.FlagNoFinal}
		}
		x.Sayings, x.Hearings = []pipeline.Speech{s}, []pipeline.Transcription{h}
	}
	table, markdown, document := pages(t, run)
	for _, words := range []string{
		"Playback: 4 of 40 replies had holes after they began: 76 underruns, 7,600 ms of silence in all.",
		"Transcripts: in 4 of 40 turns no final text came after the end of speech, and the end of the session stood for it: that wait is in the reply, and in no figure of stt_tail.",
	} {
		if !strings.Contains(table, words) {
			t.Errorf("the page lacks %q:\n%s", words, table)
		}
		if !strings.Contains(plainOf(markdown), words) {
			t.Errorf("the Markdown page lacks %q:\n%s", words, markdown)
		}
	}
	if got, want := at(document, "voice", "transcripts"), map[string]any{"turns": 40.0, "without_final": 4.0}; !reflect.DeepEqual(got, want) {
		t.Errorf("transcripts %v, want %v", got, want)
	}
	if n := at(document, "metrics", "stt_tail", "n"); n != 36.0 {
		t.Errorf("stt_tail has %v values, want 36", n)
	}
}

// TestRealCutIns: a real agent that spoke into a pause is told with how much of that was heard.
func TestRealCutIns(t *testing.T) {
	run := voiceRun(40, 90*ms)
	for i := range run.Traces {
		a := pipeline.NewAnswered(int64(i+1), 0)
		a.CutIns = 0
		said := "no"
		if i == 3 {
			a.CutIns, a.FirstCutIn, a.CutInPlayed, a.CutInDropped, said = 2, 500*ms, 1200*ms, 3400*ms, "yes"
		}
		run.Traces[i].Answers = []pipeline.Answered{a}
		run.Traces[i].Facts = append(run.Traces[i].Facts, pipeline.Fact{Name: pipeline.FactCutIn, Value: said})
	}
	table, _, document := pages(t, run)
	want := map[string]any{"turns": 40.0, "times": 2.0, "heard": 1.0, "played_ms": 1200.0, "dropped_ms": 3400.0}
	if got := at(document, "voice", "cut_in", "real"); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	words := strings.Join(strings.Fields(table), " ")
	if want := "cut-in rate: 2.5 % (95 % interval 0.4 % to 12.9 %) of 40 turns that the agent heard: 2 times, heard in 1 turn, 1,200 ms of sound played and 3,400 ms dropped"; !strings.Contains(words, want) {
		t.Errorf("want %q in\n%s", want, table)
	}
}
