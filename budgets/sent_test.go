package budgets

import (
	"testing"

	"halfsecond/pipeline"
)

// logged returns an imported turn that was sent at 400 ms, and heard at heard ms where that
// is above 0.
func logged(index int, o pipeline.Outcome, sent, heard int) pipeline.Trace {
	t := pipeline.Trace{Kind: "voice", Index: index, End: pipeline.Unknown, Outcome: o, Facts: []pipeline.Fact{{Name: "log", Value: "csv"}}}
	first := t.Append("llm_first_token", 300*ms, false)
	t.Append("tts_first_audio", 100*ms, false, first)
	if sent > 0 {
		t.Marks = append(t.Marks, pipeline.Mark{Name: "reply_sent", At: 400 * ms})
	}
	if heard > 0 {
		t.Marks = append(t.Marks, pipeline.Mark{Name: "reply_heard", At: 440 * ms})
	}
	return t
}

// TestImported: what was logged at the agent is judged as reply_sent and never as reply, and
// a turn whose log does not say when is no failure.
func TestImported(t *testing.T) {
	at := []pipeline.Trace{logged(0, pipeline.OK, 1, 0), logged(1, pipeline.OK, 0, 0), logged(2, pipeline.Error, 0, 0)}
	a, err := Analyse(voiceRun(at, "max(reply_sent) <= 400ms", "max(reply) <= 400ms", "share(reply_sent <= 1s) >= 50%", "share(reply <= 1s) >= 50%"))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []Verdict{Pass, Unmeasured, Pass, Unmeasured} {
		if j := &a.Judgements[i]; j.Verdict != want {
			t.Errorf("%s is %s (%s), want %s", j.Budget.String(), j.Verdict, j.Reason, want)
		}
	}
	if len(a.Exemplars) != 1 || len(a.Exemplars[0].Path) != 2 || a.Landing().Metric.Name != "reply_sent" {
		t.Errorf("it lands by %s, with the exemplars %+v", a.Landing().Metric.Name, a.Exemplars)
	}

	heard := []pipeline.Trace{logged(0, pipeline.OK, 1, 1)}
	if a, err = Analyse(voiceRun(heard, "max(reply) <= 440ms", "max(reply_sent) <= 400ms")); err != nil || a.Verdict != Pass || a.Landing().Metric.Name != "reply" {
		t.Errorf("%v, %s, by %s", err, a.Verdict, a.Landing().Metric.Name)
	}
	if _, err := Analyse(voiceRun(turns(3), "max(reply_sent) <= 400ms")); err == nil {
		t.Error("a run of our own has reply_sent")
	}
}
