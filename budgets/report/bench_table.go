package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"halfsecond/budgets"
	"halfsecond/budgets/grid"
)

// Table writes the comparison as a terminal page.
func (b *Bench) Table(w io.Writer, o Options) error {
	p := newPage(o)
	b.head(p)
	for _, m := range b.Models {
		b.cellTable(p, m)
	}
	p.section(b.serverBeside())
	b.counterTable(p)
	b.cacheTable(p)
	b.trendTable(p, grid.TTFT, "Is TTFT linear in the prompt?")
	b.trendTable(p, grid.TPOT, "Is TPOT flat?")
	b.optionTable(p)
	b.duelTable(p)
	b.legend(p)
	if _, err := io.WriteString(w, p.b.String()); err != nil {
		return fmt.Errorf("write comparison: %w", err)
	}
	return nil
}

func (b *Bench) head(p *page) {
	facts := []string{fmt.Sprintf("%s on %s", b.Scenario, b.Target), counted(b.requests(), "request"), fmt.Sprintf("seed %d", b.Seed)}
	if b.WarmUp > 0 {
		facts[1] += fmt.Sprintf(" after %s of warm-up in each cell", count(b.WarmUp))
	}
	if b.ScenarioHash != "" {
		facts = append(facts, "scenario hash "+b.ScenarioHash[:min(12, len(b.ScenarioHash))])
	}
	if b.Version != "" {
		facts = append(facts, "halfsecond "+b.Version)
	}
	if b.TextsHashed {
		facts = append(facts, "texts kept as hashes")
	}
	p.paragraph(0, dim, strings.Join(facts, " · "))
	for _, by := range b.ServedBy {
		p.paragraph(0, dim, "language model: "+by)
	}
	b.servedSection(p)
	p.heading("What follows")
	for _, c := range b.Conclusions {
		p.item(plain, c)
	}
	for _, n := range b.Notes {
		p.item(dim, n)
	}
}

// item writes one paragraph of a list.
func (p *page) item(s style, text string) {
	for i, l := range wrap(text, p.width-4) {
		mark := "·"
		if i > 0 {
			mark = " "
		}
		p.line("  " + p.paint(s, mark+" "+l))
	}
}

func (b *Bench) requests() int {
	n := 0
	for i := range b.Cells {
		n += b.Cells[i].Asked
	}
	return n
}

// shownMetrics are the metrics of the table of cells.
var shownMetrics = []grid.Metric{grid.TTFT, grid.TPOT, grid.TTFTBeside, grid.Stall}

// cellTable lists the cells of one model.
func (b *Bench) cellTable(p *page, model string) {
	p.heading(model)
	shown := slices.DeleteFunc(slices.Clone(shownMetrics), func(m grid.Metric) bool { return !b.measured(m) })
	head := []cell{left("").in(dim), right("prompt").in(dim)}
	for _, m := range shown {
		head = append(head, right(m.String()).in(dim), left("").in(dim))
	}
	rows := [][]cell{append(head, right("n").in(dim))}
	last := ""
	for i := range b.grid.Cells {
		c := &b.grid.Cells[i]
		if c.Model != model || c.Skipped {
			continue
		}
		name := c.Variant
		if name == last {
			name = ""
		}
		last = c.Variant
		row := []cell{left(name), right(count(c.Prompt))}
		for _, m := range shown {
			row = append(row, sampleCells(c.Sample(m))...)
		}
		rows = append(rows, append(row, right(count(len(c.Sample(grid.TTFT))))))
	}
	p.rows(rows)
}

func (b *Bench) measured(m grid.Metric) bool {
	return slices.ContainsFunc(b.grid.Cells, func(c grid.Cell) bool { return len(c.Sample(m)) > 0 })
}

// sampleCells returns a median and, where the digits show that the sample varies, its
// ends.
func sampleCells(s grid.Sample) []cell {
	median, ok := s.Median()
	if !ok {
		return []cell{right("-"), left("")}
	}
	bare := func(v float64) string {
		number, _, _ := strings.Cut(budgets.Duration.FormatLike(v, median), " ")
		return number
	}
	row := []cell{right(budgets.Duration.Format(median)), left("")}
	if least, most := bare(s[0]), bare(s[len(s)-1]); least != most {
		row[1] = left(fmt.Sprintf("(%s to %s)", least, most)).in(dim)
	}
	return row
}

// trendTable answers a question about one metric for every row of the grid.
func (b *Bench) trendTable(p *page, m grid.Metric, question string) {
	last, own := "", "10 % quadratic at"
	if m == grid.TPOT {
		own = "rise"
	}
	rows := [][]cell{{
		left("").in(dim), left("").in(dim), left("shape").in(dim), right("per 1,000 tokens").in(dim), left("95 % interval").in(dim),
		right("R2").in(dim), right(own).in(dim),
	}}
	for i := range b.trends {
		t := &b.trends[i]
		if t.Metric != m {
			continue
		}
		model := t.Model
		if model == last {
			model = ""
		}
		last = t.Model
		slope, interval := slopes(t)
		rows = append(rows, []cell{
			left(model), left(t.Variant), left(shapeOf(t).String()), right(slope), left(interval), right(fitWords(t)), right(ownFigure(t)),
		})
	}
	if len(rows) == 1 {
		return
	}
	p.heading(question)
	p.rows(rows)
}

// shapeOf returns a trend's shape; a pace that is not flat just rises.
func shapeOf(t *grid.Trend) grid.Shape {
	switch t.Shape {
	case grid.Unclear, grid.Flat, grid.Falls:
		return t.Shape
	}
	if t.Metric == grid.TPOT {
		return grid.Rises
	}
	return t.Shape
}

// fitWords returns R2 of a line that is spoken of: not of two lengths, which any line
// fits, nor where there is no growth to explain.
func fitWords(t *grid.Trend) string {
	if !t.Fits || t.Shape == grid.Unclear || t.Shape == grid.Flat {
		return "-"
	}
	return r2(t.Line.R2)
}

// slopes returns what 1,000 tokens more take, with its interval: along a line where one
// fits, else from the shortest lengths to the longest.
func slopes(t *grid.Trend) (figure, interval string) {
	if t.Straight() {
		return budgets.Duration.Format(t.PerThousand.Value), ends(t.PerThousand, budgets.Duration.Format)
	}
	return fmt.Sprintf("%s to %s", budgets.Duration.Format(t.First.Value), budgets.Duration.Format(t.Last.Value)), "no line fits"
}

func ends(e grid.Estimate, format func(float64) string) string {
	low, high := format(e.Low), format(e.High)
	switch {
	case !e.Varies:
		return "exact"
	case low == high:
		return "within the digits"
	}
	return low + " to " + high
}

// ownFigure returns what its metric is asked for: where the quadratic term of TTFT
// shows, or how much TPOT rises.
func ownFigure(t *grid.Trend) string {
	if t.Metric == grid.TPOT {
		return change(t.Rise.Value)
	}
	switch {
	case !t.Bends || t.Shape == grid.Irregular:
		return "-"
	case math.IsInf(t.ShowsAt, 1):
		return "never"
	case t.ShowsAt == 0:
		return "no linear part"
	}
	longest := float64(t.Longest())
	switch words := "~" + tokensAbout(t.ShowsAt); {
	case t.ShowsAt > sight*longest:
		return "beyond " + count(int(sight*longest))
	case t.ShowsAt > longest:
		return words + " (beyond)"
	default:
		return words
	}
}

func (b *Bench) optionTable(p *page) {
	if len(b.options) == 0 {
		return
	}
	p.heading(fmt.Sprintf("What did each option gain or cost? (beside %s; less is a gain)", b.baseline()))
	rows := [][]cell{{
		left("").in(dim), left("").in(dim), left("").in(dim), right("change").in(dim), left("95 % interval").in(dim), left("").in(dim), left("by length of the prompt").in(dim),
	}}
	var last grid.Key
	for i := range b.options {
		e := &b.options[i]
		model, variant := e.Of.Model, e.Of.Variant
		if e.Of == last {
			variant = ""
		}
		if model == last.Model {
			model = ""
		}
		last = e.Of
		by := func(v float64) string { return change(v - 1) }
		rows = append(rows, []cell{
			left(model), left(variant), left(e.Metric.String()), right(by(e.Overall.Value)), left(ends(e.Overall, by)),
			left(e.Change.String()).in(changeStyles[e.Change]), left(atEach(e, by)),
		})
	}
	p.rows(rows)
	for _, s := range b.Served {
		if s.Assumed != nil {
			p.paragraph(2, dim, fmt.Sprintf("%s: %s is assumed, not measured; what it gains rests on that.", s.Variant, *s.Assumed))
		}
	}
}

var changeStyles = map[grid.Change]style{grid.Gain: green, grid.Cost: red, grid.Same: plain, grid.Undecided: yellow}

// atEach lists an effect at each length of the prompt.
func atEach(e *grid.Effect, format func(float64) string) string {
	var parts []string
	for i, n := range e.Prompts {
		parts = append(parts, fmt.Sprintf("%s: %s", count(n), format(e.Ratios[i].Value)))
	}
	return strings.Join(parts, "  ")
}

func (b *Bench) duelTable(p *page) {
	if len(b.duels) == 0 {
		return
	}
	p.heading(fmt.Sprintf("Which model is faster? (%s; time of the first over time of the second)", b.baseline()))
	rows := [][]cell{{left("").in(dim), left("").in(dim), right("ratio").in(dim), left("95 % interval").in(dim), left("by length of the prompt").in(dim)}}
	last := ""
	for i := range b.duels {
		e := &b.duels[i]
		pair := e.Of.Model + " / " + e.Beside.Model
		if pair == last {
			pair = ""
		}
		last = e.Of.Model + " / " + e.Beside.Model
		rows = append(rows, []cell{left(pair), left(e.Metric.String()), right(ratio(e.Overall.Value)), left(ends(e.Overall, ratio)), left(atEach(e, ratio))})
	}
	p.rows(rows)
}

// legend says what the columns are.
func (b *Bench) legend(p *page) {
	p.heading("Words")
	p.definition("ttft", "due to first output; median, with least and most in brackets where repeats differ")
	p.definition("tpot", "first output to last / (output tokens - 1)")
	p.definition("e2e", "due to last output")
	if b.measured(grid.Stall) {
		p.definition("ttft_beside", "due to first output of a prompt that comes in while another answer streams, at a random instant between two of its tokens")
		p.definition("stall", "longest gap between two tokens of that other answer while the prompt waits for its first output")
	}
	if len(b.trends) == 0 {
		b.changeWords(p)
		return
	}
	p.definition("rise", "from the shortest prompt to the longest, along the fitted line or, where none fits, between those two; within 5 % is flat")
	p.definition("per 1,000 tokens", "along the fitted line, or where growth is along none from one slope to another: between the two shortest lengths, and between the two longest")
	p.definition("10 % quadratic at", "prompt at which the quadratic part of a fitted parabola is a tenth of its linear part; up to a tenth at the longest prompt, with R2 of 0.99, is linear. Where prompts are cut into chunks it is fitted to those that are, for growth bends where the cutting begins")
	b.changeWords(p)
}

// changeWords says what the columns of the last tables are.
func (b *Bench) changeWords(p *page) {
	p.definition("change", "geometric mean over the lengths of the prompt; within 1 % is the same")
	p.definition("95 % interval", "of medians drawn again from the repeats of each cell (bootstrap, seeded), as if requests were independent of each other; exact where no repeat differs")
}
