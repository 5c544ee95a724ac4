package budgets

import (
	"fmt"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

func TestStages(t *testing.T) {
	traces := turns(100)
	traces[99].Append("log", 3*ms, true, 2) // beside everything
	run := voiceRun(traces)
	run.Header.Stages = []trace.Stage{{Name: "uplink"}, {Name: "playout", Simulated: true}, {Name: "llm_first_token", Component: "x", NoSpread: true}}
	a, err := Analyse(run)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"uplink n 100 critical 1 simulated false", "playout n 0 critical 0 simulated true", "llm_first_token n 100 critical 1 simulated false",
		"vad_wait n 100 critical 1 simulated true", "end_of_turn n 100 critical 1 simulated true",
		"stt_tail n 100 critical 0 simulated true", "tts_first_audio n 100 critical 1 simulated true", "log n 1 critical 0 simulated true",
	}
	for i := range a.Stages {
		s := &a.Stages[i]
		got := fmt.Sprintf("%s n %d critical %v simulated %v", s.Name(), len(s.Pool.Values), s.ShareCritical, s.Simulated)
		if i >= len(want) || got != want[i] {
			t.Errorf("stage %d is %q, want %q", i, got, want[min(i, len(want)-1)])
		}
	}
	if len(a.Stages) != len(want) {
		t.Errorf("%d stages, want %d", len(a.Stages), len(want))
	}
	if s := a.Stages[2]; s.Component != "x" || !s.NoSpread {
		t.Errorf("stage %+v has lost its component", s)
	}
}

func TestExemplars(t *testing.T) {
	names := func(n int) string {
		out := ""
		for _, e := range analyse(t, "voice", turns(n)).Exemplars {
			sum := time.Duration(0)
			for _, s := range e.Path {
				sum += s.For()
			}
			if sum != e.Value {
				t.Errorf("the path of the %s adds up to %v, want %v", e.Name, sum, e.Value)
			}
			out += fmt.Sprintf("%s %d;", e.Name, e.Trace.Index)
		}
		return out
	}
	for n, want := range map[int]string{0: "", 1: "only 1;", 2: "median 1;", 19: "median 10;", 20: "median 10;p95 19;", 100: "median 50;p95 95;"} {
		if got := names(n); got != want {
			t.Errorf("exemplars of %d turns: %q, want %q", n, got, want)
		}
	}
}

// Of interactions that landed alike, the first session and the first index come
// first.
func TestExemplarTies(t *testing.T) {
	traces := []pipeline.Trace{turn(2, 0, 0), turn(1, 0, 0), turn(0, 0, 0)}
	traces[2].Session = 1
	a := analyse(t, "voice", traces)
	if e := a.Exemplars[0].Trace; e.Session != 0 || e.Index != 2 {
		t.Errorf("the median is session %d, index %d, want 0, 2", e.Session, e.Index)
	}
}

func TestAnalyseRefusesABadBudget(t *testing.T) {
	_, err := Analyse(voiceRun(nil, "p95(replay) < 500ms"))
	want := `analyse voice: budget "p95(replay) < 500ms", column 5: found "replay", want a metric; did you mean "reply"?`
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %v", err, want)
	}
}

// A stage that the kind does not know can have a budget when the header or a
// span names it.
func TestBudgetOfAnotherStage(t *testing.T) {
	traces := turns(2)
	traces[0].Append("translate", 3*ms, true)
	traces[1].Append("translate", 5*ms, true)
	if j := analyse(t, "voice", traces, "p50(translate) < 4ms").Judgements[0]; j.Verdict != Pass || j.Value != 3e6 {
		t.Errorf("%+v, want 3 ms to pass", j)
	}
}

func TestCompare(t *testing.T) {
	with := func(sent, pace time.Duration) *Analysis {
		traces := turns(3)
		for i := range traces {
			r := pipeline.NewRequest(1, 0)
			r.Sent, r.FirstOutput, r.LastOutput, r.OutputTokens = ms, ms+sent, ms+sent+10*pace, 11
			traces[i].Requests = append(traces[i].Requests, r)
		}
		return analyse(t, "voice", traces)
	}
	got := ""
	for _, d := range Compare(with(50*ms, 20*ms), with(51*ms, 19*ms)) {
		relative, ok := d.Relative()
		got += fmt.Sprintf("%s %v %v %v %.3f %v;", d.Metric.Name, d.Known, d.NA, d.By(), relative, ok)
	}
	want := "reply true 3 0 0.000 true;service_ttft true 3 1e+06 0.020 true;tpot true 3 -1e+06 -0.050 true;"
	if got != want {
		t.Errorf("Compare = %s, want %s", got, want)
	}
	for _, d := range Compare(with(ms, ms), analyse(t, "voice", nil)) {
		if d.Known {
			t.Errorf("%s against nothing is known", d.Metric.Name)
		}
	}
}
