package report

import (
	"encoding/json"
	"fmt"
	"io"

	"halfsecond/budgets"
	"halfsecond/budgets/versus"
)

// CheckVersion is the version of the JSON document of a Check.
const CheckVersion = 1

// Check is a stored run held against budgets and, if there is one, a run before it: one verdict
// of both, for a CI job. Its JSON fields:
//
//	check_version  1
//	verdict        "fail" where a budget failed or something that decides is worse; otherwise "unmeasured" where a
//	               budget could not be measured, or nothing could be told beside the run before; else "pass". Of a
//	               run that did not finish always "unmeasured"
//	thresholds     the file that the budgets are from; null for the scenario's own
//	baseline       the run before, as it was named; null for none
//	run            the report of the run, as of 'halfsecond report', judged by these budgets
//	comparison     of the run before (a) and the run (b), as of 'halfsecond compare'; null for none
type Check struct {
	CheckVersion int             `json:"check_version"`
	Verdict      budgets.Verdict `json:"verdict"`
	Thresholds   *string         `json:"thresholds"`
	Baseline     *string         `json:"baseline"`
	Run          *Report         `json:"run"`
	Comparison   *Versus         `json:"comparison"`
}

// NewCheck returns the check of a run that was judged; thresholds names the file that its
// budgets are from, "" for the scenario's own.
func NewCheck(r *Report, thresholds string) *Check {
	c := &Check{CheckVersion: CheckVersion, Thresholds: text(thresholds), Run: r}
	c.judge()
	return c
}

// Beside compares the run with one before it, which is then judged by the same budgets. Name
// is that of the run before. It fails where the two are not of one experiment, see
// versus.Compare.
func (c *Check) Beside(name string, before *versus.Run, set versus.Settings) error {
	a := c.Run.analysis
	compared, err := versus.Compare(before.Under(a), versus.Of(a), set)
	if err != nil {
		return err
	}
	c.Baseline, c.Comparison = &name, NewVersus(compared)
	c.judge()
	return nil
}

// judge settles the verdict of both.
func (c *Check) judge() {
	worse := c.Comparison != nil && c.Comparison.Verdict == versus.Regression
	untold := c.Comparison != nil && c.Comparison.Verdict == versus.Undecided
	switch {
	case !c.Run.Finished:
		c.Verdict = budgets.Unmeasured
	case c.Run.Verdict == budgets.Fail || worse:
		c.Verdict = budgets.Fail
	case c.Run.Verdict == budgets.Unmeasured || untold:
		c.Verdict = budgets.Unmeasured
	default:
		c.Verdict = budgets.Pass
	}
}

// JSON writes the document, indented, with a line feed at its end.
func (c *Check) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(c); err != nil {
		return fmt.Errorf("write check: %w", err)
	}
	return nil
}

// Table writes what was checked as a terminal page: the verdicts, the budgets and the figures
// that decide. What explains them is in the reports of the run and of the comparison.
func (c *Check) Table(w io.Writer, o Options) error {
	p := newPage(o)
	r := c.Run
	p.paragraph(0, verdictStyles[c.Verdict], c.sentence())
	p.line("")
	r.head(p)
	if why := r.why(); why != "" {
		p.paragraph(0, plain, why)
	}
	r.budgetTable(p)
	if c.Thresholds != nil {
		p.paragraph(2, dim, c.from())
	}
	if v := c.Comparison; v != nil {
		p.heading("Beside " + *c.Baseline)
		p.paragraph(2, versusStyles[v.Verdict], v.Summary)
		for _, warning := range v.Warnings {
			p.paragraph(2, yellow, "Warning: "+warning+".")
		}
		p.section(v.family(versus.Judged, roles[0].title))
	}
	if _, err := io.WriteString(w, p.b.String()); err != nil {
		return fmt.Errorf("write check: %w", err)
	}
	return nil
}

// sentence says the verdict, and of what it is made.
func (c *Check) sentence() string {
	words := fmt.Sprintf("Check: %v. Budgets: %v", c.Verdict, c.Run.Verdict)
	switch {
	case !c.Run.Finished:
		words += " of the part that was run"
	case len(c.Run.Budgets) == 0:
		words = fmt.Sprintf("Check: %v. Budgets: none", c.Verdict)
	}
	if c.Comparison == nil {
		return words + "."
	}
	return fmt.Sprintf("%s. Beside %s: %v.", words, *c.Baseline, c.Comparison.Verdict)
}

// from says whose the budgets are.
func (c *Check) from() string {
	return fmt.Sprintf("The budgets are those of %s, in place of the scenario's.", *c.Thresholds)
}

// Markdown writes the check as a page for a pull request: the pages of the run and of the
// comparison under one verdict.
func (c *Check) Markdown(w io.Writer) error {
	var m markdown
	m.heading(2, fmt.Sprintf("%s Check of %s on %s: %v", verdictSigns[c.Verdict], c.Run.Scenario, c.Run.Target, c.Verdict))
	m.paragraph(c.sentence())
	if c.Thresholds != nil {
		m.paragraph(c.from())
	}
	if _, err := io.WriteString(w, m.b.String()); err != nil {
		return fmt.Errorf("write check: %w", err)
	}
	if err := c.Run.Markdown(w); err != nil || c.Comparison == nil {
		return err
	}
	if _, err := io.WriteString(w, "\n"); err != nil {
		return fmt.Errorf("write check: %w", err)
	}
	return c.Comparison.Markdown(w)
}

// JUnit writes the check as JUnit XML with a suite for the budgets and, beside a run before, one
// for the figures that decide.
func (c *Check) JUnit(w io.Writer) error {
	all := []suite{c.Run.suite()}
	if c.Comparison != nil {
		all = append(all, c.Comparison.suite())
	}
	return writeSuites(w, all...)
}
