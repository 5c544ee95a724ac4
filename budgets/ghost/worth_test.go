package ghost

import (
	"reflect"
	"testing"

	"halfsecond/pipeline"
)

// answered is an opportunity at 0 whose request brought text at 100, with what is told of it.
func answered(id int64, facts ...string) *pipeline.Trace {
	k := asks(key(0, append([]string{"opportunity=yes", "source=network"}, facts...)...), id, 10, func(r *pipeline.Request) {
		modelled(10, 100)(r)
		r.PromptTokens, r.CachedTokens, r.OutputTokens = 100, 0, 10
	})
	return mark(k, "first_character", 100)
}

func shownAt(k *pipeline.Trace, from, to int) *pipeline.Trace {
	return mark(mark(k, pipeline.MarkShown, from), pipeline.MarkHiddenByKey, to)
}

// An answer that was shown was useful on arrival, whatever was typed later, and whether the
// plugin then let its request be, dropped it or closed it.
func TestUsefulOnArrival(t *testing.T) {
	for _, facts := range [][]string{
		{"verdict=diverged", "arrival=exact"}, {"verdict=dropped", "arrival=exact", "given_up=discarded"}, {"verdict=exact", "given_up=rule"}, {"verdict=exact"},
	} {
		k := shownAt(answered(1, facts...), 100, 150)
		if facts[len(facts)-1] == "given_up=rule" {
			k.Requests[0].Outcome, k.Requests[0].Closed = pipeline.Cancelled, 150*ms
		}
		want := Worth{[]Count{{"exact", 1}}, Share{1, 1}, Share{1, 1}, Share{1, 1}, Share{}}
		if got := Of([]*pipeline.Trace{k}, Options{}).Worth(); !reflect.DeepEqual(got, want) {
			t.Errorf("%v: %v, want %v", facts, got, want)
		}
	}
	silent := shownAt(asks(key(0, "opportunity=yes", "verdict=none", "source=cache"), 1, 10, nil), 0, 50) // the cache's, and its own request said nothing
	for _, never := range []*pipeline.Trace{
		silent,
		answered(1, "verdict=diverged"), answered(1, "verdict=dropped", "given_up=discarded"), // never shown
		shownAt(key(0, "opportunity=yes", "verdict=none", "source=cache"), 0, 50), // the cache's
	} {
		if got := Of([]*pipeline.Trace{never}, Options{}).Worth(); got.OfOpportunities != (Share{0, 1}) {
			t.Errorf("%v: useful %v, want none of 1", never.Facts, got.OfOpportunities)
		}
	}
}

// Of a guess text may be there before what it supposes has happened: it arrived, and is useful
// when another step draws on it. All wholes of the table then have it.
func TestGuessesArrive(t *testing.T) {
	guess := func(id int64, facts ...string) *pipeline.Trace {
		return asks(traced(pipeline.KindStep, 0, 50, append(facts, "class=speculation")...), id, 50, modelled(50, 90))
	}
	taken := traced(pipeline.KindStep, 0, 200, "class=accept", "verdict=none", "source=speculation")
	taken.Uses = []pipeline.Use{{Request: 1, How: "speculated"}}
	got := Of([]*pipeline.Trace{guess(1, "verdict=none", "arrival=ahead"), guess(2, "verdict=none", "arrival=ahead"), guess(3, "verdict=none"), taken}, Options{}).Worth()
	want := Worth{[]Count{{"ahead", 2}}, Share{}, Share{1, 3}, Share{1, 2}, Share{}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// What is known to be wrong is useful on arrival, and wasted: its tokens are told apart.
func TestRight(t *testing.T) {
	run := Of([]*pipeline.Trace{
		shownAt(answered(1, "verdict=exact", "right=yes"), 100, 900), shownAt(answered(2, "verdict=exact", "right=no"), 100, 900),
		answered(3, "verdict=diverged", "right=no"), shownAt(answered(4, "verdict=exact"), 100, 900),
	}, Options{})
	if got := run.Worth(); got.Right != (Share{1, 2}) || got.OfAnswers != (Share{3, 4}) {
		t.Errorf("right %v, useful %v; want 1 of 2, 3 of 4", got.Right, got.OfAnswers)
	}
	want := Waste{Useful: 3, Prompt: 400, Output: 40, WastedPrompt: 200, WastedOutput: 20, WrongPrompt: 100, WrongOutput: 10, Known: 4}
	if got := run.Waste(); got != want {
		t.Errorf("waste %+v\nwant  %+v", got, want)
	}
}

// Text of an answer that then broke off counts nowhere: not as text that landed, not as useful.
func TestBroken(t *testing.T) {
	for outcome, why := range map[pipeline.Outcome]string{
		pipeline.Truncated: Failed, pipeline.Error: Failed, pipeline.Timeout: AtLimit, pipeline.Dropped: AtLimit, pipeline.Refused: Refused,
	} {
		k := shownAt(answered(1, "verdict=exact", "right=yes"), 100, 900)
		k.Outcome, k.Requests[0].Outcome = outcome, outcome
		f := Of([]*pipeline.Trace{k}, Options{}).Figures()
		if len(f.First.Character) > 0 || len(f.BySource) > 0 || len(f.Stages) > 0 || f.Worth.OfRequests != (Share{0, 1}) || f.Worth.OfOpportunities != (Share{0, 1}) || f.Worth.Right != (Share{}) {
			t.Errorf("%s: landed %v, by source %v, worth %+v; want nothing", outcome, f.First.Character, f.BySource, f.Worth)
		}
		if want := (Censored{Share{1, 1}, []Count{{why, 1}}}); !reflect.DeepEqual(f.Censored, want) {
			t.Errorf("%s: without text %v, want %v", outcome, f.Censored, want)
		}
		if want := 100; f.Waste.WastedPrompt != want {
			t.Errorf("%s: %d tokens of prompts wasted, want %d", outcome, f.Waste.WastedPrompt, want)
		}
	}
	k := answered(1, "verdict=exact")
	k.Outcome, k.Requests[0].Outcome = pipeline.Truncated, pipeline.Truncated
	if got := Of([]*pipeline.Trace{k}, Options{}).Worth(); !reflect.DeepEqual(got.Verdicts, []Count{{"broke_off", 1}}) {
		t.Errorf("verdicts %v, want one that broke off", got.Verdicts)
	}
}

// Why the text of an opportunity never came, each reason of it.
func TestWhyNot(t *testing.T) {
	own := func(facts ...string) *pipeline.Trace { return asks(key(0, facts...), 1, 10, nil) }
	closed := own("verdict=none")
	closed.Requests[0].Outcome = pipeline.Cancelled
	for _, c := range []struct {
		trace *pipeline.Trace
		want  string
	}{
		{own("verdict=empty"), Nothing}, {own("verdict=not_displayable"), NoPlace},
		{own("verdict=diverged"), TypedOn}, {own("verdict=moved"), TypedOn}, {own("verdict=undone"), TypedOn}, {own("verdict=used_up"), TypedOn},
		{own("verdict=dropped", "given_up=discarded"), Discarded}, {own("verdict=none", "given_up=discarded"), Discarded},
		{own("verdict=none", "given_up=rule"), Cancelled}, {own("verdict=none", "given_up=editor"), Cancelled}, {closed, Cancelled},
		{own("verdict=exact"), HeldBack}, {own("verdict=typed_through"), HeldBack},
		{own("verdict=diverged", "arrival=exact"), HeldBack}, {own("verdict=dropped", "arrival=exact", "given_up=discarded"), HeldBack},
		{key(0, "verdict=none", "held=hold"), HeldBack},                    // of the cache, or of an earlier request
		{own("verdict=none", "held=hold", "given_up=discarded"), HeldBack}, // and its own request was given up
		{key(0, "verdict=none", "held=throttle"), NotAsked}, {key(0, "verdict=none"), NotAsked},
		{own("verdict=none"), Unanswered},
	} {
		if got := whyNot(c.trace); got != c.want {
			t.Errorf("%v: %s, want %s", c.trace.Facts, got, c.want)
		}
	}
}
