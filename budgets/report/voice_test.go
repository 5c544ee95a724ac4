package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"halfsecond/budgets"
	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// callRun returns 120 turns of calls of 3 turns, with all that a voice turn may have: pauses,
// an early request, a tool, a filler, an interruption, holes.
func callRun(exprs ...string) trace.Run {
	run := voiceRun(0, 0, exprs...)
	run.Header.N, run.Header.Stages = 120, nil
	for i := range 120 {
		run.Traces = append(run.Traces, callOf(i))
	}
	run.Footer.N = 120
	return run
}

func callOf(i int) pipeline.Trace {
	t := pipeline.Trace{Kind: pipeline.KindVoice, Session: i / 6, Index: i % 6, Due: time.Duration(i) * 20 * time.Second}
	say := func(name, value string) { t.Facts = append(t.Facts, pipeline.Fact{Name: name, Value: value}) }
	say("turn", fmt.Sprint(i%3+1))
	uplink := t.Append(pipeline.SpanUplink, 40*ms, true)
	stop := t.Append(pipeline.SpanVADWait, 200*ms, true, uplink)
	end := t.Append(pipeline.SpanEndOfTurn, time.Duration(i%7)*10*ms, true, stop)
	final := t.Append(pipeline.SpanSTTTail, time.Duration(240+i%11*5)*ms, true, uplink)
	commit := []pipeline.SpanID{end, final}
	say(pipeline.FactCutIn, [2]string{"no", "yes"}[b(i%30 == 0)])
	asked := commit
	switch {
	case i%10 == 3:
		t.Append(pipeline.SpanWrongGuess, 50*ms, true, stop)
		say(pipeline.FactGuess, "wrong")
		say(pipeline.FactWasted, "630")
	case i%10 == 4:
		asked = []pipeline.SpanID{stop}
		say(pipeline.FactGuess, "right")
	default:
		say(pipeline.FactGuess, "none")
	}
	queue := t.Append(pipeline.SpanLLMQueue, time.Duration(i%5)*4*ms, true, asked...)
	prefill := t.Append(pipeline.SpanLLMPrefill, time.Duration(80+i%3*30)*ms, true, queue)
	text := t.Append(pipeline.SpanGathering, 45*ms, true, prefill)
	if i%20 == 7 {
		call := t.Append(pipeline.SpanToolCall, 30*ms, true, prefill)
		tool := t.Append(pipeline.SpanTool, 400*ms, true, call)
		second := t.Append(pipeline.SpanLLMPrefill, 90*ms, true, tool)
		text = t.Append(pipeline.SpanGathering, 45*ms, true, second)
		t.Marks = append(t.Marks, pipeline.Mark{Name: pipeline.MarkFillerHeard, At: t.Due + 600*ms})
		t.Append(pipeline.SpanFiller, 200*ms, true, commit...)
	}
	audio := t.Append(pipeline.SpanTTSFirstAudio, time.Duration(150+i%13*6)*ms, true, append(commit, text)...)
	silence := t.Append(pipeline.SpanLeading, 60*ms, true, audio)
	ear := t.Append(pipeline.SpanPlayout, 40*ms, true, silence)
	at := t.Spans[ear].End
	t.Marks = append(t.Marks, pipeline.Mark{Name: pipeline.MarkReplyHeard, At: at})
	switch {
	case i%12 == 5:
		say(pipeline.FactBargeIn, [2]string{"stopped", "false stop"}[b(i%24 == 5)])
		say(pipeline.FactHeardTokens, "12")
		t.Marks = append(t.Marks, pipeline.Mark{Name: pipeline.MarkBargeIn, At: at + time.Second}, pipeline.Mark{Name: pipeline.MarkSilence, At: at + 1250*ms})
	case i%12 == 6:
		say(pipeline.FactBargeIn, "unnoticed")
	default:
		if i%8 == 2 {
			t.Add(pipeline.Span{Name: pipeline.SpanUnderrun, Start: at + 800*ms, End: at + 870*ms, Simulated: true})
		}
		t.Marks = append(t.Marks, pipeline.Mark{Name: pipeline.MarkReplyOver, At: at + 9*time.Second})
	}
	t.End = at + 10*time.Second
	r := pipeline.NewRequest(int64(i+1), t.Spans[queue].Start)
	r.Sent, r.Scheduled, r.FirstOutput, r.LastOutput, r.End = r.Due, t.Spans[queue].End, t.Spans[prefill].End, t.Spans[prefill].End+600*ms, t.Spans[prefill].End+600*ms
	r.PromptTokens, r.CachedTokens, r.OutputTokens, r.TokenSource, r.Simulated = 600+200*(i%3), 500*(i%3), 60, "engine", true
	t.Requests = []pipeline.Request{r}
	return t
}

func b(on bool) int {
	if on {
		return 1
	}
	return 0
}

// more is what is handed in beside the run.
func more() More {
	state := func(p50, p95 time.Duration, cutIn float64) budgets.State {
		return budgets.State{
			P50: p50, P95: p95, CutIn: budgets.Proportion{Value: cutIn, Low: cutIn / 2, High: 2 * cutIn}, CutInKnown: true,
			Figures: []budgets.Figure{{Value: float64(p95), Known: true}},
		}
	}
	gain := func(by, within time.Duration) budgets.Gain {
		return budgets.Gain{Value: float64(by), Known: true, Low: float64(by - within), High: float64(by + within), HasInterval: true}
	}
	point := func(setting float64, p50, p95 time.Duration, cutIn float64) budgets.CurvePoint {
		return budgets.CurvePoint{
			Setting: setting, P50: p50, P95: p95, Now: setting == 300,
			CutIn: budgets.Proportion{Value: cutIn, Low: cutIn / 2, High: 2 * cutIn}, Audible: budgets.Proportion{Value: cutIn / 4, Low: 0, High: cutIn},
		}
	}
	trim := budgets.Change{What: "trim the leading silence to 20 ms", Key: "leading_silence: 20ms", Would: state(600*ms, 700*ms, .03), Gain: gain(40*ms, 0)}
	early := budgets.Change{What: "ask the model before the commit", Key: "guess: {from: vad_stop}", Cost: "requests for nothing", Would: state(610*ms, 690*ms, .03), Gain: gain(50*ms, 10*ms)}
	return More{
		Diagnoses: []Diagnosis{{ID: "leading_silence", Title: "the audio begins with silence", Evidence: []string{"p50 60 ms"}, Fix: "cut it off"}},
		Changes: &budgets.Changes{
			Metric: "reply", Aims: []budgets.Aim{aim("p95(reply) < 600ms")}, Now: state(640*ms, 740*ms, .03), Turns: 120,
			All: []budgets.Change{
				trim, early,
				{What: "a shorter wait", Key: "ending: {fixed: {wait: 100ms}}", Bolder: true, Would: state(500*ms, 560*ms, .3), Gain: gain(180*ms, 20*ms)},
				{What: "another recognizer", Key: "stt_tail: {component: other}", Would: state(640*ms, 735*ms, .03), Gain: gain(5*ms, 20*ms)},
			},
			Best: &budgets.Best{
				Parts: []budgets.Change{early, trim}, Would: state(570*ms, 650*ms, .03),
				Rest: []budgets.Part{{Stage: "stt_tail", Takes: 260 * ms}, {Stage: "tts_first_audio", Takes: 180 * ms}, {Stage: "prefill", Takes: 80 * ms}, {Stage: "uplink", Takes: 40 * ms}},
			},
		},
		Curve: &budgets.Curve{
			Policy: "fixed: wait 300 ms from speech", Setting: "wait", Unit: "ms", Metric: "reply", Turns: 120, Different: 68, Pauses: 120,
			Points: []budgets.CurvePoint{
				point(0, 500*ms, 560*ms, .3), point(100, 560*ms, 640*ms, .2), point(200, 600*ms, 690*ms, .03), point(300, 640*ms, 740*ms, .03), point(600, 900*ms, 990*ms, .01),
			},
		},
	}
}

func TestVoiceGolden(t *testing.T) {
	r := report(t, callRun("p95(reply) < 600ms", "p95(first_sound) < 900ms"))
	r.With(more())
	var table, document bytes.Buffer
	if err := r.Table(&table, Options{}); err != nil {
		t.Fatal(err)
	}
	if err := r.JSON(&document); err != nil {
		t.Fatal(err)
	}
	golden(t, "voice_call.txt", table.Bytes())
	golden(t, "voice_call.json", document.Bytes())
	formats(t, "voice_call", r)
	for line := range strings.Lines(table.String()) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 110 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// The segments of a waterfall follow each other without a gap and add up to V2V.
func TestSegmentsAddUp(t *testing.T) {
	for _, run := range []trace.Run{callRun(), cases()["voice_fail"]} {
		r := report(t, run)
		if len(r.Voice.Waterfalls) != 2 {
			t.Fatalf("%d waterfalls, want those of the median and the p95 turn", len(r.Voice.Waterfalls))
		}
		for _, w := range r.Voice.Waterfalls {
			at := 0.
			for _, s := range w.Segments {
				if math.Abs(s.From-at) > 1e-9 {
					t.Errorf("%s: %s begins at %v, want %v", w.Name, s.Name, s.From, at)
				}
				at += s.For
			}
			if math.Abs(at-w.V2V) > 1e-9 {
				t.Errorf("%s: the segments make %v, want %v", w.Name, at, w.V2V)
			}
		}
	}
}

// What is handed in may be read again from the document.
func TestWith(t *testing.T) {
	r := report(t, callRun("p95(reply) < 600ms"))
	r.With(more())
	var document bytes.Buffer
	if err := r.JSON(&document); err != nil {
		t.Fatal(err)
	}
	var d struct {
		Settings struct {
			Sentence string
			Changes  []struct {
				What string
				Gain struct {
					Value, Low float64
					Matters    bool
				}
			}
		}
		Curve struct {
			Points []struct{ Efficient, Now bool }
		}
		Diagnoses []struct{ ID string }
	}
	if err := json.Unmarshal(document.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	const want = "Changed in 2 settings (ask the model before the commit; trim the leading silence to 20 ms), this stack lands the p95 reply at 650 ms instead of 740 ms, still 50 ms over 600 ms, and cuts in on 3 % of turns as now. \"a shorter wait\" alone brings it to 560 ms, and is left out: it cuts in on 30 % of turns instead of 3 %. More takes other parts: what remains is mostly stt_tail (260 ms), tts_first_audio (180 ms), prefill (80 ms)."
	if d.Settings.Sentence != want {
		t.Errorf("%s\nwant\n%s", d.Settings.Sentence, want)
	}
	if c := d.Settings.Changes; len(c) != 4 || c[0].What != "a shorter wait" || c[0].Gain.Value != 180 || c[0].Gain.Low != 160 || c[1].Gain.Value != 50 || !c[1].Gain.Matters || c[3].Gain.Matters {
		t.Errorf("changes %+v", c)
	}
	efficient := ""
	for _, p := range d.Curve.Points {
		efficient += fmt.Sprintf("%d%d ", b(p.Efficient), b(p.Now))
	}
	if efficient != "10 10 10 01 10 " {
		t.Errorf("efficient and present points %s", efficient)
	}
	if len(d.Diagnoses) != 1 || d.Diagnoses[0].ID != "leading_silence" {
		t.Errorf("diagnoses %+v", d.Diagnoses)
	}
}

// aim is what a budget limits.
func aim(text string) budgets.Aim {
	b, err := budgets.Parse(text, budgets.Metrics(pipeline.KindVoice))
	if err != nil {
		panic(err)
	}
	return budgets.Aim{Budget: b, Limited: true}
}

func TestReach(t *testing.T) {
	state := func(figures ...float64) budgets.State {
		s := budgets.State{P50: 500 * ms, P95: 700 * ms}
		for _, f := range figures {
			s.Figures = append(s.Figures, budgets.Figure{Value: f, Known: f > 0})
		}
		return s
	}
	in := func(s budgets.State, cutIn float64, texts ...string) budgets.State {
		s.CutIn, s.CutInKnown = budgets.Proportion{Value: cutIn}, true
		for i, text := range texts {
			s.Budgets = append(s.Budgets, budgets.Kept{Budget: aim(text).Budget, Figure: s.Figures[i]})
		}
		return s
	}
	best := func(s budgets.State) *budgets.Best {
		return &budgets.Best{Parts: []budgets.Change{{What: "a"}}, Would: s}
	}
	const stop, cut, hits = "p95(barge_in_stop) < 500ms", "mean(cut_in_share) < 10%", "mean(guess_hit_share) >= 90%"
	for name, c := range map[string]struct {
		aims      []string
		now, best budgets.State
		none      bool
		want      string
	}{
		"inside":  {[]string{"p95(reply) < 600ms"}, state(7e8), state(5.8e8), false, "Changed in 1 setting (a), this stack lands the p95 reply at 580 ms instead of 700 ms, 20 ms inside 600 ms."},
		"median":  {[]string{"p50(reply) < 600ms"}, state(5e8), state(4e8), false, "Changed in 1 setting (a), this stack lands the p50 reply at 400 ms instead of 500 ms, 200 ms inside 600 ms."},
		"nothing": {[]string{"p95(reply) < 600ms"}, state(7e8), state(7e8), true, "None of these changes that is sure not to cut in more often brings the p95 reply below 700 ms by as much as matters."},
		"few":     {[]string{"p95(reply) < 600ms"}, state(0), state(0), true, "Too few turns landed for the p95 reply, so nothing is said of what would help."},
		"another": {[]string{stop}, state(6.479e9), state(3e8), false, "Changed in 1 setting (a), this stack has p95(barge_in_stop) at 300 ms instead of 6,479 ms, 200 ms inside 500 ms."},
		"two": {[]string{stop, cut}, in(state(6.479e9, .52), .52, stop, cut), in(state(3e8, .152), .152, stop, cut), false,
			"Changed in 1 setting (a), this stack has p95(barge_in_stop) at 300 ms instead of 6,479 ms, 200 ms inside 500 ms, has mean(cut_in_share) at 15.2 % instead of 52 %, still 5.2 points over 10 %, and cuts in on 15.2 % of turns instead of 52 %. Not kept then: mean(cut_in_share) < 10% (15.2 %)."},
		"both": {[]string{stop, cut}, in(state(6e8, .2), .2, stop, cut), in(state(3e8, .05), .05, stop, cut), false,
			"Changed in 1 setting (a), this stack has p95(barge_in_stop) at 300 ms instead of 600 ms, 200 ms inside 500 ms, has mean(cut_in_share) at 5 % instead of 20 %, 5 points inside 10 %, and cuts in on 5 % of turns instead of 20 %. Every budget is kept then."},
		"more": {[]string{hits}, in(state(.5), .1, hits), in(state(.8), .1, hits), false,
			"Changed in 1 setting (a), this stack has mean(guess_hit_share) at 80 % instead of 50 %, still 10 points short of 90 %, and cuts in on 10 % of turns as now. Not kept then: mean(guess_hit_share) >= 90% (80 %)."},
		"gone": {[]string{hits}, in(state(.5), .1, hits), in(state(0), .1, hits), false,
			"Changed in 1 setting (a), this stack has mean(guess_hit_share) at no known value instead of 50 %, and cuts in on 10 % of turns as now. No longer to be told then: mean(guess_hit_share) >= 90%."},
	} {
		changes := budgets.Changes{Metric: "reply", Now: c.now, Best: best(c.best)}
		for _, a := range c.aims {
			changes.Aims = append(changes.Aims, aim(a))
		}
		if c.none {
			changes.Best = nil
		}
		r := report(t, callRun())
		r.With(More{Changes: &changes})
		if r.Settings.Sentence != c.want {
			t.Errorf("%s: %s\nwant %s", name, r.Settings.Sentence, c.want)
		}
	}
}

// Of a run without pauses, the page says so; of another kind it says nothing.
func TestCutInIsAlwaysSaid(t *testing.T) {
	for kind, want := range map[string]bool{"voice_pass": true, "voice_none": true, "ide_fail": false} {
		var table bytes.Buffer
		if err := report(t, cases()[kind]).Table(&table, Options{}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(table.String(), "cut-in rate: not known, no pauses\n"); got != want {
			t.Errorf("%s: says that the rate is not known: %t, want %t", kind, got, want)
		}
	}
	if v := report(t, ideRun(40)).Voice; v != nil {
		t.Errorf("keys have %+v", v)
	}
}

// TestAside: of a single change that brings more than the best together, or where nothing else
// helps, the sentence says why it is left out; of one that brings hardly more it says nothing.
func TestAside(t *testing.T) {
	state := func(p50 time.Duration, sound float64, cutIn float64, known bool) budgets.State {
		f := budgets.Figure{Value: float64(p50), Known: true}
		return budgets.State{
			P50: p50, P95: p50, Figures: []budgets.Figure{f}, CutIn: budgets.Proportion{Value: cutIn}, CutInKnown: known,
			Budgets: []budgets.Kept{{Budget: aim("p50(reply) < 800ms").Budget, Figure: f}, {Budget: aim("p50(first_sound) < 800ms").Budget, Figure: budgets.Figure{Value: sound * 1e6, Known: true}}},
		}
	}
	const left = ` "no filler" alone brings it to 1,116 ms, and is left out: `
	now := state(1342*ms, 600, .1, true)
	for name, c := range map[string]struct {
		best   *budgets.State // nil for none
		single budgets.State
		bolder bool
		want   string
	}{
		"breaks a budget":       {new(state(1141*ms, 600, .1, true)), state(1116*ms, 1116, .1, true), false, left + "it would break p50(first_sound) < 800ms, which is kept now (1,116 ms then)."},
		"cuts in more":          {new(state(1141*ms, 600, .1, true)), state(1116*ms, 600, .25, true), true, left + "it cuts in on 25 % of turns instead of 10 %."},
		"cuts in, nobody knows": {new(state(1141*ms, 600, .1, true)), state(1116*ms, 600, 0, false), true, left + "it ends turns sooner, and how often that cuts in nobody knows here."},
		"hardly more":           {new(state(1125*ms, 600, .1, true)), state(1116*ms, 1116, .1, true), false, ""},
		"less":                  {new(state(1000*ms, 600, .1, true)), state(1116*ms, 1116, .1, true), false, ""},
		"alone":                 {nil, state(1116*ms, 1116, .1, true), false, "None of these changes that cuts in no more often and breaks no budget that is kept brings the p50 reply below 1,342 ms by as much as matters." + left + "it would break p50(first_sound) < 800ms, which is kept now (1,116 ms then)."},
		"nothing":               {nil, state(1340*ms, 600, .1, true), false, "None of these changes brings the p50 reply below 1,342 ms by as much as matters."},
	} {
		f := 1342e6 - c.single.Figures[0].Value
		x := budgets.Change{What: "no filler", Would: c.single, Bolder: c.bolder, Gain: budgets.Gain{Value: f, Known: true, Low: f, High: f, HasInterval: true}}
		changes := budgets.Changes{Metric: "reply", Aims: []budgets.Aim{aim("p50(reply) < 800ms")}, Now: now, All: []budgets.Change{x}}
		if c.best != nil {
			changes.Best = &budgets.Best{Parts: []budgets.Change{{What: "a"}}, Would: *c.best}
		}
		r := report(t, callRun())
		r.With(More{Changes: &changes})
		got := r.Settings.Sentence
		if c.best != nil {
			got = r.aside(*c.best)
		}
		if got != c.want {
			t.Errorf("%s: %s\nwant %s", name, got, c.want)
		}
	}
}
