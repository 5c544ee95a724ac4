package grid

import (
	"fmt"

	"halfsecond/budgets"
	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
	"halfsecond/pipeline/trace"
)

// unfit says why the tester was too late for anything to follow from its cells: it was as
// late as the shortest TTFT is long, so that what a cell took may be the tester's own. There
// is no budget beside which it could be late, and less than that shows in the intervals.
// Where no cell took so long that its lateness has a p99, the median of the worst cell
// stands for it, or the largest where there are too few looks at the clock for a p99 at all:
// of the many of all cells one may well be a hiccup.
func (g *Grid) unfit(l trace.Lateness) string {
	late, name := l.P99, "p99"
	switch {
	case late != pipeline.Unknown:
	case l.N < quantile.P99.Needs():
		late, name = l.Max, "largest"
	default:
		late, name = l.P50, "p50 of a cell"
	}
	shortest, ok := g.shortest()
	if !ok || late == pipeline.Unknown || float64(late) < shortest {
		return ""
	}
	was, took, _ := budgets.Duration.FormatBeside(float64(late), shortest)
	return fmt.Sprintf("the tester itself ran %s late (%s), no less than the shortest TTFT took (%s)", was, name, took)
}

// shortest returns the smallest median TTFT of a cell, and whether there is one.
func (g *Grid) shortest() (least float64, ok bool) {
	for i := range g.Cells {
		if v, known := g.Cells[i].Sample(TTFT).Median(); known && (!ok || v < least) {
			least, ok = v, true
		}
	}
	return least, ok
}
