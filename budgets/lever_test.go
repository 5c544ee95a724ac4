package budgets

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"halfsecond/pipeline"
)

func analyse(t testing.TB, kindName string, traces []pipeline.Trace, exprs ...string) *Analysis {
	t.Helper()
	run := voiceRun(traces, exprs...)
	run.Header.Kind = kindName
	a, err := Analyse(run)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Turns land at 340 + i + 1 ms, i from 1 to 100: the p95 is 436 ms. Each
// stage on the path that is long enough can make up for 36 ms and 1 ns, since
// the limit itself is not inside; the transcript's tail is on no path, and one
// ms of model is not enough.
func TestLevers(t *testing.T) {
	a := analyse(t, "voice", turns(100), "p95(reply) < 400ms")
	j := a.Judgements[0]
	if j.Value != 436e6 || j.Verdict != Fail || j.Margin != -36e6 {
		t.Fatalf("p95 = %v, %v, margin %v, want 436e6, fail, -36e6", j.Value, j.Verdict, j.Margin)
	}
	want := []Lever{
		{Stages: []string{"end_of_turn"}, AtZero: 341e6, Enough: true, Cap: 59*ms - 1, Cut: (861e6 + 42) / 5050e6}, // 59-59 to 100-59, and a ns each
		{Stages: []string{"vad_wait"}, AtZero: 236e6, Enough: true, Cap: 164*ms - 1, Cut: (36e6 + 1) / 200e6},
		{Stages: []string{"tts_first_audio"}, AtZero: 316e6, Enough: true, Cap: 84*ms - 1, Cut: (36e6 + 1) / 120e6},
		{Stages: []string{"uplink"}, AtZero: 416e6, Cap: pipeline.Unknown},
		{Stages: []string{"llm_first_token"}, AtZero: 435e6, Cap: pipeline.Unknown},
		{Stages: []string{"stt_tail"}, AtZero: 436e6, Cap: pipeline.Unknown},
	}
	if !reflect.DeepEqual(j.Levers, want) {
		t.Errorf("levers =\n%+v\nwant\n%+v", j.Levers, want)
	}
}

// Two equal branches: neither alone helps, both together do.
func TestLeverPair(t *testing.T) {
	var traces []pipeline.Trace
	for i := range 20 {
		x := pipeline.Trace{Kind: "voice", Index: i}
		a := x.Append("left", 300*ms, true)
		b := x.Append("right", 300*ms, true)
		c := x.Append("end", 250*ms, true, a, b)
		x.End = x.Spans[c].End
		x.Marks = []pipeline.Mark{{Name: "reply_heard", At: x.End}}
		traces = append(traces, x)
	}
	a := analyse(t, "voice", traces, "p95(reply) < 280ms")
	want := []Lever{
		{Stages: []string{"left", "right"}, AtZero: 250e6, Enough: true, Cap: pipeline.Unknown, Keep: 9, Cut: 0.91}, // 9 % of 300 is 27, 10 % is 30: not inside
		{Stages: []string{"end"}, AtZero: 300e6, Cap: pipeline.Unknown},
		{Stages: []string{"left"}, AtZero: 550e6, Cap: pipeline.Unknown},
		{Stages: []string{"right"}, AtZero: 550e6, Cap: pipeline.Unknown},
	}
	if got := a.Judgements[0].Levers; !reflect.DeepEqual(got, want) {
		t.Errorf("levers =\n%+v\nwant\n%+v", got, want)
	}

	a = analyse(t, "voice", traces, "p95(reply) < 200ms") // left and right leave 250
	for _, l := range a.Judgements[0].Levers {
		if l.Enough || len(l.Stages) > 1 {
			t.Errorf("lever %+v, want none to be enough", l)
		}
	}
}

// A lever on a share moves it up; interactions that never landed stay outside.
func TestLeverOfShare(t *testing.T) {
	var traces []pipeline.Trace
	for i := 1; i <= 90; i++ {
		traces = append(traces, key(i, true, time.Duration(100+i)*ms))
	}
	for i := 91; i <= 100; i++ {
		traces = append(traces, key(i, true, -1))
	}
	a := analyse(t, "ide", traces, "share(ttfc < 150ms) >= 80%")
	j := a.Judgements[0]
	if j.Value != 0.49 || j.Verdict != Fail {
		t.Fatalf("share = %v, %v, want 0.49, fail", j.Value, j.Verdict)
	}
	want := []Lever{
		// The 80th key has a model of 130 ms after a debounce of 50. Above 100 ms are
		// 40 keys of 90, by 1 to 40 ms.
		{Stages: []string{"send_to_text"}, AtZero: 0.9, Enough: true, Cap: 100*ms - 1, Cut: (820e6 + 41) / 8595e6},
		{Stages: []string{"debounce"}, AtZero: 0.9, Enough: true, Cap: 20*ms - 1, Cut: (30e6 + 1) / 50e6},
	}
	if !reflect.DeepEqual(j.Levers, want) {
		t.Errorf("levers =\n%+v\nwant\n%+v", j.Levers, want)
	}
}

func TestLeverOfMeanAndMax(t *testing.T) {
	// Landings 342 to 361 ms, mean 351.5.
	a := analyse(t, "voice", turns(20), "mean(reply) < 350ms", "max(reply) <= 350ms")
	find := func(j Judgement, stage string) Lever {
		i := slices.IndexFunc(j.Levers, func(l Lever) bool { return slices.Equal(l.Stages, []string{stage}) })
		return j.Levers[i]
	}
	// A cap c between 12 and 13 ms on end_of_turn makes the mean
	// 341 + (78 + 8c)/20 ms, and 12.75 ms makes that 350. The mean is rounded to
	// a nanosecond: 8c must stay more than 10 ns below 102 ms.
	mean := find(a.Judgements[0], "end_of_turn")
	if mean.Cap != 12_749_998 || mean.AtZero != 341e6 {
		t.Errorf("mean: %+v, want a cap of 12.749998 ms, and 341 ms at zero", mean)
	}
	if got, want := find(a.Judgements[1], "end_of_turn").Cap, 9*ms; got != want {
		t.Errorf("max: cap %v, want %v", got, want)
	}
}

// On any graphs, and for any kind of budget, the cap is the largest that a
// search through all of them finds, and what is said of zero is so.
func TestLeversAreExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 60 {
		var traces []pipeline.Trace
		for range 20 + rng.IntN(5) {
			traces = append(traces, anyGraph(rng))
		}
		for _, text := range []string{"p50(reply) < 30ns", "p95(reply) <= 60ns", "mean(reply) < 40ns", "max(reply) < 70ns", "share(reply < 25ns) >= 70%"} {
			j := analyse(t, "voice", traces, text).Judgements[0]
			for _, l := range j.Levers {
				if len(l.Stages) == 1 {
					checkLever(t, j, l, traces)
				}
			}
		}
	}
}

func checkLever(t *testing.T, j Judgement, l Lever, traces []pipeline.Trace) {
	t.Helper()
	at := func(limit time.Duration) (value float64, inside bool) {
		capped := make([]pipeline.Trace, len(traces))
		for i := range traces {
			capped[i] = shorten(traces[i], l.Stages[0], limit)
		}
		again := analyse(t, "voice", capped, j.Budget.String()).Judgements[0]
		return again.Value, again.Verdict == Pass
	}
	value, inside := at(0)
	if l.AtZero != value || l.Enough != inside {
		t.Fatalf("%v: %+v, but at zero the value is %v, inside %v", j.Budget, l, value, inside)
	}
	if !l.Enough {
		return
	}
	if _, in := at(l.Cap); !in {
		t.Fatalf("%v: %+v, but with the cap the budget fails", j.Budget, l)
	}
	if _, in := at(l.Cap + 1); in {
		t.Fatalf("%v: %+v, but with a nanosecond more the budget still passes", j.Budget, l)
	}
}

// shorten plays a trace again with one stage capped, by a rule of its own: it
// moves every span to where it would be.
func shorten(x pipeline.Trace, stage string, limit time.Duration) pipeline.Trace {
	last := newGraph(&x, "reply_heard", x.End).last
	x.Spans = slices.Clone(x.Spans)
	x.Spans[last].End = min(x.Spans[last].End, x.End) // what it does after the landing does not matter
	after := x.End - x.Spans[last].End
	spans := slices.Clone(x.Spans)
	for i := range spans {
		start, was := spans[i].Start, time.Duration(-1)
		for _, a := range spans[i].After {
			was = max(was, x.Spans[a].End)
		}
		if was >= 0 {
			start = 0
			for _, a := range spans[i].After {
				start = max(start, spans[a].End)
			}
			start += x.Spans[i].Start - was
		}
		length := x.Spans[i].For()
		if spans[i].Name == stage {
			length = min(length, limit)
		}
		spans[i].Start, spans[i].End = start, start+length
	}
	x.Spans = spans
	x.End = spans[last].End + after
	x.Marks = []pipeline.Mark{{Name: "reply_heard", At: x.End}}
	return x
}

// One budget passes; another is brought inside by one stage; a third takes two,
// which is the most that there is to search.
func BenchmarkAnalyse(b *testing.B) {
	for _, text := range []string{"p95(reply) < 20s", "p95(reply) < 6s", "p95(reply) < 250ms"} {
		b.Run(text, func(b *testing.B) {
			run := voiceRun(turns(10_000), text)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Analyse(run); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestLeverSavesTheLost: an interaction that was given up at a stage lands once
// that stage is shorter than it had been at work.
func TestLeverSavesTheLost(t *testing.T) {
	var traces []pipeline.Trace
	for i := range 10 {
		k := key(i, true, -1, pipeline.Cancelled)
		wait := k.Append("debounce", 50*ms, true)
		k.Add(pipeline.Span{Name: "llm_first_token", Start: k.Due + 50*ms, End: pipeline.Unknown}, wait)
		k.Requests[0].End = k.Due + time.Duration(60+10*i)*ms // at work for 10, 20, ... 100 ms
		traces = append(traces, k)
	}
	for i := range 10 {
		traces = append(traces, key(10+i, true, 200*ms, pipeline.OK)) // at work for 150 ms
	}
	a := analyse(t, "ide", traces, "share(ttfc < 150ms) >= 80%")
	levers := a.Judgements[0].Levers
	if len(levers) == 0 || levers[0].Stages[0] != "send_to_text" || !levers[0].Enough {
		t.Fatalf("levers %+v, want send_to_text to be enough", levers)
	}
	// Six of the ten that were lost have to land: those at work for 50 ms and more.
	if got := levers[0]; got.Cap != 50*ms-1 || got.AtZero != 1 {
		t.Errorf("cap %s, share at zero %v; want 49.999999ms and all", got.Cap, got.AtZero)
	}
	for _, l := range levers[1:] {
		if l.Enough {
			t.Errorf("%v is enough, though no debounce tells when the model answers", l.Stages)
		}
	}
}
