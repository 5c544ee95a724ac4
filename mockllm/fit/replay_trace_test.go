package fit

import (
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// asked returns a trace of one request of a run.
func asked(sent time.Duration, facts []pipeline.Fact, change func(r *pipeline.Request)) pipeline.Trace {
	r := pipeline.NewRequest(1, sent)
	r.Sent, r.FirstOutput, r.LastOutput = sent, sent+100*ms, sent+300*ms
	r.PromptTokens, r.OutputTokens = 50, 11
	if change != nil {
		change(&r)
	}
	return pipeline.Trace{Requests: []pipeline.Request{r}, Facts: facts}
}

func cell(model, variant string) []pipeline.Fact {
	return []pipeline.Fact{{Name: pipeline.FactModel, Value: model}, {Name: pipeline.FactVariant, Value: variant}}
}

func TestTimedOf(t *testing.T) {
	run := trace.Run{Traces: []pipeline.Trace{
		asked(900*ms, nil, nil),
		asked(500*ms, nil, func(r *pipeline.Request) { r.CachedTokens = 0 }),
		asked(600*ms, nil, func(r *pipeline.Request) { r.CachedTokens = 16 }),
		asked(600*ms, nil, func(r *pipeline.Request) { r.Outcome = pipeline.Timeout }),
		asked(600*ms, nil, func(r *pipeline.Request) { r.PromptTokens = pipeline.UnknownCount }),
		asked(600*ms, nil, func(r *pipeline.Request) { r.FirstOutput = pipeline.Unknown }),
		asked(600*ms, nil, func(r *pipeline.Request) { r.LastOutput = r.FirstOutput }),
		{}, // nothing was sent
	}}
	got, left, err := TimedOf(run, Choice{})
	want := []Timed{
		{Line: 1, Queued: pipeline.Unknown, First: 100 * ms, Last: 300 * ms, Prompt: 50, Output: 11},
		{Line: 2, Arrival: 400 * ms, Queued: pipeline.Unknown, First: 500 * ms, Last: 700 * ms, Prompt: 50, Output: 11},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v\n%v, want\n%v", err, got, want)
	}
	if want := (LeftOut{NotOK: 1, Cached: 1, Unknown: 3}); left != want || left.Total() != 5 {
		t.Errorf("left out %+v, %d in all, want %+v", left, left.Total(), want)
	}
}

func TestTimedOfChoice(t *testing.T) {
	stream := append(cell("a", "plain"), pipeline.Fact{Name: pipeline.FactBeside, Value: pipeline.BesideStream})
	run := trace.Run{Traces: []pipeline.Trace{
		asked(0, cell("a", "plain"), nil), asked(0, cell("a", "fast"), nil), asked(0, cell("b", "plain"), nil), asked(0, stream, nil),
	}}
	got, left, err := TimedOf(run, Choice{Model: "a", Variant: "plain"})
	if err != nil || len(got) != 1 || left != (LeftOut{Others: 3}) {
		t.Errorf("%d requests, left out %+v, %v; want 1 and 3 others", len(got), left, err)
	}
	for _, test := range []struct {
		choice Choice
		want   []string
	}{
		{Choice{}, []string{"2 models: choose with --served among a, b", "2 variants: choose with --variant among fast, plain"}},
		{Choice{Model: "c", Variant: "plain"}, []string{`no model "c": it has a, b`}},
		{Choice{Model: "b", Variant: "fast"}, []string{"no request can be used: 4 of other models or variants"}},
	} {
		_, _, err := TimedOf(run, test.choice)
		for _, want := range test.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%+v: %v, want %q", test.choice, err, want)
			}
		}
	}
	plain := trace.Run{Traces: []pipeline.Trace{asked(0, nil, nil)}}
	if _, _, err := TimedOf(plain, Choice{Model: "a"}); err == nil || !strings.Contains(err.Error(), "it has none by name") {
		t.Errorf("a model of a run without names: %v", err)
	}
}
