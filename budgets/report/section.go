package report

import (
	"fmt"
	"io"
	"strings"

	"halfsecond/pipeline"
)

// section is a titled table with notes below it, which a terminal page and a Markdown
// page lay out each in its way. The first row is the header.
type section struct {
	title string
	rows  [][]cell
	notes []string
}

func (s section) empty() bool { return len(s.rows) < 2 && len(s.notes) == 0 }

// section writes a section, unless it holds nothing.
func (p *page) section(s section) {
	if s.empty() {
		return
	}
	p.heading(s.title)
	if len(s.rows) > 1 {
		p.rows(s.rows)
	}
	for _, n := range s.notes {
		if n != "" {
			p.paragraph(2, plain, n)
		}
	}
}

// markdown is a Markdown page under way, as GitHub and GitLab render it.
type markdown struct{ b strings.Builder }

// heading starts a section of a level from 1 on.
func (m *markdown) heading(level int, title string) {
	fmt.Fprintf(&m.b, "%s %s\n\n", strings.Repeat("#", level), escape(title))
}

// paragraph writes one paragraph of plain text.
func (m *markdown) paragraph(text string) {
	if text != "" {
		fmt.Fprintf(&m.b, "%s\n\n", escape(text))
	}
}

// bullet writes one item of a list of plain text; end ends the list.
func (m *markdown) bullet(text string) { fmt.Fprintf(&m.b, "- %s\n", escape(text)) }
func (m *markdown) end()               { m.b.WriteByte('\n') }

// section writes a section, unless it holds nothing.
func (m *markdown) section(level int, s section) {
	if s.empty() {
		return
	}
	m.heading(level, s.title)
	if len(s.rows) > 1 {
		m.table(s.rows)
	}
	for _, n := range s.notes {
		m.paragraph(n)
	}
}

// fold writes sections that a reader has to open.
func (m *markdown) fold(summary string, content func()) {
	fmt.Fprintf(&m.b, "<details><summary>%s</summary>\n\n", escape(summary))
	content()
	m.b.WriteString("</details>\n\n")
}

// table writes rows; the first is the header, which says how columns are aligned. A cell
// may hold anything: it stays one cell.
func (m *markdown) table(rows [][]cell) {
	for i, row := range rows {
		for k := range rows[0] {
			text := ""
			if k < len(row) {
				text = escape(row[k].text)
			}
			m.b.WriteString("| " + text + strings.Repeat(" ", min(len(text), 1)))
		}
		m.b.WriteString("|\n")
		if i > 0 {
			continue
		}
		for _, c := range row {
			if c.right {
				m.b.WriteString("| ---: ")
			} else {
				m.b.WriteString("| --- ")
			}
		}
		m.b.WriteString("|\n")
	}
	m.b.WriteByte('\n')
}

// marks are the characters that mean something in Markdown or its HTML where they stand
// in a line; a backslash before one of them takes the meaning away.
var marks = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`, "|", `\|`, "~", `\~`, "#", `\#`, "&", `\&`, "$", `\$`,
)

// escape makes plain text of one line mean itself in Markdown, wherever it stands in a line.
// What is not printed is escaped too, since a server may have said it.
func escape(text string) string {
	return marks.Replace(pipeline.Printable(strings.Join(strings.Fields(text), " ")))
}

func (m *markdown) writeTo(w io.Writer) error {
	if _, err := io.WriteString(w, strings.TrimRight(m.b.String(), "\n")+"\n"); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}
