package report

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"halfsecond/pipeline"
)

// style is how a piece of text is set off where colour is allowed.
type style string

const (
	plain  style = ""
	bold   style = "1"
	dim    style = "2"
	red    style = "1;31"
	green  style = "1;32"
	yellow style = "1;33"
	cyan   style = "36"
)

// page is a terminal page under way.
type page struct {
	b     strings.Builder
	width int
	color bool
}

// paint returns the text in a style, or as it is on a page without colour.
func (p *page) paint(s style, text string) string {
	if !p.color || s == plain || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// line writes one line, without spaces at its end.
func (p *page) line(text string) {
	p.b.WriteString(strings.TrimRight(text, " "))
	p.b.WriteByte('\n')
}

// heading starts a section.
func (p *page) heading(text string) {
	p.line("")
	p.line(p.paint(bold, pipeline.Printable(text)))
}

// paragraph writes text wrapped to the page, every line after the indent.
func (p *page) paragraph(indent int, s style, text string) {
	pad := strings.Repeat(" ", indent)
	for _, l := range wrap(text, p.width-indent) {
		p.line(pad + p.paint(s, l))
	}
}

// definition writes a name and, wrapped beside it, what it means.
func (p *page) definition(name, meaning string) { p.explain(4, 18, name, meaning) }

// explain writes a name after an indent, in a column of its own, and words beside it.
func (p *page) explain(indent, column int, name, words string) {
	for i, l := range wrap(words, p.width-indent-column) {
		if i > 0 {
			name = ""
		}
		p.line(strings.Repeat(" ", indent) + p.paint(dim, fmt.Sprintf("%-*s%s", column, name, l)))
	}
}

// wrap breaks text at spaces into lines of at most the given width; a longer
// word has a line of its own. What is not printed is escaped, since a server may have said
// it.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		word = pipeline.Printable(word)
		if line != "" && width < utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// cell is a piece of a table's row, printable wherever its words are from.
type cell struct {
	text  string
	style style
	right bool // aligned to the right of its column
}

func left(text string) cell    { return cell{text: pipeline.Printable(text)} }
func right(text string) cell   { return cell{text: pipeline.Printable(text), right: true} }
func (c cell) in(s style) cell { c.style = s; return c }

// rows writes cells in columns, two spaces between them, after an indent of two.
func (p *page) rows(rows [][]cell) {
	widths := columnWidths(rows)
	for _, row := range rows {
		var line strings.Builder
		for i, c := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c.text))
			if c.right {
				line.WriteString("  " + pad + p.paint(c.style, c.text))
			} else {
				line.WriteString("  " + p.paint(c.style, c.text) + pad)
			}
		}
		p.line(line.String())
	}
}

func columnWidths(rows [][]cell) []int {
	var widths []int
	for _, row := range rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(c.text))
		}
	}
	return widths
}
