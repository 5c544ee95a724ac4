package report

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"halfsecond/budgets"
)

// A reason of several budgets is said once, with their names, and one that the summary gives in
// full for all of them not again.
func TestReasonsOnce(t *testing.T) {
	run := ideRun(400, "p50(first_line) < 15ms", "share(ttfc < 15ms) >= 90%", "p50(ttfc) < 15ms", "p90(first_line) < 30ms", "p95(first_line) < 30ms", "mean(useful_share) >= 60%")
	all := func(*budgets.Judgement) bool { return true }
	r, err := New(run)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r.reasons(all), []string{"p50(first_line), p90(first_line) and p95(first_line): no samples"}; r.Unfit == nil || !strings.Contains(r.Summary, *r.Unfit) || !reflect.DeepEqual(got, want) {
		t.Errorf("%q under %q, want %q", got, r.Summary, want)
	}
	if got := r.reasons(func(j *budgets.Judgement) bool { return j.Budget.Metric.Name == "ttfc" }); got != nil {
		t.Errorf("%q, want nothing: the summary says it", got)
	}
	var page bytes.Buffer
	if err := r.Table(&page, Options{}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(strings.Join(strings.Fields(page.String()), " "), *r.Unfit); got != 1 {
		t.Errorf("the page says %d times that %s", got, *r.Unfit)
	}
}

// The table of budgets has the interval of each, what it is of, and why there is none.
func TestIntervalCells(t *testing.T) {
	for _, c := range []struct {
		j    budgets.Judgement
		want string
	}{
		{budgets.Judgement{HasInterval: true, Low: .5, High: .75, N: 20, Independent: 20, Budget: parsedBudget(t, "mean(useful_share) > 1%")}, "50 % to 75 %"},
		{budgets.Judgement{HasInterval: true, Low: .5, High: .75, N: 20, Independent: 19.6, Budget: parsedBudget(t, "mean(useful_share) > 1%")}, "50 % to 75 %"},
		{budgets.Judgement{HasInterval: true, Low: .5, High: .75, N: 2000, Independent: 1234.4, Budget: parsedBudget(t, "mean(useful_share) > 1%")}, "50 % to 75 % (n worth 1,234)"},
		{budgets.Judgement{HasInterval: true, Low: 5e6, High: 75e6, N: 2000, Budget: parsedBudget(t, "p50(ttfc) < 1s")}, "5 ms to 75 ms"},
		{budgets.Judgement{N: 20, Budget: parsedBudget(t, "p95(ttfc) < 1s")}, "none: n < 72"},
		{budgets.Judgement{Budget: parsedBudget(t, "mean(useful_share) > 1%")}, "none: too few, or nothing varies"},
		{budgets.Judgement{N: 9, HasValue: true, Budget: parsedBudget(t, "mean(cached_share) > 1%")}, "none: too few, or nothing varies"},
		{budgets.Judgement{N: 1, Budget: parsedBudget(t, "mean(waste_per_useful) < 100")}, "none: one value for the run"},
		{budgets.Judgement{N: 7, HasValue: true, Budget: parsedBudget(t, "mean(effective_speed) > 9 tok/s")}, "none: too few, or nothing varies"},
		{budgets.Judgement{N: 9, Budget: parsedBudget(t, "mean(requests_per_key) < 1")}, "none: of percentiles and shares"},
	} {
		if got := interval(&c.j); got != c.want {
			t.Errorf("%v: %q, want %q", c.j.Budget, got, c.want)
		}
	}
}

func parsedBudget(t *testing.T, text string) budgets.Budget {
	t.Helper()
	b, err := budgets.Parse(text, budgets.Metrics("ide"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
