package report

import (
	"fmt"
	"time"

	"halfsecond/budgets"
	"halfsecond/budgets/ghost"
	"halfsecond/pipeline"
)

// Pictures are drawn in units of their view: a row for each key or stage, with its name at the
// left, what became of it at the right, and time from left to right between.
const (
	rowHeight  = 24
	wholeWidth = 1000
	leastStrip = 300.0 // of time; labels that leave less are cut
)

// strip turns instants into places between its edges.
type strip struct {
	from, to    time.Duration
	left, right float64
}

// stripBeside returns the strip that the labels at both ends of rows leave.
func stripBeside(from, to time.Duration, names, ends []string) strip {
	s := strip{from: from, to: to, left: widest(names) + 24, right: wholeWidth - widest(ends) - 14}
	if s.right-s.left < leastStrip {
		s.left = min(s.left, wholeWidth/2-leastStrip/2)
		s.right = s.left + leastStrip
	}
	return s
}

func (s strip) x(at time.Duration) float64 {
	at = min(max(at, s.from), s.to)
	return s.left + (s.right-s.left)*float64(at-s.from)/float64(s.to-s.from)
}

// widest returns the width of the widest label.
func widest(labels []string) (w float64) {
	for _, l := range labels {
		w = max(w, textWidth(l))
	}
	return w
}

// textWidth returns how wide a label of 12 units is, at most: which font a browser takes is not
// known, and the widest of the usual ones, Verdana, has letters of 0.64 em on average and digits of
// 0.636; those of scripts that fill a square have 1.
func textWidth(label string) (w float64) {
	for _, c := range label {
		switch {
		case c < 0x1100:
			w += 7.8
		default:
			w += 13
		}
	}
	return w
}

// stripOf spans what a timeline shows.
func stripOf(t *timeline) strip {
	from, to := t.moments[0].Due, t.moments[0].Due
	var names, ends []string
	for i := range t.moments {
		m := &t.moments[i]
		for _, at := range []time.Duration{m.Due, m.Waited, m.Text, m.Ends()} {
			if at != pipeline.Unknown {
				to = max(to, at)
			}
		}
		names, ends = append(names, clipped(m.Typed(), 10)), append(ends, fateOf(m))
	}
	to += max((to-from)/50, time.Millisecond)
	return stripBeside(from, to, names, ends)
}

// picture writes a picture of so many rows' height, which a narrow screen scrolls.
func (w *webPage) picture(title string, height int, draw func()) {
	fmt.Fprintf(&w.b, "<div class=\"wide\"><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n", wholeWidth, height, said(title))
	draw()
	w.b.WriteString("</svg></div>\n")
}

// label writes a text beside a row; anchor is which end of it stands at x.
func (w *webPage) label(x, mid float64, anchor, text string) {
	fmt.Fprintf(&w.b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, mid+4, anchor, said(text))
}

// timeline draws a timeline.
func (w *webPage) timeline(t timeline) {
	if len(t.moments) == 0 {
		return
	}
	w.element("h2", "", t.title)
	s := stripOf(&t)
	height := rowHeight*len(t.moments) + 44
	w.picture(t.title, height, func() {
		w.axis(s, height)
		for i := range t.moments {
			w.moment(&t.moments[i], s, float64(28+rowHeight*i), t.limit)
		}
	})
}

// timelineColors say what the colours of a timeline are.
const timelineColors = "Grey: waits before the request, or until the next key overtakes it. Blue: the request until there is text, then lighter the rest of the answer. Green dot: text is there. Red bar: the request is closed. Violet line: the budget, counted from the key."

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
		w.upright(s.x(s.from+at), height, "line", budgets.Number(at.Seconds(), 1)+" s")
	}
}

// moment draws one key.
func (w *webPage) moment(m *ghost.Moment, s strip, y float64, limit time.Duration) {
	mid := y + rowHeight/2
	w.label(s.left-12, mid, "end", clipped(m.Typed(), 10))
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
	w.label(s.right+14, mid, "start", fateOf(m))
}

// fateOf says what became of a key, when its text was there, and of how many tokens.
func fateOf(m *ghost.Moment) string {
	words := m.Fate()
	if m.Text != pipeline.Unknown && m.Text > m.Due {
		words += ", " + length(m.Text-m.Due)
	}
	if m.Request != nil && m.Request.Output() >= 0 {
		words += ", " + counted(m.Request.Output(), "token")
	}
	return words
}
