package report

import (
	"fmt"
	"io"
	"math"
	"slices"

	"halfsecond/budgets"
	"halfsecond/budgets/grid"
)

// BenchComparison puts one comparison beside another of the same cells, such as mock
// beside sim, by the medians of the cells. Its JSON fields:
//
//	a, b          targets
//	differences   list of metric; cells (that both measured); median and largest, the absolute difference of b
//	              from a as parts of a; null where no cell is shared; and model, variant, prompt_tokens of the largest
type BenchComparison struct {
	A           string            `json:"a"`
	B           string            `json:"b"`
	Differences []BenchDifference `json:"differences"`
	lateness    *Lateness
}

// BenchDifference is one metric over all cells.
type BenchDifference struct {
	Metric       string   `json:"metric"`
	Cells        int      `json:"cells"`
	Median       *float64 `json:"median"`
	Largest      *float64 `json:"largest"`
	Model        string   `json:"model"`
	Variant      string   `json:"variant"`
	PromptTokens int      `json:"prompt_tokens"`
}

// CompareBench returns how far b is from a.
func CompareBench(a, b *Bench) BenchComparison {
	c := BenchComparison{A: a.Target, B: b.Target, Differences: []BenchDifference{}, lateness: b.Lateness}
	for _, m := range grid.Metrics() {
		if b.measured(m) {
			c.Differences = append(c.Differences, difference(a.grid, b.grid, m))
		}
	}
	return c
}

func difference(a, b *grid.Grid, m grid.Metric) BenchDifference {
	out := BenchDifference{Metric: m.String()}
	var sizes []float64
	for i := range b.Cells {
		y := &b.Cells[i]
		at := slices.IndexFunc(a.Cells, func(x grid.Cell) bool { return x.Key == y.Key && x.Prompt == y.Prompt })
		if at < 0 {
			continue
		}
		va, okA := a.Cells[at].Sample(m).Median()
		vb, okB := y.Sample(m).Median()
		if !okA || !okB || va == 0 {
			continue
		}
		size := math.Abs(vb-va) / va
		if sizes = append(sizes, size); out.Largest == nil || size > *out.Largest {
			out.Largest, out.Model, out.Variant, out.PromptTokens = &size, y.Model, y.Variant, y.Prompt
		}
	}
	out.Cells = len(sizes)
	slices.Sort(sizes)
	if median, ok := grid.Sample(sizes).Median(); ok {
		out.Median = &median
	}
	return out
}

// Table writes the comparison as a few lines for a terminal.
func (c BenchComparison) Table(w io.Writer, o Options) error {
	p := newPage(o)
	p.line(p.paint(bold, fmt.Sprintf("%s beside %s, by the medians of the cells", c.B, c.A)))
	rows := [][]cell{{left("").in(dim), right("cells").in(dim), right("median difference").in(dim), right("largest").in(dim), left("").in(dim)}}
	for _, d := range c.Differences {
		row := []cell{left(d.Metric), right(count(d.Cells)), right("-"), right("-"), left("")}
		if d.Median != nil {
			row[2] = right(budgets.Number(100**d.Median, 2) + " %")
		}
		if d.Largest != nil {
			row[3] = right(budgets.Number(100**d.Largest, 2) + " %")
			row[4] = left(fmt.Sprintf("%s, %s, %s tokens", d.Model, d.Variant, count(d.PromptTokens))).in(dim)
		}
		rows = append(rows, row)
	}
	p.rows(rows)
	if c.lateness != nil {
		p.paragraph(2, dim, c.B+": "+c.lateness.words())
	}
	if _, err := io.WriteString(w, p.b.String()); err != nil {
		return fmt.Errorf("write comparison: %w", err)
	}
	return nil
}
