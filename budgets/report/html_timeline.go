package report

import (
	"fmt"
	"time"

	"halfsecond/budgets"
	"halfsecond/budgets/ghost"
	"halfsecond/pipeline"
)

// The picture of a timeline, in units of its view: a row for each key, with what was typed at
// the left, what became of it at the right, and time from left to right between.
const (
	rowHeight  = 24
	leftEdge   = 90.0
	rightEdge  = 800.0
	wholeWidth = 1000
)

// strip turns instants into places.
type strip struct{ from, to time.Duration }

func (s strip) x(at time.Duration) float64 {
	at = min(max(at, s.from), s.to)
	return leftEdge + (rightEdge-leftEdge)*float64(at-s.from)/float64(s.to-s.from)
}

// stripOf spans what a timeline shows.
func stripOf(t *timeline) strip {
	s := strip{t.moments[0].Due, t.moments[0].Due}
	for i := range t.moments {
		m := &t.moments[i]
		for _, at := range []time.Duration{m.Due, m.Waited, m.Text, m.Ends()} {
			if at != pipeline.Unknown {
				s.to = max(s.to, at)
			}
		}
	}
	s.to += max((s.to-s.from)/50, time.Millisecond)
	return s
}

// timeline draws a timeline.
func (w *webPage) timeline(t timeline) {
	if len(t.moments) == 0 {
		return
	}
	w.element("h2", "", t.title)
	s := stripOf(&t)
	height := rowHeight*len(t.moments) + 44
	fmt.Fprintf(&w.b, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n", wholeWidth, height, said(t.title))
	w.axis(s, height)
	for i := range t.moments {
		w.moment(&t.moments[i], s, float64(28+rowHeight*i), t.limit)
	}
	w.b.WriteString("</svg>\n")
	w.element("p", "dim", "Grey: waits before the request, or until the next key overtakes it. Blue: the request until there is text, then lighter the rest of the answer. Green dot: text is there. Red bar: the request is closed. Violet line: the budget, counted from the key.")
}

// mostLabels is how many labels of time stand beside each other.
const mostLabels = 15

// axis draws a line for each half second, for less where there is little time, and for more
// where there is much.
func (w *webPage) axis(s strip, height int) {
	every := 500 * time.Millisecond
	if s.to-s.from < 1500*time.Millisecond {
		every = 100 * time.Millisecond
	}
	for (s.to-s.from)/every > mostLabels {
		every *= 2
	}
	for at := time.Duration(0); s.from+at <= s.to; at += every {
		x := s.x(s.from + at)
		fmt.Fprintf(&w.b, "<path d=\"M%.1f 22V%d\" stroke=\"var(--line)\"/><text class=\"dim\" x=\"%.1f\" y=\"14\" text-anchor=\"middle\">%s</text>\n",
			x, height-14, x, budgets.Number(at.Seconds(), 1)+" s")
	}
}

// moment draws one key.
func (w *webPage) moment(m *ghost.Moment, s strip, y float64, limit time.Duration) {
	mid := y + rowHeight/2
	fmt.Fprintf(&w.b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", leftEdge-12, mid+4, said(clipped(m.Typed(), 10)))
	bar := func(from, to time.Duration, color string) {
		if from != pipeline.Unknown && to != pipeline.Unknown && to > from {
			fmt.Fprintf(&w.b, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"10\" fill=\"var(--%s)\"/>\n", s.x(from), mid-5, max(s.x(to)-s.x(from), 1), color)
		}
	}
	upright := func(at time.Duration, color string) {
		if at != pipeline.Unknown && at <= s.to {
			fmt.Fprintf(&w.b, "<path d=\"M%.1f %.1fv16\" stroke=\"var(--%s)\" stroke-width=\"2\"/>\n", s.x(at), mid-8, color)
		}
	}
	upright(m.Due, "ink")
	bar(m.Due, m.Waited, "wait")
	if m.Request != nil {
		text, ends := m.Text, m.Ends()
		if text == pipeline.Unknown || ends != pipeline.Unknown && text > ends {
			text = ends
		}
		bar(m.Waited, text, "ask")
		bar(text, ends, "rest")
		if limit > 0 {
			upright(m.Due+limit, "limit")
		}
	}
	upright(m.Closed(), "shut")
	if m.Text != pipeline.Unknown {
		fmt.Fprintf(&w.b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\" fill=\"var(--text)\"/>\n", s.x(m.Text), mid)
	}
	fmt.Fprintf(&w.b, "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n", rightEdge+14, mid+4, said(fateOf(m)))
}

// fateOf says what became of a key, when its text was there, and of how many tokens.
func fateOf(m *ghost.Moment) string {
	words := m.Fate()
	if m.Text != pipeline.Unknown && m.Text > m.Due {
		words += ", " + length(m.Text-m.Due)
	}
	if n := tokensOf(m); n != "" && n != "-" {
		words += ", " + n + " tokens"
	}
	return words
}
