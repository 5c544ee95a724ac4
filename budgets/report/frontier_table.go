package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"halfsecond/budgets"
	"halfsecond/budgets/frontier"
)

// mostFrontierRows is how many cells a page lists: of more only those on the frontier, the
// present settings and what is impossible.
const mostFrontierRows = 60

// Table writes the frontier as a terminal page.
func (f *Frontier) Table(w io.Writer, o Options) error {
	p := newPage(o)
	for i, words := range f.Summary {
		p.paragraph(0, pick(f.Measured() && i < len(f.Recommended) && f.Recommended[i].Holds, green, red), words)
	}
	p.paragraph(0, dim, f.facts())
	if f.Unfinished != nil {
		p.paragraph(0, yellow, fmt.Sprintf("Not all was run (%s): what follows is of the settings whose runs are all there.", *f.Unfinished))
	}
	rows, left := f.rows(p.width)
	p.heading("Settings")
	p.rows(rows)
	for _, unit := range f.of.Units() {
		if unit == "" { // nothing is known of one axis
			continue
		}
		p.heading(f.plotTitle(unit))
		for _, line := range f.plot(unit) {
			p.line("  " + line)
		}
	}
	p.line("")
	p.paragraph(2, dim, frontierMarks)
	f.list(p, "What changes bring", f.Trades)
	f.list(p, "Impossible", f.impossible())
	f.list(p, "Notes", append(left, f.notes()...))
	if _, err := io.WriteString(w, p.b.String()); err != nil {
		return fmt.Errorf("write frontier: %w", err)
	}
	return nil
}

const frontierMarks = "▶ recommended  ● on the frontier  · beaten by another  ○ the scenario's own settings"

func (f *Frontier) list(p *page, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	p.heading(title)
	for _, l := range lines {
		p.paragraph(2, plain, l)
	}
}

// impossible lists what could not be run, cells with one reason together.
func (f *Frontier) impossible() (lines []string) {
	var reasons []string
	of := map[string][]string{}
	for i := range f.of.Cells {
		c := &f.of.Cells[i]
		if c.Impossible == "" {
			continue
		}
		if of[c.Impossible] == nil {
			reasons = append(reasons, c.Impossible)
		}
		of[c.Impossible] = append(of[c.Impossible], f.of.Name(c))
	}
	for _, r := range reasons {
		names := of[r]
		if n := len(names); n > 2 {
			names = append(slices.Clone(names[:1]), fmt.Sprintf("and %d more", n-1))
		}
		lines = append(lines, strings.Join(names, "; ")+": "+r+".")
	}
	return lines
}

// frontierColumn is a figure of each row, with its name and its unit.
type frontierColumn struct {
	name, unit string
	of         func(c *frontier.Cell, s *frontier.Sum) string
}

// frontierColumns are the figures, and frontierExtra those of them that a narrow page leaves
// out, the first one first.
func (f *Frontier) columns() []frontierColumn {
	all := []frontierColumn{
		{"inside", "%", func(_ *frontier.Cell, s *frontier.Sum) string { return dashed(s.Inside, tenths) }},
		{"p50", "ms", func(_ *frontier.Cell, s *frontier.Sum) string { return wholeMs(float64(s.P50), frontier.Known(s.P50)) }},
		{"p95", "ms", func(_ *frontier.Cell, s *frontier.Sum) string { return wholeMs(float64(s.P95), frontier.Known(s.P95)) }},
		{"useful", "%", func(_ *frontier.Cell, s *frontier.Sum) string { return dashed(s.Useful, tenths) }},
		{"flash", "%", func(_ *frontier.Cell, s *frontier.Sum) string { return dashed(s.Flashes, tenths) }},
		{"asked", "/key", func(_ *frontier.Cell, s *frontier.Sum) string { return dashed(s.RequestsPerKey, places(2)) }},
		{"wasted", "tokens", func(_ *frontier.Cell, s *frontier.Sum) string { return dashed(s.Wasted, places(0)) }},
	}
	if f.of.Saves {
		all = append(all, frontierColumn{"saved", "chars", func(_ *frontier.Cell, s *frontier.Sum) string { return dashed(s.Saved, places(0)) }})
	}
	units := f.of.Units()
	unit := pick(len(units) == 1 && units[0] == frontier.Dollars, "USD", "s")
	return append(all, frontierColumn{"cost", unit, func(_ *frontier.Cell, s *frontier.Sum) string { return dashed(s.Cost, significant) }})
}

// frontierExtra are columns that a narrow page leaves out, the first one first.
var frontierExtra = []string{"useful", "p50", "wasted", "p95"}

// dashed writes a figure, and a dash for one that is not known.
func dashed(v float64, write func(float64) string) string {
	if math.IsNaN(v) {
		return "-"
	}
	return write(v)
}

func places(n int) func(float64) string {
	return func(v float64) string { return budgets.Number(v, n) }
}

func tenths(share float64) string { return budgets.Number(100*share, 1) }

func wholeMs(ns float64, known bool) string {
	if !known {
		return "-"
	}
	return budgets.Number(ns/1e6, 0)
}

// significant writes a number with three digits.
func significant(v float64) string {
	if v == 0 {
		return "0"
	}
	return budgets.Number(v, max(0, 2-int(math.Floor(math.Log10(v)))))
}

// order returns the cells of the table: by what costs are counted in, then those with the most
// inside first, and the cheaper of as many.
func (f *Frontier) order() (cells []int) {
	for i := range f.of.Cells {
		if f.of.Told(&f.of.Cells[i]) {
			cells = append(cells, i)
		}
	}
	units := f.of.Units()
	slices.SortStableFunc(cells, func(i, j int) int {
		a, b := &f.of.Cells[i], &f.of.Cells[j]
		x, y := a.Sum(), b.Sum()
		return cmp.Or(cmp.Compare(slices.Index(units, a.Rate.Unit), slices.Index(units, b.Rate.Unit)), -cmp.Compare(x.Inside, y.Inside), cmp.Compare(x.Cost, y.Cost))
	})
	return cells
}

// rows returns the table for a page of a width, and notes on what it leaves out.
func (f *Frontier) rows(width int) (rows [][]cell, left []string) {
	columns, dropped := f.columns(), []string(nil)
	cells := f.order()
	if n := len(cells); n > mostFrontierRows {
		cells = slices.DeleteFunc(cells, func(i int) bool { c := &f.of.Cells[i]; return !c.Efficient && !c.Now })
		left = append(left, fmt.Sprintf("%d settings that others beat are not listed: --format csv has them.", n-len(cells)))
	}
	for {
		rows = f.rowsWith(columns, cells)
		if wide(rows) <= width || len(dropped) == len(frontierExtra) {
			break
		}
		name := frontierExtra[len(dropped)]
		dropped = append(dropped, name)
		columns = slices.DeleteFunc(columns, func(c frontierColumn) bool { return c.name == name })
	}
	if len(dropped) > 0 {
		left = append(left, "Left out for want of room: "+strings.Join(dropped, ", ")+"; a wider terminal, --html and --format csv have them.")
	}
	return rows, left
}

// wide returns how many columns rows take.
func wide(rows [][]cell) (n int) {
	for _, w := range columnWidths(rows) {
		n += 2 + w
	}
	return n
}

func (f *Frontier) rowsWith(columns []frontierColumn, cells []int) [][]cell {
	names, units := []cell{left("")}, []cell{left("")}
	for _, name := range f.of.Names {
		names, units = append(names, left(name).in(dim)), append(units, left(""))
	}
	for _, c := range columns {
		names, units = append(names, right(c.name).in(dim)), append(units, right(c.unit).in(dim))
	}
	rows := [][]cell{names, units}
	for _, i := range cells {
		c := &f.of.Cells[i]
		s := c.Sum()
		look := pick(c.Advised, green, pick(c.Efficient || c.Now, plain, dim))
		row := []cell{left(marksOf(c)).in(look)}
		for _, v := range c.Values {
			row = append(row, left(cmp.Or(v, "left out")).in(look))
		}
		for _, column := range columns {
			row = append(row, right(column.of(c, &s)).in(look))
		}
		rows = append(rows, row)
	}
	return rows
}

// marksOf tells what a cell is without colour.
func marksOf(c *frontier.Cell) string {
	mark := pick(c.Advised, "▶", pick(c.Efficient, "●", pick(c.Beside, "", "·")))
	return mark + pick(c.Now, "○", "")
}

// plotTitle says what the axes of a plot are.
func (f *Frontier) plotTitle(unit string) string {
	what := fmt.Sprintf("Opportunities inside %s (up) for cost (right)", budgets.Duration.Format(f.of.Limit.Value))
	if unit == frontier.Dollars {
		return what + ", USD for 1,000 keys"
	}
	return what + ", seconds of " + unit + " for 1,000 keys"
}

// Sizes of a plot in letters.
const (
	plotWide = 72
	plotHigh = 14
)

// plot draws the cells of one unit of costs in letters. What matters more is drawn over the rest.
func (f *Frontier) plot(unit string) (lines []string) {
	most, least := 0., 1.
	for _, i := range f.order() {
		c := &f.of.Cells[i]
		if s := c.Sum(); c.Rate.Unit == unit && s.Opportunities > 0 {
			most, least = max(most, s.Cost), min(least, s.Inside)
		}
	}
	low := math.Floor(least*10) / 10
	if f.of.Goal > 0 {
		low = min(low, math.Floor(f.of.Goal*10)/10-.1)
	}
	low = max(0, low)
	at := func(inside float64) int {
		return min(plotHigh-1, int(math.Round((1-inside)/(1-low)*(plotHigh-1))))
	}
	grid := make([][]rune, plotHigh)
	for y := range grid {
		grid[y] = []rune(strings.Repeat(pick(f.of.Goal > 0 && y == at(f.of.Goal), "┄", " "), plotWide))
	}
	for _, layer := range []rune{'·', '○', '●', '▶'} {
		for _, i := range f.order() {
			c := &f.of.Cells[i]
			s := c.Sum()
			if c.Rate.Unit == unit && s.Opportunities > 0 && strings.ContainsRune(marksOf(c), layer) && most > 0 {
				grid[at(s.Inside)][min(plotWide-1, int(s.Cost/most*(plotWide-1)))] = layer
			}
		}
	}
	for y, row := range grid {
		label := ""
		switch y {
		case 0:
			label = "100 %"
		case plotHigh - 1:
			label = budgets.Number(100*low, 0) + " %"
		}
		if f.of.Goal > 0 && y == at(f.of.Goal) {
			label = budgets.Number(100*f.of.Goal, 0) + " %"
		}
		lines = append(lines, fmt.Sprintf("%6s │%s", label, strings.TrimRight(string(row), " ")))
	}
	scale := significant(most)
	return append(lines, "       └"+strings.Repeat("─", plotWide), "        0"+strings.Repeat(" ", plotWide-1-len(scale))+scale)
}

// pick returns one of two.
func pick[T any](is bool, a, b T) T {
	if is {
		return a
	}
	return b
}
