package report

import (
	"fmt"

	"halfsecond/budgets"
	"halfsecond/pipeline/quantile"
)

// More is what a report shows that the run's own traces do not tell, or that others find
// in them. Each part may be left out.
type More struct {
	Diagnoses []Diagnosis
	Changes   *budgets.Changes
	Curve     *budgets.Curve
}

// Diagnosis is a known failure that somebody found in the run.
type Diagnosis struct {
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	Evidence []string `json:"evidence"`
	Fix      string   `json:"fix"`
	Cost     *float64 `json:"cost_ms"` // how much sooner replies would land without it, on average; nil for unknown
}

// Judged returns the percentile of the landing that a budget limits, p95 before p50; p50
// where none does.
func (r *Report) Judged() quantile.Q {
	q := quantile.P50
	for i := range r.analysis.Judgements {
		b := &r.analysis.Judgements[i].Budget
		if b.Function == budgets.Quantile && b.Metric.Name == r.analysis.Landing().Metric.Name && b.Q == quantile.P95 {
			q = b.Q
		}
	}
	return q
}

// Analysis returns what the report is made of, which must not be changed.
func (r *Report) Analysis() *budgets.Analysis { return r.analysis }

// With adds what is handed in, in place of what was before. Diagnoses take the place of
// those that New finds, unless there are none.
func (r *Report) With(m More) {
	r.changes, r.curve = m.Changes, m.Curve
	if m.Diagnoses != nil {
		r.Diagnoses = m.Diagnoses
	}
	r.Settings, r.Curve = nil, nil
	if r.changes != nil {
		r.Settings = r.settings()
	}
	if r.curve != nil {
		r.curve.Mark()
		r.Curve = curveOf(r.curve)
	}
}

// diagnoses prints what somebody found in the run.
func (r *Report) diagnoses(p *page) {
	if len(r.Diagnoses) == 0 {
		return
	}
	p.heading("Diagnosis")
	for _, d := range r.Diagnoses {
		p.paragraph(2, yellow, d.head())
		for _, e := range d.Evidence {
			p.paragraph(4, plain, "- "+e)
		}
		p.paragraph(4, plain, "Fix: "+d.Fix)
	}
}

func (d *Diagnosis) head() string {
	words := d.ID + ": " + d.Title
	if d.Cost != nil {
		words += fmt.Sprintf(" (costs %s a turn)", orDash(d.Cost))
	}
	return words
}

func (r *Report) markDiagnoses(m *markdown) {
	if len(r.Diagnoses) == 0 {
		return
	}
	m.heading(4, "Diagnosis")
	for _, d := range r.Diagnoses {
		m.paragraph(d.head())
		for _, e := range d.Evidence {
			m.bullet(e)
		}
		m.bullet("Fix: " + d.Fix)
		m.end()
	}
}

// markTurns folds away what a page of voice turns has beside its first tables.
func (r *Report) markTurns(m *markdown) {
	if r.Voice == nil {
		return
	}
	m.fold("Where the time goes", func() {
		for _, s := range append(r.turnTables(), r.callSection(), r.asideSection(), r.curveSection()) {
			m.section(4, s)
		}
	})
	if s := r.dashboardSection(); !s.empty() {
		m.fold("As other dashboards number it", func() { m.section(4, s) })
	}
}
