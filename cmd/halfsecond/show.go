package main

import (
	"fmt"

	"halfsecond/budgets/report"
)

// runDocument is a report with what ran beside it, as one JSON document.
type runDocument struct {
	*report.Report
	BesideSim *report.Comparison `json:"beside_sim,omitempty"` // on the target mock
	RawLog    *again             `json:"raw_log,omitempty"`    // of a report, where bytes crossed a wire
}

// show prints a report in the format that was asked for.
func (p *program) show(r *report.Report, beside *report.Comparison) error {
	switch p.Format {
	case "markdown":
		return r.Markdown(p.out)
	case "junit":
		return r.JUnit(p.out)
	case "html":
		return r.HTML(p.out)
	case "json":
		if beside == nil {
			return r.JSON(p.out)
		}
		return writeJSON(p.out, runDocument{Report: r, BesideSim: beside})
	}
	o := report.Options{Width: min(p.width, 120), Color: p.color && p.width > 0}
	if err := r.Table(p.out, o); err != nil || beside == nil {
		return err
	}
	fmt.Fprintln(p.out)
	return beside.Table(p.out, o)
}

// showAgain prints a report and, where the format has room for it, what came of reading
// the raw log again, if there was one.
func (p *program) showAgain(r *report.Report, bytes *again) error {
	if p.Format == "json" && bytes != nil {
		return writeJSON(p.out, runDocument{Report: r, RawLog: bytes})
	}
	if err := p.show(r, nil); err != nil || bytes == nil || p.Format != "table" {
		return err
	}
	return bytes.writeTable(p.out)
}
