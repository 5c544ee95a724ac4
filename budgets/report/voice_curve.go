package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"halfsecond/budgets"
	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
)

// Curve is V2V against cut-ins over one setting.
type Curve struct {
	Policy  string       `json:"policy"`
	Setting string       `json:"setting"`
	Unit    string       `json:"unit"`
	Metric  string       `json:"metric"`
	Turns   int          `json:"turns"`
	Apart   int          `json:"different"`
	Pauses  int          `json:"pauses"`
	Points  []CurvePoint `json:"points"`
}

// CurvePoint is one value of it.
type CurvePoint struct {
	Setting   float64    `json:"setting"`
	P50       *float64   `json:"p50"`
	P95       *float64   `json:"p95"`
	CutIn     Proportion `json:"cut_in"`
	Audible   Proportion `json:"audible"`
	Now       bool       `json:"now"`
	Efficient bool       `json:"efficient"`
}

// Proportion is a share with its 95 % interval.
type Proportion struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

func curveOf(c *budgets.Curve) *Curve {
	out := &Curve{c.Policy, c.Setting, c.Unit, c.Metric, c.Turns, c.Different, c.Pauses, []CurvePoint{}}
	for _, p := range c.Points {
		out.Points = append(out.Points, CurvePoint{p.Setting, inMS(p.P50), inMS(p.P95), Proportion(p.CutIn), Proportion(p.Audible), p.Now, p.Efficient})
	}
	return out
}

// curveTable prints the curve: its points, and a plot of them.
func (r *Report) curveTable(p *page) {
	s := r.curveSection()
	if s.empty() {
		return
	}
	p.section(s)
	for _, l := range plot(r.curve, r.Judged(), min(60, p.width-30)) {
		p.line(l)
	}
}

// curveSection shows V2V against cut-ins.
func (r *Report) curveSection() section {
	c := r.curve
	if c == nil || len(c.Points) == 0 {
		return section{}
	}
	s := section{title: fmt.Sprintf("Voice to voice against cut-ins, over %s of: %s", c.Setting, c.Policy)}
	s.rows = [][]cell{{right(c.Setting).in(dim), right("p50").in(dim), right("p95").in(dim), right("cut-in").in(dim), left("95 % interval").in(dim), right("heard").in(dim), left("")}}
	for i := range c.Points {
		p := &c.Points[i]
		s.rows = append(s.rows, []cell{
			right(valueOf(c, p.Setting)), right(knownLength(p.P50)), right(knownLength(p.P95)), right(percent(p.CutIn.Value)),
			left(percent(p.CutIn.Low) + " to " + percent(p.CutIn.High)), right(percent(p.Audible.Value)), left(pointWords(p)).in(dim),
		})
	}
	s.notes = []string{
		fmt.Sprintf("Of %s, %s of which %s, with %s inside: a cut-in takes a pause for the end; heard are those in which the reply begins before the user goes on. Efficient: no other value is as quick and cuts in as seldom.",
			counted(c.Turns, "turn"), count(c.Different), differ(c.Different), counted(c.Pauses, "pause")),
	}
	if words := advised(c, r.Judged()); words != "" {
		s.notes = append(s.notes, words)
	}
	return s
}

// differ is that turns, so many of them, are not the same ones said again.
func differ(n int) string {
	if n == 1 {
		return "differs"
	}
	return "differ"
}

func pointWords(p *budgets.CurvePoint) string {
	words := make([]string, 0, 2)
	if p.Efficient {
		words = append(words, "efficient")
	}
	if p.Now {
		words = append(words, "now")
	}
	return strings.Join(words, ", ")
}

// fewCutIns is the share of cut-ins up to which advice looks for the quickest value where
// the present one is not on the curve: assumed.
const fewCutIns = .05

// advised names the quickest value that cuts in no more often than now, and the one that is no
// slower than now and cuts in least often: both cost nothing.
func advised(c *budgets.Curve, q quantile.Q) string {
	most, as := fewCutIns, percent(fewCutIns)+" of turns at most"
	now := c.Now()
	if now != nil {
		most, as = now.CutIn.Value, "no more turns than now"
	}
	best, calm := c.Quickest(q, most), c.Calmest(q)
	if best == nil {
		return fmt.Sprintf("None of the values cuts in on %s.", as)
	}
	quicker := now == nil || best.At(q) != now.At(q)
	words := fmt.Sprintf("Quickest that cuts in on %s: %s, %s of turns.", as, landsAt(c, best), percent(best.CutIn.Value))
	switch {
	case calm == nil && quicker || calm == best && quicker:
		return words
	case quicker:
		return words + " No slower than now, and it cuts in least: " + landsAt(c, calm) + ", " + fewer(calm, now) + "."
	case calm == nil:
		return fmt.Sprintf("The present value is the quickest that cuts in on %s: %s.", as, beingQuicker(c, q, now))
	}
	return fmt.Sprintf("Move to %s %s: p50 %s and p95 %s are no later than now, and it cuts in on %s. Beyond that, %s.",
		c.Setting, valueOf(c, calm.Setting), knownLength(calm.P50), knownLength(calm.P95), fewer(calm, now), beingQuicker(c, q, now))
}

// landsAt says how soon replies land at a value.
func landsAt(c *budgets.Curve, p *budgets.CurvePoint) string {
	return fmt.Sprintf("%s %s, p50 %s, p95 %s", c.Setting, valueOf(c, p.Setting), knownLength(p.P50), knownLength(p.P95))
}

// fewer says on how many turns a value cuts in, and the present one.
func fewer(p, now *budgets.CurvePoint) string {
	return fmt.Sprintf("%s of turns instead of %s", percent(p.CutIn.Value), percent(now.CutIn.Value))
}

// beingQuicker says what a quicker value costs, where there is one.
func beingQuicker(c *budgets.Curve, q quantile.Q, now *budgets.CurvePoint) string {
	if slices.ContainsFunc(c.Points, func(p budgets.CurvePoint) bool { return p.At(q) != pipeline.Unknown && p.At(q) < now.At(q) }) {
		return "being quicker costs cut-ins"
	}
	return fmt.Sprintf("no value is quicker by the %v", q)
}

// valueOf is a value of the setting with its unit.
func valueOf(c *budgets.Curve, v float64) string {
	if c.Unit == "" {
		return budgets.Number(v, 2)
	}
	return budgets.Number(v, 0) + " " + c.Unit
}

// plotHeight is how many lines the points of a curve are spread over.
const plotHeight = 10

// plot draws cut-ins (across) against a percentile of latency (up): ● efficient points, ○
// others, ◆ the present one.
func plot(c *budgets.Curve, q quantile.Q, width int) []string {
	latency := func(p *budgets.CurvePoint) time.Duration { return p.At(q) }
	points := slices.DeleteFunc(slices.Clone(c.Points), func(p budgets.CurvePoint) bool { return latency(&p) == pipeline.Unknown })
	if len(points) < 2 {
		return nil
	}
	least, most, widest := latency(&points[0]), latency(&points[0]), 0.0
	for i := range points {
		least, most, widest = min(least, latency(&points[i])), max(most, latency(&points[i])), max(widest, points[i].CutIn.Value)
	}
	cells := make([][]rune, plotHeight)
	for i := range cells {
		cells[i] = slices.Repeat([]rune{' '}, width)
	}
	slices.SortStableFunc(points, func(a, b budgets.CurvePoint) int { return cmp.Compare(rank(&a), rank(&b)) })
	for i := range points {
		p := &points[i]
		x := int(p.CutIn.Value / max(widest, 1e-9) * float64(width-1))
		y := int(float64(most-latency(p)) / float64(max(most-least, 1)) * (plotHeight - 1))
		cells[y][x] = [3]rune{'○', '●', '◆'}[rank(p)]
	}
	labels := make([]string, plotHeight)
	labels[0], labels[plotHeight-1] = length(most), length(least)
	pad := max(len(labels[0]), len(labels[plotHeight-1]))
	lines := []string{"", fmt.Sprintf("  %v of %s", q, c.Metric)}
	for i := range cells {
		lines = append(lines, fmt.Sprintf("  %*s │%s", pad, labels[i], strings.TrimRight(string(cells[i]), " ")))
	}
	right := percent(widest)
	return append(lines,
		fmt.Sprintf("  %*s └%s", pad, "", strings.Repeat("─", width)),
		fmt.Sprintf("  %*s  0 %%%*s", pad, "", width-3, right+" cut in on"),
		fmt.Sprintf("  %*s  ● efficient  ◆ now  ○ others", pad, ""))
}

// rank is which of several points in a cell is drawn: the present one before efficient
// ones before others.
func rank(p *budgets.CurvePoint) int {
	switch {
	case p.Now:
		return 2
	case p.Efficient:
		return 1
	}
	return 0
}
