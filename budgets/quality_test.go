package budgets

import (
	"testing"
	"time"

	"halfsecond/budgets/ghost"
	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// answered is a key whose answer of 10 characters, half of them useful, and 5 tokens came in a
// second.
func answered(at time.Duration, facts ...pipeline.Fact) pipeline.Trace {
	r := pipeline.NewRequest(int64(at/time.Second)+1, at)
	r.Sent, r.FirstOutput, r.LastOutput, r.End, r.OutputTokens = at, at+500*time.Millisecond, at+time.Second, at+time.Second, 5
	facts = append(facts, pipeline.Fact{Name: pipeline.FactCharacters, Value: "10"}, pipeline.Fact{Name: pipeline.FactUsefulCharacters, Value: "5"})
	return pipeline.Trace{Kind: pipeline.KindIDE, Index: int(at / time.Second), Due: at, End: r.End, Requests: []pipeline.Request{r}, Facts: facts}
}

// Figures of answers as code follow from the traces, steps included, with the repair cost of
// the header; there are none of a run whose answers were not checked.
func TestQualityOfTraces(t *testing.T) {
	syntax := func(v string) pipeline.Fact { return pipeline.Fact{Name: pipeline.FactSyntax, Value: v} }
	step := answered(3*time.Second, syntax(pipeline.SyntaxParses))
	step.Kind = pipeline.KindStep
	run := trace.Run{
		Header: trace.Header{Kind: pipeline.KindIDE, Target: "sim", Quality: trace.Quality{Language: "go", Checker: "go/parser", Repair: 4 * time.Second}},
		Traces: []pipeline.Trace{
			answered(0, syntax(pipeline.SyntaxParses)), answered(time.Second, syntax(pipeline.SyntaxBreaks)),
			answered(2*time.Second, syntax(pipeline.SyntaxParses)), step, answered(4*time.Second, syntax(pipeline.SyntaxUnfinished)),
			answered(5*time.Second, syntax(pipeline.SyntaxUnknown)),
			answered(6*time.Second, syntax(pipeline.SyntaxUnknown), pipeline.Fact{Name: pipeline.FactSyntaxFailed, Value: "it hung"}),
			{Kind: pipeline.KindIDE, Index: 7, Due: 7 * time.Second, End: 7 * time.Second},
		},
		Footer: trace.Footer{N: 8, Finished: true},
	}
	a, err := Analyse(run)
	if err != nil {
		t.Fatal(err)
	}
	q := a.Quality()
	if q.Answers != 7 || q.Told != 4 || q.Unfinished != 1 || q.Unknown != 1 || q.Failed != 1 || len(q.Why) != 1 || q.Why[0] != (ghost.Count{Name: "it hung", N: 1}) {
		t.Errorf("counts %+v", q)
	}
	// Of the seven three parse and one breaks; the other three are broken by a quarter each.
	for name, want := range map[string]float64{
		"syntax_share": .75, "useful_characters": 5 * (3 + 3*.75) / 7, "working_code": float64(2 * time.Second),
		"effective_speed": 2.5 * (3 + 3*.75) / (7 + 4*(1+3*.25)),
	} {
		if got, ok := a.Pool(name).Mean(); !ok || got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if q.Parsing.Value != .75 || q.Working.Value != 2 || q.Tokens.Value != 5 {
		t.Errorf("figures %+v", q.Speed)
	}
	run.Header.Quality = trace.Quality{}
	if a, err = Analyse(run); err != nil || a.Quality() != nil {
		t.Errorf("without a check: %+v, %v", a.Quality(), err)
	}
}
