package report

import (
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
	"time"

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
	w.b.WriteString("<div class=\"wide\"><table>\n")
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
	w.b.WriteString("</table></div>\n")
}

// pageStyle is the style of a page, in light and in dark.
const pageStyle = `:root{color-scheme:light dark;--ink:#1c2330;--dim:#667085;--line:#d5dae3;--back:#fff;--wait:#c9d2e0;--ask:#4477aa;--rest:#a9c4de;--text:#228833;--shut:#cc3311;--limit:#aa3377;--warn:#8a5a00}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ef;--dim:#98a2b3;--line:#3a4353;--back:#14181f;--wait:#465063;--ask:#66a3d9;--rest:#33506e;--text:#55bb66;--shut:#ff7755;--limit:#dd77aa;--warn:#e0b050}}
body{font:15px/1.45 system-ui,sans-serif;color:var(--ink);background:var(--back);max-width:1060px;margin:2em auto;padding:0 1em}
h1{font-size:1.25em}h2{font-size:1.05em;margin:1.8em 0 .4em}p{margin:.4em 0}dl{display:grid;grid-template-columns:max-content 1fr;gap:.15em 1em;margin:.3em 0 .8em}dd{margin:0}@media(max-width:600px){dl{display:block}dd{margin:0 0 .4em 1em}}.dim{color:var(--dim)}.fail{color:var(--shut)}.unmeasured,.warn{color:var(--warn)}.pass{color:var(--text)}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}th{color:var(--dim);font-weight:normal;text-align:left}td,th{padding:.15em .9em .15em 0;border-bottom:1px solid var(--line)}.n{text-align:right;white-space:nowrap}.in{padding-left:1.2em}
.wide{overflow-x:auto}svg{width:100%;min-width:900px;height:auto;font:12px system-ui,sans-serif}svg text{fill:var(--ink)}svg .dim{fill:var(--dim)}`

// HTML writes the run as one page for a browser, with its pictures in it.
func (r *Report) HTML(out io.Writer) error {
	w := &webPage{}
	fmt.Fprintf(&w.b, "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>%s</title>\n<style>%s</style>\n",
		said(r.Scenario+" on "+r.Target), pageStyle)
	w.head(r)
	w.section(r.v2v())
	if why := r.why(); why != "" {
		w.element("p", "", why)
	}
	if len(r.Budgets) > 0 {
		w.section(section{title: "Budgets", rows: r.budgetRows(), notes: r.budgetNotes()})
	}
	w.waterfalls(r)
	w.diagnoses(r)
	for _, s := range r.leverSections() {
		w.section(s)
	}
	for _, s := range []section{r.settingsSection(), r.curveSection(), r.callSection(), r.asideSection(), r.dashboardSection()} {
		w.section(s)
	}
	if lines := r.timelines(); len(lines) > 0 {
		for _, t := range lines {
			w.timeline(t)
		}
		w.element("p", "dim", timelineColors)
		w.element("p", "dim", verdictLegend(lines))
	}
	for _, s := range slices.Concat(r.ghostSections(), []section{r.stageSection(), r.metricSection()}, r.networkSections()) {
		w.section(s)
	}
	w.section(section{title: "Notes", notes: r.noteLines()})
	w.definitions(r)
	if _, err := io.WriteString(out, w.b.String()+"</html>\n"); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// head says the verdict, and what was run.
func (w *webPage) head(r *Report) {
	w.element("h1", r.Verdict.String(), r.Summary)
	if t := r.Tester; t != nil && t.Advice != nil {
		w.element("p", "warn", *t.Advice)
	}
	for _, line := range r.ran() {
		w.element("p", "dim", line)
	}
}

// waterfalls draws the interactions that stand for others.
func (w *webPage) waterfalls(r *Report) {
	l, _ := r.analysis.LandingLimit()
	for i := range r.analysis.Exemplars {
		e := &r.analysis.Exemplars[i]
		w.waterfall(r.exemplarTitle(e), e, time.Duration(l.Value))
	}
	if words := r.noTail(); words != "" {
		w.element("p", "dim", words)
	}
	if len(r.analysis.Exemplars) > 0 {
		w.element("p", "dim", "Blue, critical: these follow each other without a gap and add up to the landing. Grey: waits, and what was not critical. "+slackWords+" Violet line: the budget.")
	}
}

// diagnoses says what was found in the run.
func (w *webPage) diagnoses(r *Report) {
	if len(r.Diagnoses) == 0 {
		return
	}
	w.element("h2", "", "Diagnosis")
	for i := range r.Diagnoses {
		d := &r.Diagnoses[i]
		w.element("p", "warn", d.head())
		w.b.WriteString("<ul>\n")
		for _, e := range d.Evidence {
			w.element("li", "", e)
		}
		w.element("li", "", "Fix: "+d.Fix)
		w.b.WriteString("</ul>\n")
	}
}

// budgetNotes say of budgets what is to be said.
func (r *Report) budgetNotes() []string {
	notes := r.reasons(func(j *budgets.Judgement) bool { return j.Verdict != budgets.Pass })
	if text := r.worthNote(); text != "" {
		notes = append(notes, text)
	}
	return notes
}
