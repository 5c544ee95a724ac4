package report

import (
	"testing"
	"time"

	"halfsecond/budgets"
	"halfsecond/budgets/ghost"
	"halfsecond/pipeline"
)

// A reason names the stage, and what would bring the budget inside; a stage of a few
// milliseconds is none.
func TestReasonWords(t *testing.T) {
	b, err := budgets.Parse("share(ttfc < 150ms) >= 90%", budgets.Metrics("ide"))
	if err != nil {
		t.Fatal(err)
	}
	failed, kept := &budgets.Judgement{Budget: b, Verdict: budgets.Fail}, &budgets.Judgement{Budget: b}
	lever := func(enough bool, limit time.Duration, stages ...string) budgets.Lever {
		return budgets.Lever{Stages: stages, Enough: enough, Cap: limit, AtZero: .7}
	}
	f := &ghost.Figures{Censored: ghost.Censored{Share: ghost.Share{N: 3, Of: 10}, Why: []ghost.Count{{Name: "not_asked", N: 2}, {Name: "refused", N: 1}}}}
	for _, c := range []struct {
		reason budgets.Reason
		want   string
	}{
		{budgets.Reason{Judgement: failed, Stage: "debounce", Takes: 350 * ms, Of: 400 * ms, Alone: true, Without: .1, Levers: []budgets.Lever{lever(false, pipeline.Unknown, "debounce")}},
			"debounce 350 ms alone breaks a 150 ms budget: with nothing else to wait for, and text after every key, it would be 10 %; without it, and all else as it is, it would be 70 %"},
		{budgets.Reason{Judgement: failed, Stage: "prefill", Takes: 100 * ms, Of: 160 * ms, Levers: []budgets.Lever{lever(true, 60*ms, "prefill")}},
			"prefill takes the most of the time to the first character, 100 ms of 160 ms at the median; prefill under 60 ms would keep it"},
		{budgets.Reason{Judgement: failed, Stage: "prefill", Takes: 100 * ms, Of: 160 * ms},
			"prefill takes the most of the time to the first character, 100 ms of 160 ms at the median; no stage, and no two together, would bring it inside"},
		{budgets.Reason{Judgement: failed, Stage: "prefill", Takes: 9 * ms, Of: 20 * ms}, "no stage is to blame: after 3 of 10 opportunities no text came, 2 not asked, 1 refused"},
		{budgets.Reason{Judgement: kept, Stage: "debounce", Takes: 75 * ms, Of: 90 * ms}, "debounce takes the most of the time to the first character, 75 ms of 90 ms at the median"},
		{budgets.Reason{Judgement: kept, Stage: "debounce", Takes: 5 * ms, Of: 9 * ms}, ""},
	} {
		if got := reasonWords(&c.reason, f); got != c.want {
			t.Errorf("%q\nwant %q", got, c.want)
		}
	}
}
