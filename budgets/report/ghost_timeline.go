package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"halfsecond/budgets"
	"halfsecond/budgets/ghost"
	"halfsecond/pipeline"
	"halfsecond/pipeline/document"
)

// timeline is a few seconds of typing around one key.
type timeline struct {
	title   string
	moments []ghost.Moment
	limit   time.Duration // of the budget on the first character; 0 for none
}

// timelines are those around the median key and the slowest one.
func (r *Report) timelines() (all []timeline) {
	if r.Ghost == nil {
		return nil
	}
	l, _ := r.analysis.LandingLimit()
	middle, worst := r.Ghost.run.Typical()
	if middle == nil {
		return nil
	}
	add := func(name string, t *pipeline.Trace) {
		title := fmt.Sprintf("Typing around the %s key: its text came after %s (session %d, key %d)", name, length(ghost.Landed(t)), t.Session, t.Index)
		all = append(all, timeline{title, r.Ghost.run.Window(t), time.Duration(l.Value)})
	}
	add("median", middle)
	if worst != middle {
		add("slowest", worst)
	}
	return all
}

// barCells is how wide the bar of a key is on a terminal page of 100 columns.
const barCells = 36

// timeline writes a timeline: a line for each key or step.
func (p *page) timeline(t timeline) {
	p.heading(t.title)
	scale := t.scale()
	p.line(p.paint(dim, fmt.Sprintf("  %9s  %-8s  %-*s  %8s  %6s  %s", "at, s", "typed", barCells, axisOf(t.limit, scale), "text, ms", "tokens", "what became of it")))
	for i := range t.moments {
		m := &t.moments[i]
		p.line(fmt.Sprintf("  %9s  %-8s  %s  %8s  %6s  %s", budgets.Number(m.Due.Seconds(), 3), clipped(m.Typed(), 8), p.paint(cyan, barOf(m, t.limit, scale)),
			textAfter(m), tokensOf(m), m.Fate()))
	}
}

// scale is what a bar spans: a little more than the budget and the longest wait for text, but
// no more than four budgets.
func (t *timeline) scale() time.Duration {
	longest := t.limit
	for i := range t.moments {
		if m := &t.moments[i]; m.Text != pipeline.Unknown {
			longest = max(longest, m.Text-m.Due)
		}
	}
	if t.limit > 0 {
		longest = min(longest, 4*t.limit)
	}
	return max(longest*6/5, time.Millisecond)
}

// axisOf labels the start of bars and the budget.
func axisOf(limit, scale time.Duration) string {
	cells := []rune(strings.Repeat(" ", barCells))
	cells[0] = '0'
	if at := barCell(limit, scale); limit > 0 {
		label := []rune(budgets.Duration.Format(float64(limit)))
		copy(cells[max(2, min(at, barCells-len(label))):], label)
	}
	return string(cells)
}

func barCell(at, scale time.Duration) int {
	return min(max(0, int(int64(at)*barCells/int64(scale))), barCells-1)
}

// barOf draws one key, from its instant on: what it waits before its request (░), the request
// until there is text (▓) and while the rest comes (─), where text is there (●), and where
// the request was closed (×).
func barOf(m *ghost.Moment, limit, scale time.Duration) string {
	cells := slices.Repeat([]rune{' '}, barCells)
	fill := func(from, to time.Duration, with rune) {
		if from == pipeline.Unknown || to == pipeline.Unknown || to <= from || from-m.Due >= scale {
			return
		}
		for i := barCell(from-m.Due, scale); i <= barCell(to-m.Due-1, scale); i++ {
			cells[i] = with
		}
	}
	put := func(at time.Duration, with rune) {
		if at != pipeline.Unknown && at-m.Due < scale {
			cells[barCell(at-m.Due, scale)] = with
		}
	}
	fill(m.Due, m.Waited, '░')
	if m.Request != nil {
		ends := m.Ends()
		text := m.Text
		if text == pipeline.Unknown || text > ends && ends != pipeline.Unknown {
			text = ends
		}
		fill(m.Waited, text, '▓')
		fill(text, ends, '─')
	}
	if limit > 0 {
		cells[barCell(limit, scale)] = '┊'
	}
	put(m.Closed(), '×')
	put(m.Text, '●')
	return string(cells)
}

// textAfter returns when text was there, in ms after the key.
func textAfter(m *ghost.Moment) string {
	if m.Text == pipeline.Unknown {
		return "-"
	}
	return budgets.Number(millis(m.Text-m.Due), 1)
}

// tokensOf returns the tokens of a moment's answer; "" without a request.
func tokensOf(m *ghost.Moment) string {
	if m.Request == nil {
		return ""
	}
	if n := m.Request.Output(); n >= 0 {
		return count(n)
	}
	return "-"
}

// clipped returns a text that can be shown in so many columns; blanks are seen.
func clipped(text string, columns int) string {
	text = strings.NewReplacer(" ", "␣", "\n", "⏎", "\t", "⇥").Replace(text)
	text = pipeline.Printable(text)
	if r := []rune(text); len(r) > columns {
		return string(r[:columns-1]) + "…"
	}
	return text
}

// verdictMeanings say what a text was when it came, by its verdict.
var verdictMeanings = []struct {
	verdict document.Verdict
	means   string
}{
	{document.Exact, "the document was as it had been asked about"},
	{document.TypedThrough, "what was typed since is its start"},
	{document.UsedUp, "all of it had been typed"},
	{document.Diverged, "something else was typed"},
	{document.Moved, "the cursor was elsewhere"},
	{document.Undone, "the document was what it had been before"},
	{document.NotDisplayable, "it was right, and could not be shown where it stood"},
	{document.Empty, "there was nothing to see in it"},
	{document.Dropped, "the editor had given it up"},
}

// verdictLegend explains the verdicts that timelines have, "" where they have none.
func verdictLegend(all []timeline) string {
	has := func(v document.Verdict) bool {
		return slices.ContainsFunc(all, func(t timeline) bool {
			return slices.ContainsFunc(t.moments, func(m ghost.Moment) bool { return m.Verdict == v })
		})
	}
	var words []string
	for _, x := range verdictMeanings {
		if has(x.verdict) {
			words = append(words, strings.ReplaceAll(string(x.verdict), "_", " ")+", "+x.means)
		}
	}
	if len(words) == 0 {
		return ""
	}
	return "Each text when it came: " + strings.Join(words, "; ") + "."
}

const timelineLegend = "Each bar begins at its key. ░ waits before a request, or until the next key overtakes it; ▓ the request until there is text; ─ the rest of the answer; ● text is there; × the request is closed; ┊ the budget."
