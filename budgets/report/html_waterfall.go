package report

import (
	"fmt"
	"time"

	"halfsecond/budgets"
)

// waterfall draws one interaction. limit is where the budget ends, 0 for none.
func (w *webPage) waterfall(title string, e *budgets.Exemplar, limit time.Duration) {
	w.element("h2", "", title)
	rows := bars(e)
	if len(rows) == 0 {
		w.element("p", "", "It waited for no stage"+source(e)+".")
		return
	}
	unit := tableUnit(e.Value)
	names, ends := make([]string, len(rows)), make([]string, len(rows))
	for i, b := range rows {
		names[i] = b.name
		ends[i] = unit.span(b.length)
		if note := b.note(unit); note != "" {
			ends[i] += ", " + note
		}
	}
	s := stripBeside(0, max(e.Value, limit, 1), names, ends)
	height := rowHeight*len(rows) + 44
	w.picture(title, height, func() {
		for i, b := range rows {
			w.row(b, names[i], ends[i], s, float64(28+rowHeight*i))
		}
		w.landing(s, e.Value, limit, height)
	})
	for _, words := range besideBars(e) {
		w.element("p", "dim", words)
	}
}

// landing draws lines at 0, where the budget ends, and where the interaction landed. Where two
// of them stand too near for both labels, the budget's is the one that is left out: its line
// is named below.
func (w *webPage) landing(s strip, at, limit time.Duration, height int) {
	lands := budgets.Duration.Format(float64(at))
	w.upright(s.x(0), height, "line", "0")
	if limit > 0 {
		label := "budget " + budgets.Duration.Format(float64(limit))
		if far := s.x(limit) - s.x(at); at != limit && max(far, -far) < (textWidth(label)+textWidth(lands))/2+6 {
			label = ""
		}
		w.upright(s.x(limit), height, "limit", label)
	}
	if at != limit {
		w.upright(s.x(at), height, "line", lands)
	}
}

// upright draws a line from top to bottom with a label over it.
func (w *webPage) upright(x float64, height int, color, label string) {
	fmt.Fprintf(&w.b, "<path d=\"M%.1f 22V%d\" stroke=\"var(--%s)\"/>", x, height-14, color)
	if label != "" {
		fmt.Fprintf(&w.b, "<text class=\"dim\" x=\"%.1f\" y=\"14\" text-anchor=\"middle\">%s</text>", x, said(label))
	}
	w.b.WriteByte('\n')
}

// row draws one bar with its name and its length.
func (w *webPage) row(b bar, name, end string, s strip, y float64) {
	mid, color := y+rowHeight/2, "wait"
	if b.critical && !b.wait {
		color = "ask"
	}
	w.label(s.left-12, mid, "end", name)
	fmt.Fprintf(&w.b, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"10\" fill=\"var(--%s)\"/>\n", s.x(b.start), mid-5, max(s.x(b.end)-s.x(b.start), 1), color)
	w.label(s.right+14, mid, "start", end)
}
