package report

import (
	"fmt"
	"html"
	"io"
	"strings"

	"halfsecond/budgets"
	"halfsecond/pipeline"
)

// webPage is an HTML page under way: one file, with its style and pictures in it.
type webPage struct{ b strings.Builder }

// element writes text between tags.
func (w *webPage) element(tag, class, text string) {
	if text == "" {
		return
	}
	if class != "" {
		class = fmt.Sprintf(` class="%s"`, class)
	}
	fmt.Fprintf(&w.b, "<%s%s>%s</%s>\n", tag, class, said(text), tag)
}

// said makes text mean itself in HTML; what is not printed is escaped too, since a server may
// have said it.
func said(text string) string { return html.EscapeString(pipeline.Printable(text)) }

// section writes a section, unless it holds nothing.
func (w *webPage) section(s section) {
	if s.empty() {
		return
	}
	w.element("h2", "", s.title)
	if len(s.rows) > 1 {
		w.table(s.rows)
	}
	for _, n := range s.notes {
		w.element("p", "", n)
	}
}

// table writes rows, the first of which is the header. Blanks at the start of a name indent it.
func (w *webPage) table(rows [][]cell) {
	w.b.WriteString("<table>\n")
	for i, row := range rows {
		tag := "td"
		if i == 0 {
			tag = "th"
		}
		w.b.WriteString("<tr>")
		for _, c := range row {
			var classes []string
			if c.right {
				classes = append(classes, "n")
			}
			if strings.HasPrefix(c.text, "  ") {
				classes = append(classes, "in")
			}
			fmt.Fprintf(&w.b, `<%s class="%s">%s</%s>`, tag, strings.Join(classes, " "), said(strings.TrimSpace(c.text)), tag)
		}
		w.b.WriteString("</tr>\n")
	}
	w.b.WriteString("</table>\n")
}

// pageStyle is the style of a page, in light and in dark.
const pageStyle = `:root{color-scheme:light dark;--ink:#1c2330;--dim:#667085;--line:#d5dae3;--back:#fff;--wait:#c9d2e0;--ask:#4477aa;--rest:#a9c4de;--text:#228833;--shut:#cc3311;--limit:#aa3377}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ef;--dim:#98a2b3;--line:#3a4353;--back:#14181f;--wait:#465063;--ask:#66a3d9;--rest:#33506e;--text:#55bb66;--shut:#ff7755;--limit:#dd77aa}}
body{font:15px/1.45 system-ui,sans-serif;color:var(--ink);background:var(--back);max-width:1060px;margin:2em auto;padding:0 1em}
h1{font-size:1.25em}h2{font-size:1.05em;margin:1.8em 0 .4em}p{margin:.4em 0}.dim{color:var(--dim)}.fail{color:var(--shut)}.pass{color:var(--text)}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}th{color:var(--dim);font-weight:normal;text-align:left}td,th{padding:.15em .9em .15em 0;border-bottom:1px solid var(--line)}.n{text-align:right}.in{padding-left:1.2em}
svg{width:100%;height:auto;font:12px system-ui,sans-serif}svg text{fill:var(--ink)}svg .dim{fill:var(--dim)}`

// HTML writes the run as one page for a browser, with its pictures in it.
func (r *Report) HTML(out io.Writer) error {
	w := &webPage{}
	fmt.Fprintf(&w.b, "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>%s</title>\n<style>%s</style>\n",
		said(r.Scenario+" on "+r.Target), pageStyle)
	w.element("h1", r.Verdict.String(), r.Summary)
	if why := r.why(); why != "" {
		w.element("p", "", why)
	}
	w.element("p", "dim", strings.Join(r.facts(), " · "))
	if len(r.Budgets) > 0 {
		w.section(section{title: "Budgets", rows: r.budgetRows(), notes: r.budgetNotes()})
	}
	w.section(r.v2v())
	for _, t := range r.timelines() {
		w.timeline(t)
	}
	for _, s := range r.ghostSections() {
		w.section(s)
	}
	w.section(r.settingsSection())
	w.section(r.callSection())
	w.section(r.stageSection())
	w.section(r.metricSection())
	for _, s := range r.networkSections() {
		w.section(s)
	}
	w.definitions(r)
	if _, err := io.WriteString(out, w.b.String()+"</html>\n"); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// budgetNotes say of budgets what is to be said.
func (r *Report) budgetNotes() []string {
	notes := r.reasons(func(j *budgets.Judgement) bool { return j.Verdict != budgets.Pass })
	if text := r.worthNote(); text != "" {
		notes = append(notes, text)
	}
	return notes
}

// definitions says what the metrics are.
func (w *webPage) definitions(r *Report) {
	w.element("h2", "", "What the metrics are")
	w.b.WriteString("<dl>\n")
	for _, pool := range r.shownPools() {
		w.element("dt", "", pool.Metric.Name)
		w.element("dd", "dim", r.Formulas[pool.Metric.Name])
	}
	w.b.WriteString("</dl>\n")
}
