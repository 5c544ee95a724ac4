package report

import (
	"slices"

	"halfsecond/budgets"
	"halfsecond/budgets/diagnosis"
	"halfsecond/pipeline"
)

// diagnosed returns the known failures that the run's own traces show, the most costly
// first; nil for none.
func diagnosed(a *budgets.Analysis) []Diagnosis {
	var all []Diagnosis
	for _, d := range diagnosis.Diagnose(a) {
		all = append(all, Diagnosis{
			ID: d.ID, Title: d.Title, Evidence: slices.Clone(d.Evidence), Fix: d.Fix,
			Cost: number(budgets.Duration, float64(d.Cost), d.Cost != pipeline.Unknown),
		})
	}
	return all
}
