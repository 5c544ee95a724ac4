package budgets

import (
	"testing"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// What is cut in on is counted over the turns whose pauses are known, with Wilson's interval.
func TestCutIns(t *testing.T) {
	if _, ok := analysed(t, talk(0, 0, 90*ms)).CutIns(); ok {
		t.Error("a rate without a pause")
	}
	no, yes := pipeline.Fact{Name: pipeline.FactCutIn, Value: "no"}, pipeline.Fact{Name: pipeline.FactCutIn, Value: "yes"}
	c, ok := analysed(t, talk(0, 0, 90*ms, no), talk(0, 1, 90*ms, yes), talk(0, 2, 90*ms), talk(0, 3, 90*ms, no), talk(0, 4, 90*ms, no)).CutIns()
	if !ok || c.N != 4 || c.Share != 1 || c.Rate.Value != .25 || c.Rate.Low < .045 || c.Rate.Low > .046 || c.Rate.High < .699 || c.Rate.High > .7 {
		t.Errorf("%+v, want 1 of 4 within 4.6 %% to 69.9 %%", c)
	}
}

// A recording that is played again tells nothing new: 200 turns of one, never cut in on, are
// one turn, of which nobody can say more than that. Where the trace does not say which it was,
// what was heard of it does.
func TestCutInsOfOneRecording(t *testing.T) {
	no := pipeline.Fact{Name: pipeline.FactCutIn, Value: "no"}
	for name, of := range map[string]func(i int) pipeline.Trace{
		"by its number": func(i int) pipeline.Trace {
			return talk(i, 0, 90*ms, no, pipeline.Fact{Name: pipeline.FactRecording, Value: "0"})
		},
		"by what was heard": func(i int) pipeline.Trace {
			x := talk(i, 0, 90*ms, no)
			x.Hearings = []pipeline.Transcription{{Text: []string{"Book a table.", "book a table"}[i%2]}}
			return x
		},
	} {
		var traces []pipeline.Trace
		for i := range 200 {
			traces = append(traces, of(i))
		}
		c, ok := analysed(t, traces...).CutIns()
		if !ok || c.N != 200 || c.Different != 1 || c.Rate.Value != 0 || c.Rate.High < .79 || c.Rate.High > .8 {
			t.Errorf("%s: %+v, want 0 %% within 0 to 79.3 %%, as of 1 turn", name, c)
		}
	}
	two := analysed(t, talk(0, 0, 90*ms, no, pipeline.Fact{Name: pipeline.FactRecording, Value: "0"}), talk(1, 0, 90*ms, no, pipeline.Fact{Name: pipeline.FactRecording, Value: "1"}))
	if c, _ := two.CutIns(); c.Different != 2 {
		t.Errorf("%d of two recordings", c.Different)
	}
}

// To say the same turn again tells nothing new of others: the rate is over all, the interval
// of those that differ, however often they are said; and so is that of a budget.
func TestCutInsOfTheSame(t *testing.T) {
	said := func(words, cut string) []pipeline.Fact {
		return []pipeline.Fact{{Name: pipeline.FactCutIn, Value: cut}, {Name: pipeline.FactWords, Value: words}}
	}
	var traces []pipeline.Trace
	for i := range 400 {
		traces = append(traces, talk(i, 0, 90*ms, said([]string{"a", "b", "c", "d"}[i%4], []string{"yes", "no", "no", "no"}[i%4])...))
	}
	a, err := Analyse(trace.Run{Header: trace.Header{Kind: pipeline.KindVoice, Budgets: []string{"mean(cut_in_share) < 10%"}}, Traces: traces})
	if err != nil {
		t.Fatal(err)
	}
	c, ok := a.CutIns()
	if !ok || c.N != 400 || c.Different != 4 || c.Rate.Value != .25 || c.Rate.Low < .045 || c.Rate.Low > .046 || c.Rate.High < .699 || c.Rate.High > .7 {
		t.Errorf("%+v, want 25 %% within 4.6 %% to 69.9 %%, as of 4 turns", c)
	}
	if j := a.Judgements[0]; !j.HasInterval || j.Low != c.Rate.Low || j.High != c.Rate.High {
		t.Errorf("the budget has %v to %v, want the rate's %v to %v", j.Low, j.High, c.Rate.Low, c.Rate.High)
	}
}
