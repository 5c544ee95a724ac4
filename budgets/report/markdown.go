package report

import (
	"fmt"
	"io"
	"strings"

	"halfsecond/budgets"
)

// verdictSigns stand before a verdict where colour means nothing.
var verdictSigns = map[budgets.Verdict]string{budgets.Pass: "✅", budgets.Fail: "❌", budgets.Unmeasured: "⚠️"}

// Markdown writes the run as a page for a pull request: the verdict and the budgets in
// sight, the rest folded away.
func (r *Report) Markdown(w io.Writer) error {
	var m markdown
	m.heading(3, fmt.Sprintf("%s %s on %s", verdictSigns[r.Verdict], r.Scenario, r.Target))
	m.paragraph(r.Summary)
	if t := r.Tester; t != nil && t.Advice != nil {
		m.paragraph(*t.Advice)
	}
	if len(r.Budgets) > 0 {
		m.table(r.budgetRows())
		for _, text := range r.reasons(func(*budgets.Judgement) bool { return true }) {
			m.bullet(text)
		}
		m.end()
	}
	m.section(4, r.v2v())
	if why := r.why(); why != "" {
		m.paragraph(why)
	}
	r.markDiagnoses(&m)
	m.section(4, r.settingsSection())
	for _, text := range r.loadNotes() {
		m.paragraph(text)
	}
	r.markTurns(&m)
	if r.Ghost != nil {
		m.fold("Ghost text", func() {
			for _, s := range r.ghostSections() {
				m.section(4, s)
			}
		})
	}
	m.fold("Metrics and stages", func() {
		m.section(4, r.stageSection())
		m.section(4, r.metricSection())
		for _, s := range r.networkSections() {
			m.section(4, s)
		}
	})
	m.fold("What the metrics are", func() { m.definitions(r) })
	m.paragraph(strings.Join(r.facts(), " · "))
	return m.writeTo(w)
}
