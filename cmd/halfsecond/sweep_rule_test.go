package main

import (
	"testing"
	"time"

	"halfsecond/budgets"
	"halfsecond/simulators/study"
)

// A sweep in which a rule of the plugin breaks the budget in every run says that the server is
// not why; where one run or stage tells otherwise it says nothing.
func TestSweepRule(t *testing.T) {
	b, err := budgets.Parse("share(ttfc < 150ms) >= 90%", budgets.Metrics("ide"))
	if err != nil {
		t.Fatal(err)
	}
	alone := func(stage string) study.Point {
		return study.Point{Alone: &budgets.Reason{Judgement: &budgets.Judgement{Budget: b}, Stage: stage, Takes: 350 * time.Millisecond, Alone: true, Without: .1}}
	}
	const said = " That is not the server: at every load the plugin's own rule, debounce 350 ms, alone breaks share(ttfc < 150ms) >= 90%, which with nothing else to wait for, " +
		"and text after every opportunity, would be 10 %. No lower load, other model or other card brings it inside: it takes another ide.plugin.debounce."
	for _, c := range []struct {
		name   string
		levels [][]study.Point
		want   string
	}{
		{"in every run", [][]study.Point{{alone("debounce"), alone("debounce")}, {alone("debounce")}}, said},
		{"not in one", [][]study.Point{{alone("debounce"), {}}, {alone("debounce")}}, ""},
		{"the server", [][]study.Point{{alone("prefill")}}, ""},
		{"the length of answers", [][]study.Point{{alone("line_buffer")}}, ""},
		{"two rules", [][]study.Point{{alone("debounce")}, {alone("prepare")}}, ""},
		{"no load", nil, ""},
	} {
		w := &study.Swept{}
		for _, points := range c.levels {
			w.Levels = append(w.Levels, study.Level{Points: points})
		}
		if got := rule(w); got != c.want {
			t.Errorf("%s: %q\nwant %q", c.name, got, c.want)
		}
	}
}
