package main

import (
	"fmt"

	"halfsecond/budgets/report"
)

// runDocument is a report with what ran beside it, as one JSON document.
type runDocument struct {
	*report.Report
	BesideSim *report.Comparison `json:"beside_sim,omitempty"` // on the target mock
}

// show prints a report in the format that was asked for.
func (p *program) show(r *report.Report, beside *report.Comparison) error {
	if p.Format == "json" {
		if beside == nil {
			return r.JSON(p.out)
		}
		return writeJSON(p.out, runDocument{r, beside})
	}
	o := report.Options{Width: min(p.width, 120), Color: p.color && p.width > 0}
	if err := r.Table(p.out, o); err != nil || beside == nil {
		return err
	}
	fmt.Fprintln(p.out)
	return beside.Table(p.out, o)
}
