package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"halfsecond/budgets"
	"halfsecond/pipeline"
)

// bar is one row of a waterfall: a span, or a wait on the critical path, which
// stands before the row that it delayed.
type bar struct {
	name       string
	start, end time.Duration // since due, within the interaction
	length     time.Duration // Unknown for a span that never ended
	slack      time.Duration // 0 when critical, Unknown when the landing did not wait for it
	critical   bool
	wait       bool
	givenUp    bool // nothing came of it
}

// bars returns the rows of an interaction, in the order of their start. A voice turn has so
// many stages that those which took no time have none.
func bars(e *budgets.Exemplar) []bar {
	var rows []bar
	for id, s := range e.Trace.Spans {
		if e.Trace.Kind == pipeline.KindVoice && s.End == s.Start {
			continue
		}
		if start := s.Start - e.Trace.Due; start < e.Value || start == e.Value && s.End == s.Start {
			rows = append(rows, spanBar(e, pipeline.SpanID(id)))
		}
	}
	for _, s := range e.Path {
		if s.Span == pipeline.NoSpan {
			rows = append(rows, bar{
				name: "(wait)", start: s.Start - e.Trace.Due, end: s.End - e.Trace.Due, length: s.For(), critical: true, wait: true,
			})
		}
	}
	slices.SortStableFunc(rows, func(a, b bar) int { return cmp.Compare(a.start, b.start) })
	return rows
}

func spanBar(e *budgets.Exemplar, id pipeline.SpanID) bar {
	s := e.Trace.Spans[id]
	b := bar{
		name: s.Name, start: max(s.Start-e.Trace.Due, 0), end: e.Value, length: pipeline.Since(s.Start, s.End), slack: e.Slack[id],
		critical: slices.ContainsFunc(e.Path, func(p budgets.Segment) bool { return p.Span == id }),
	}
	if b.length == 0 { // it took no time: nothing to say of it
		b.critical, b.slack = false, pipeline.Unknown
	}
	b.givenUp = s.Name == pipeline.SpanWrongGuess
	if s.End != pipeline.Unknown {
		b.end = min(max(s.End-e.Trace.Due, 0), e.Value)
	}
	return b
}

// waterfall draws one interaction. limit is where the budget ends, 0 for none.
func (p *page) waterfall(title string, e *budgets.Exemplar, limit time.Duration) {
	p.heading(title)
	rows := bars(e)
	if len(rows) == 0 {
		p.paragraph(2, plain, "It waited for no stage"+source(e)+".")
		return
	}
	names, lengths, notes := 0, 0, 0
	unit := tableUnit(e.Value)
	for _, b := range rows {
		names = max(names, utf8.RuneCountInString(b.name))
		lengths = max(lengths, len(unit.span(b.length)))
		notes = max(notes, len(b.note(unit)))
	}
	d := drawing{
		scale: max(e.Value, limit, 1), limit: limit, landing: e.Value,
		cells: max(p.width-names-lengths-notes-9, 10),
	}
	p.line(fmt.Sprintf("  %-*s   %s", names, "", p.paint(dim, d.axis())))
	for _, b := range rows {
		mark, s := " ", dim
		if b.critical {
			mark, s = "●", cyan
		}
		pad := strings.Repeat(" ", names-utf8.RuneCountInString(b.name))
		p.line(fmt.Sprintf("  %s%s %s %s %*s  %s", b.name, pad, mark, p.paint(s, d.row(b)), lengths, unit.span(b.length), p.paint(dim, b.note(unit))))
	}
	for _, words := range besideBars(e) {
		p.paragraph(2, dim, words)
	}
}

// besideBars says what of a voice turn has no bar: stages that took no time, and holes in
// the reply after it began.
func besideBars(e *budgets.Exemplar) (lines []string) {
	if e.Trace.Kind != pipeline.KindVoice {
		return nil
	}
	var none []string
	holes, stalled, first := 0, time.Duration(0), time.Duration(0)
	for _, s := range e.Trace.Spans {
		switch {
		case s.Name == pipeline.SpanUnderrun && s.End != pipeline.Unknown:
			if holes == 0 {
				first = s.Start - e.Trace.Due - e.Value
			}
			holes, stalled = holes+1, stalled+s.For()
		case s.End == s.Start && s.End-e.Trace.Due <= e.Value && !slices.Contains(none, s.Name):
			none = append(none, s.Name)
		}
	}
	if len(none) > 0 {
		lines = append(lines, "no time: "+strings.Join(none, ", "))
	}
	if holes > 0 {
		lines = append(lines, fmt.Sprintf("after the landing: %s, %s in all, the first %s into the reply",
			counted(holes, "underrun"), length(stalled), length(first)))
	}
	return lines
}

// source says where an answer came from that nothing was waited for.
func source(e *budgets.Exemplar) string {
	if s := e.Trace.Fact("source"); s != "" {
		return ": source " + s
	}
	return ""
}

// note is what stands at the end of the row of something not critical.
func (b bar) note(unit columnUnit) string {
	switch {
	case b.length == 0 || b.critical:
		return ""
	case b.slack == pipeline.Unknown && b.givenUp:
		return "given up"
	case b.slack == pipeline.Unknown:
		return "not waited for"
	default:
		return "slack " + unit.span(b.slack)
	}
}

// span returns the length of a span, which may never have ended.
func (u columnUnit) span(d time.Duration) string {
	if d == pipeline.Unknown {
		return "open"
	}
	return u.of(d) + " " + u.name
}

// drawing turns instants into cells.
type drawing struct {
	scale, limit, landing time.Duration
	cells                 int
}

// column returns the cell in which an instant falls, rounded to the nearest edge.
func (d drawing) column(at time.Duration) int {
	return int((int64(at)*int64(d.cells) + int64(d.scale)/2) / int64(d.scale))
}

// row draws one bar: full for what was critical, light for what was not, dashed
// for a wait. A mark shows where the budget ends.
func (d drawing) row(b bar) string {
	cells := slices.Repeat([]rune{' '}, d.cells)
	if d.limit > 0 {
		cells[min(d.column(d.limit), d.cells-1)] = '┊'
	}
	fill := '░'
	switch {
	case b.wait:
		fill = '╌'
	case b.critical:
		fill = '█'
	}
	from := min(d.column(b.start), d.cells-1)
	to := min(max(d.column(b.end), from+1), d.cells)
	if b.end == b.start {
		fill = '│'
	}
	for i := from; i < to; i++ {
		cells[i] = fill
	}
	return string(cells)
}

// axis labels 0, the end of the budget and the landing, each above its cell.
func (d drawing) axis() string {
	cells := slices.Repeat([]rune{' '}, d.cells)
	put := func(at time.Duration, label string) {
		text := []rune(label)
		text = text[:min(len(text), d.cells)]
		from := max(min(d.column(at), d.cells)-len(text), 0)
		to := min(from+len(text)+1, d.cells)
		if slices.ContainsFunc(cells[max(from-1, 0):to], func(r rune) bool { return r != ' ' }) {
			return // no room beside another label
		}
		copy(cells[from:], text)
	}
	cells[0] = '0'
	if d.limit > 0 {
		put(d.limit, "budget "+budgets.Duration.Format(float64(d.limit)))
	}
	if d.landing != d.limit {
		put(d.landing, budgets.Duration.Format(float64(d.landing)))
	}
	return string(cells)
}
