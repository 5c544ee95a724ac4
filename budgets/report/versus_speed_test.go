package report

import (
	"testing"
	"time"

	"halfsecond/budgets"
	"halfsecond/budgets/quality"
	"halfsecond/budgets/versus"
)

// The sentence of effective speed follows the word of its row.
func TestEffectiveWords(t *testing.T) {
	speed := func(repair time.Duration, tokens float64) versus.Speed {
		return versus.Speed{Answers: 400, Repair: repair, Tokens: quality.Estimate{Value: tokens, Known: tokens > 0}}
	}
	row := func(role versus.Role, word versus.Word, low, high float64) []versus.Row {
		return []versus.Row{{Metric: "ttft"}, {Metric: "effective_speed", Figure: "rate", Unit: budgets.TokenRate, Role: role, A: 2, B: 14, Known: true, HasInterval: true, Low: low, High: high, Word: word}}
	}
	few := row(versus.OfRequest, versus.CannotTell, 0, 0)
	few[1].HasInterval, few[1].Reason = false, "an interval of effective_speed takes 10 values in each run, there are 9 and 9"
	const figures = "2 tok/s that are useful in A, 14 tok/s in B (a difference of "
	for name, c := range map[string]struct {
		a, b versus.Speed
		rows []versus.Row
		want string
	}{
		"not checked":     {speed(time.Second, 0), versus.Speed{}, row(versus.OfRequest, versus.Better, 8, 16), ""},
		"better":          {speed(time.Second, 80), speed(time.Second, 40), row(versus.OfRequest, versus.Better, 8, 16), " By effective speed B wins: " + figures + "8 tok/s to 16 tok/s), of 80 tok/s and 40 tok/s as they came."},
		"worse":           {speed(time.Second, 0), speed(time.Second, 40), row(versus.OfRequest, versus.Worse, 8, 16), " By effective speed A wins: " + figures + "8 tok/s to 16 tok/s)."},
		"cannot tell":     {speed(time.Second, 0), speed(time.Second, 0), row(versus.OfRequest, versus.CannotTell, -1, 16), " By effective speed neither wins: " + figures + "-1 tok/s to 16 tok/s)."},
		"it decides":      {speed(time.Second, 80), speed(time.Second, 40), row(versus.Judged, versus.Better, 8, 16), " By effective speed B wins: " + figures + "8 tok/s to 16 tok/s), of 80 tok/s and 40 tok/s as they came."},
		"another repair":  {speed(time.Second, 80), speed(2*time.Second, 40), nil, " Effective speeds are not compared: a broken answer costs 1,000 ms in A and 2,000 ms in B."},
		"no row":          {speed(time.Second, 80), speed(time.Second, 40), nil, " Of effective speed nothing can be told: of no answer of a run is it known whether it parses, or a baseline is of an earlier program."},
		"too few answers": {speed(time.Second, 80), speed(time.Second, 40), few, " Of effective speed nothing can be told: an interval of effective_speed takes 10 values in each run, there are 9 and 9."},
	} {
		v := &Versus{comparison: &versus.Comparison{A: versus.Facts{Speed: c.a}, B: versus.Facts{Speed: c.b}, Rows: c.rows}}
		if got := v.effective(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// A count and a speed are told by their names, and how they changed as a part of the first.
func TestWentOfCounts(t *testing.T) {
	for want, r := range map[string]versus.Row{
		"the mean of requests_per_key went from 1 to 1.5 (+50.0 %, +40.0 % to +60.0 %)": {Metric: "requests_per_key", Figure: "mean", Unit: budgets.Count, A: 1, B: 1.5, Known: true, HasInterval: true, Low: .4, High: .6},
		"effective_speed went from 4 tok/s to 2 tok/s (-50.0 %, -75.0 % to -25.0 %)":    {Metric: "effective_speed", Figure: "rate", Unit: budgets.TokenRate, A: 4, B: 2, Known: true, HasInterval: true, Low: -3, High: -1},
	} {
		if got := went(&r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
