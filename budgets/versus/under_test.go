package versus

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"halfsecond/budgets"
	"halfsecond/pipeline/trace"
)

// A baseline that was kept under some budgets is, under others, the run as if it had been kept
// under those.
func TestUnder(t *testing.T) {
	traces := drawn(rand.New(rand.NewPCG(9, 10)), 60, 200*ms)
	fail(&traces[3])
	traces[4].Requests = append(traces[4].Requests, traces[5].Requests[0])
	traces[7].Requests = nil
	with := func(exprs ...string) *Run { return runOf(t, header(60, exprs...), traces) }
	analysis := func(exprs ...string) *budgets.Analysis {
		a, err := budgets.Analyse(trace.Run{Header: header(60, exprs...), Traces: traces, Footer: trace.Footer{N: 60, Finished: true}})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	for name, c := range map[string]struct{ kept, under []string }{
		"a tighter limit":           {[]string{"p95(response) < 900ms"}, []string{"p95(response) < 600ms"}},
		"another metric decides":    {[]string{"p95(response) < 600ms"}, []string{"p95(response) < 600ms", "p95(tpot) < 50ms"}},
		"one decides no more":       {[]string{"p95(response) < 600ms", "p95(ttft) < 50ms"}, []string{"p95(response) < 600ms"}},
		"a stage decides":           {[]string{"p95(response) < 600ms"}, []string{"p95(response) < 600ms", "p95(llm_first_token) < 1s"}},
		"a stage decides no more":   {[]string{"p95(response) < 600ms", "p95(llm_first_token) < 1s"}, []string{"p95(response) < 600ms"}},
		"tps decides, told by tpot": {[]string{"p95(response) < 600ms"}, []string{"p95(response) < 600ms", "p50(tps) > 1 tok/s"}},
	} {
		kept, err := Read(bytes.NewReader(written(t, with(c.kept...))))
		if err != nil {
			t.Fatal(err)
		}
		before := written(t, kept)
		got, want := written(t, kept.Under(analysis(c.under...))), written(t, with(c.under...))
		if !bytes.Equal(got, want) {
			t.Errorf("%s: under %v it is\n%.1200s\nwant\n%.1200s", name, c.under, got, want)
		}
		if !bytes.Equal(written(t, kept), before) {
			t.Errorf("%s: the baseline itself changed", name)
		}
	}
}

// Goodput of another metric cannot be counted again: it stays, and a comparison says so.
func TestUnderAnotherMetric(t *testing.T) {
	traces := drawn(rand.New(rand.NewPCG(9, 10)), 60, 200*ms)
	kept := runOf(t, header(60, "p95(response) < 600ms"), traces)
	a, err := budgets.Analyse(trace.Run{Header: header(60, "p95(ttft) < 300ms"), Traces: traces, Footer: trace.Footer{N: 60, Finished: true}})
	if err != nil {
		t.Fatal(err)
	}
	under := kept.Under(a)
	if !reflect.DeepEqual(under.series(Goodput), kept.series(Goodput)) || under.Limit != "response < 600ms" {
		t.Errorf("goodput is %s, want that of the baseline, response < 600ms", under.Limit)
	}
	if got := under.series("ttft").Role; got != Judged {
		t.Errorf("ttft is %v, want judged: the budget is about it", got)
	}
	c := compare(t, under, Of(a), Settings{resamples: 99, Anyway: true})
	if want := "goodput is not compared: A counts response < 600ms, B ttft < 300ms"; !slices.Contains(c.Warnings, want) {
		t.Errorf("warnings %q, want %q among them", c.Warnings, want)
	}
}
