package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"halfsecond/budgets"
	"halfsecond/budgets/frontier"
	"halfsecond/budgets/ghost"
)

// tried is a frontier of two waits on one card, and of a model that does not fit.
func tried() *Frontier {
	cell := func(wait string, inside, seconds int, missed ...frontier.Missed) frontier.Cell {
		return frontier.Cell{Values: []string{wait, "<small> & a name that is long enough to leave no room"}, Place: []int{0, 0}, Rate: frontier.Rate{Unit: "L4", Accelerators: 1}, Runs: []frontier.Figures{{
			Keys: 1000, Opportunities: 100, Inside: ghost.Share{N: inside, Of: 100}, Requests: 200, Busy: time.Duration(seconds) * time.Second, Missed: missed,
		}}}
	}
	f := &frontier.Frontier{Scenario: "by hand", Names: []string{"debounce", "model"}, Keys: []string{"ide.plugin.debounce", "ide.llm.model"}, Ordered: []bool{true, false},
		Repeats: 1, N: 1000, Limit: budgets.Limit{Value: 150e6}, Goal: .9, Budgets: []string{"share(ttfc < 150ms) >= 90%"},
		Cells: []frontier.Cell{cell("75ms", 95, 24), cell("350ms", 54, 10, frontier.Missed{Budget: "b", Value: "54 %", Gap: "36 points"}),
			{Values: []string{"75ms", "large"}, Place: []int{0, 1}, Impossible: "it does not fit"}}}
	f.Cells[1].Place = []int{1, 0}
	f.Judge()
	return NewFrontier(f)
}

func TestFrontierTable(t *testing.T) {
	var page bytes.Buffer
	if err := tried().Table(&page, Options{Width: 100}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"95 % of", "75ms", "▶", "debounce 75ms, model large: it does not fit.", "Left out for want of room: useful, p50"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q:\n%s", want, page.String())
		}
	}
	for line := range strings.Lines(page.String()) {
		if cells := strings.Fields(line); strings.HasPrefix(line, "  ▶  75ms") && strings.Join(cells[len(cells)-4:], " ") != "95.0 - 0.20 24.0" {
			t.Errorf("a row %q, want a dash for what is not known", line)
		}
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 100 {
			t.Errorf("a line of %d columns: %s", n, line)
		}
	}
}

// Of two cards that are not compared one has settings that hold every budget, and cheaper ones
// with as many inside that do not.
func TestFrontierHolds(t *testing.T) {
	missed := []frontier.Missed{{Budget: "mean(requests_per_key) <= 0.2", Value: "0.3", Gap: "0.1"}}
	cell := func(wait, unit string, inside, seconds int, missed []frontier.Missed) frontier.Cell {
		return frontier.Cell{Values: []string{wait}, Place: []int{0}, Rate: frontier.Rate{Unit: unit, Accelerators: 1}, Runs: []frontier.Figures{{
			Keys: 1000, Opportunities: 100, Inside: ghost.Share{N: inside, Of: 100}, Requests: 200, Busy: time.Duration(seconds) * time.Second, Missed: missed,
		}}}
	}
	of := func(cells ...frontier.Cell) *Frontier {
		f := &frontier.Frontier{Scenario: "by hand", Names: []string{"debounce"}, Ordered: []bool{true}, Repeats: 1, N: 1000, Limit: budgets.Limit{Value: 150e6}, Cells: cells}
		f.Judge()
		return NewFrontier(f)
	}
	f := of(cell("75ms", "L4", 90, 20, nil), cell("150ms", "L4", 90, 10, missed), cell("75ms", "H100", 99, 5, missed))
	want := []string{
		"Recommended on L4: debounce 75ms. 90 % of opportunities are inside 150 ms, for 20 s of L4 for 1,000 keys; every budget holds in every run.",
		"Recommended on H100: debounce 75ms. 99 % of opportunities are inside 150 ms, for 5.0 s of H100 for 1,000 keys. No settings that were tried on H100 hold every budget: mean(requests_per_key) <= 0.2 is missed by 0.1 (0.3).",
	}
	if !f.Holds() || !slices.Equal(f.Summary, want) || !f.Cells[0].Frontier || !f.Cells[0].Recommended || !f.Cells[1].Frontier || f.Cells[1].Recommended {
		t.Errorf("holds %v, %q, want %q; cells %+v", f.Holds(), f.Summary, want, f.Cells)
	}
	now := cell("100ms", "H100", 90, 9, nil)
	now.Now, now.Beside = true, true
	f = of(cell("75ms", "H100", 99, 5, missed), now)
	if want := "0.1 (0.3). The scenario's own settings, which are none of those, hold every budget."; f.Holds() || !strings.HasSuffix(f.Summary[0], want) {
		t.Errorf("holds %v, %q, want %q", f.Holds(), f.Summary, want)
	}
	if f = of(cell("75ms", "L4", 90, 20, missed)); f.Holds() {
		t.Error("none hold every budget, and some are said to")
	}
}

func TestFrontierFiles(t *testing.T) {
	var page, rows bytes.Buffer
	if err := tried().HTML(&page, []byte("<svg></svg>")); err != nil {
		t.Fatal(err)
	}
	if text := page.String(); !strings.Contains(text, "<svg></svg>") || strings.Contains(text, "<small>") || !strings.Contains(text, "&lt;small&gt; &amp; a name") {
		t.Errorf("names of others are in the page as they are:\n%s", text)
	}
	if err := tried().CSV(&rows); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(rows.String()), "\n")
	if want := "75ms,<small> & a name that is long enough to leave no room,false,true,true,true,0.95,,,,,0.2,,,24,,24,L4,,,"; len(lines) != 4 || lines[1] != want {
		t.Errorf("rows %q, want %q first", lines, want)
	}
}
