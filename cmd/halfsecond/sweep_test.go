package main

import (
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"halfsecond/simulators/study"
)

// A sweep whose loads could not be judged says so first, and why.
func TestSweepSaysWhyNothingWasJudged(t *testing.T) {
	const late = "the tester itself ran 2.3 ms late (p99), more than 2 ms, 2 % of the smallest budget (100 ms)"
	unfit := study.Level{Standing: study.Unsure, Points: []study.Point{{}, {Unfit: late}}}
	fit := study.Level{Load: 10, Standing: study.Inside, Points: []study.Point{{}}}
	const remedy = " Free the tester's machine of other work, or give it one of its own, and sweep again."
	for _, c := range []struct {
		name   string
		levels []study.Level
		knee   study.Knee
		want   string
	}{
		{"none", []study.Level{unfit, unfit}, study.Knee{}, "No load could be judged: at each of 2 loads the tester itself was unfit: " + late + "." + remedy},
		{"the only one", []study.Level{unfit}, study.Knee{}, "No load could be judged: at the one that was tried the tester itself was unfit: " + late + "." + remedy},
		{"one of two", []study.Level{fit, unfit}, study.Knee{Low: 10}, "Every load up to 10/s is inside the budgets, in every run; none that was tried is outside. " +
			"1 of 2 loads could not be judged, since the tester itself was unfit: " + late + "." + remedy},
		{"all", []study.Level{fit}, study.Knee{Low: 10}, "Every load up to 10/s is inside the budgets, in every run; none that was tried is outside."},
	} {
		d := &sweepDocument{Repeats: 2, edge: c.knee}
		if got := d.sentence(&study.Swept{Unit: "/s", Levels: c.levels, Knee: c.knee}); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.name, got, c.want)
		}
	}
}

// A sweep says why interactions failed, in its first sentences over all loads, and at each
// load where several had failures.
func TestSweepSaysWhyInteractionsFailed(t *testing.T) {
	of := func(load float64, failures ...map[string]int) study.Level {
		l := study.Level{Load: load, Standing: study.Unsure}
		for _, f := range failures {
			l.Points = append(l.Points, study.Point{Kept: 20, Failures: f})
		}
		return l
	}
	const unauthorized, limited = "HTTP 401: no key.", "HTTP 429"
	for _, c := range []struct {
		name    string
		levels  []study.Level
		summary string
		notes   []string
	}{
		{"none", []study.Level{of(1, nil, nil)}, "", nil},
		{"one load", []study.Level{of(1, nil), of(2, map[string]int{unauthorized: 9}, map[string]int{unauthorized: 2, limited: 3})}, " 14 of 60 interactions did not end ok, most often: HTTP 401: no key.", nil},
		{"two loads", []study.Level{of(1, map[string]int{limited: 1}), of(2, map[string]int{unauthorized: 20})}, " 21 of 40 interactions did not end ok, most often: HTTP 401: no key.",
			[]string{"At 1/s: 1 of 20 interactions did not end ok, most often: HTTP 429.", "At 2/s: 20 of 20 interactions did not end ok, most often: HTTP 401: no key."}},
	} {
		d, w := &sweepDocument{LoadUnit: "/s"}, &study.Swept{Unit: "/s", Levels: c.levels}
		for i := range w.Levels {
			d.Levels = append(d.Levels, d.level(&w.Levels[i]))
		}
		if got := d.failed(w); got != c.summary {
			t.Errorf("%s: %q, want %q", c.name, got, c.summary)
		}
		if got := d.failureNotes(); !slices.Equal(got, c.notes) {
			t.Errorf("%s: %q, want %q", c.name, got, c.notes)
		}
	}
}

// TestSweepSaysThatItDidNotFinish: a cap that ends a sweep is in its headline, its document
// and its rows, and in the exit code.
func TestSweepSaysThatItDidNotFinish(t *testing.T) {
	server := greedy()
	defer server.Close()
	for format, want := range map[string]string{
		"table": "The sweep did not finish: over the cap of 1200 tokens.", "json": `"unfinished": "over the cap of 1200 tokens"`, "csv": ",over the cap of 1200 tokens\n",
	} {
		code, out, errs := halfsecond(t, "sweep", scenarioFile(t, chat+"warm_up: 1\n"), "--endpoint", "llm="+server.URL, "--model", "m", "--rates", "1,2", "--n", "6", "--repeats", "1",
			"--max-tokens", "1200", "--no-self-test", "--format", format)
		if code != exitUnmeasured || !strings.Contains(errs, "the sweep did not finish (over the cap of 1200 tokens)") {
			t.Errorf("%s: exit code %d, %s", format, code, errs)
		}
		if text := strings.Join(strings.Fields(out), " "); !strings.Contains(out, want) && !strings.Contains(text, want) {
			t.Errorf("%s lacks %q:\n%s", format, want, out)
		}
	}
}

// TestSweepKeepsWhatItHas: a server that is gone when the second load begins costs that load
// alone: the table, the document and the rows have the first.
func TestSweepKeepsWhatItHas(t *testing.T) {
	for format, want := range map[string]string{
		"table": "✓ inside", "json": `"unfinished": "at 2 users the run did not begin: nothing listens at this address`, "csv": "1,users,",
	} {
		answers := greedy()
		defer answers.Close()
		var posts atomic.Int32
		inner := answers.Config.Handler
		answers.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost && posts.Add(1) == 7 {
				answers.Listener.Close()
			}
			inner.ServeHTTP(w, r)
		})
		code, out, errs := halfsecond(t, "sweep", scenarioFile(t, chat+"warm_up: 1\n"), "--endpoint", "llm="+answers.URL, "--model", "m", "--rates", "1,2", "--n", "6", "--repeats", "1",
			"--no-self-test", "--metrics", "none", "--format", format)
		if code != exitUnmeasured || !strings.Contains(errs, "the sweep did not finish (at 2 users the run did not begin: nothing listens at this address") {
			t.Errorf("%s: exit code %d, %s", format, code, errs)
		}
		if text := strings.Join(strings.Fields(out), " "); !strings.Contains(text, want) {
			t.Errorf("%s lacks %q:\n%s", format, want, out)
		}
	}
}
