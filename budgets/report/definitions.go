package report

import (
	"slices"
	"strings"

	"halfsecond/budgets"
)

// definition is what a metric that a page shows is.
type definition struct{ name, formula string }

// defined are the metrics that a page shows and that are taken over the same things.
type defined struct {
	over    string
	metrics []definition
}

// definitionsShown are the definitions of the metrics that a page shows, by what they are
// over, in the order of the page. A formula is there once: what is made alike says as which.
func (r *Report) definitionsShown() (all []defined) {
	as := map[string]string{} // the first metric by its formula
	for _, pool := range r.shownPools() {
		m := &pool.Metric
		over := overOf(m)
		at := slices.IndexFunc(all, func(d defined) bool { return d.over == over })
		if at < 0 {
			at = len(all)
			all = append(all, defined{over: over})
		}
		all[at].metrics = append(all[at].metrics, definition{m.Name, formulaOf(m, as)})
	}
	return all
}

// dividing is what metrics are over whose formula ends with it already.
const dividing = "what each is divided by"

// overOf returns what a metric is over, for the head of its group.
func overOf(m *budgets.Metric) string {
	if strings.HasSuffix(m.Formula, " / "+m.Over) {
		return dividing
	}
	return m.Over
}

// formulaOf returns how a metric is made, and what to know of its values.
func formulaOf(m *budgets.Metric, as map[string]string) string {
	words := m.Formula
	if first, again := as[m.Formula]; again {
		words = "as " + first
	} else {
		as[m.Formula] = m.Name
	}
	if m.Caveat != "" {
		words += ". " + m.Caveat
	}
	return words
}

// definitions writes what the metrics of a terminal page are.
func (r *Report) definitions(p *page) {
	p.heading("What the metrics are, by what they are over")
	for _, d := range r.definitionsShown() {
		p.paragraph(2, plain, d.over)
		for _, m := range d.metrics {
			p.definition(m.name, m.formula)
		}
	}
}

// definitions writes the same for a browser.
func (w *webPage) definitions(r *Report) {
	w.element("h2", "", "What the metrics are, by what they are over")
	for _, d := range r.definitionsShown() {
		w.element("p", "", d.over)
		w.b.WriteString("<dl>\n")
		for _, m := range d.metrics {
			w.element("dt", "", m.name)
			w.element("dd", "dim", m.formula)
		}
		w.b.WriteString("</dl>\n")
	}
}

// definitions writes the same as Markdown.
func (m *markdown) definitions(r *Report) {
	for _, d := range r.definitionsShown() {
		m.paragraph("Over " + d.over + ":")
		for _, x := range d.metrics {
			m.bullet(x.name + ": " + x.formula)
		}
		m.end()
	}
}
