package main

import (
	"slices"

	"halfsecond/pipeline/quantile"
	"halfsecond/simulators/study"
)

// sweepBudget is what a load makes of a budget that is about another metric than the one
// that decides what is good: the median of its runs, in the unit of reports, null where
// no run could tell. A load of users who ask again at once may queue, or go slower: the one
// shows in the time to the first token, the other in the time per token.
type sweepBudget struct {
	Name  string   `json:"name"` // its left side, such as p95(tpot)
	Unit  string   `json:"unit"`
	Value *float64 `json:"value"`

	text string // the value for a reader
}

// otherBudgets returns those of a load, in the order of the scenario.
func (d *sweepDocument) otherBudgets(l *study.Level) (others []sweepBudget) {
	for i := range l.Points[0].Judgements {
		b := &l.Points[0].Judgements[i].Budget
		if b.Metric.Name == d.Metric {
			continue
		}
		o := sweepBudget{Name: b.Name(), Unit: l.Points[0].Judgements[i].Unit().String(), text: "-"}
		if v, ok := medianOf(l, i); ok {
			u := l.Points[0].Judgements[i].Unit()
			reported := u.Reported(v)
			o.Value, o.text = &reported, u.Format(v)
		}
		others = append(others, o)
	}
	return others
}

// medianOf returns the median of the values that the runs of a load have for a budget; the
// value itself where there is a single run.
func medianOf(l *study.Level, budget int) (float64, bool) {
	var values []float64
	for i := range l.Points {
		if j := &l.Points[i].Judgements[budget]; j.HasValue {
			values = append(values, j.Value)
		}
	}
	if len(values) == 1 {
		return values[0], true
	}
	slices.Sort(values)
	return quantile.OfSorted(values, quantile.P50)
}

// otherNames and otherTexts are the columns of these budgets.
func (d *sweepDocument) otherNames() (names []string) {
	if len(d.Levels) == 0 {
		return nil
	}
	for _, o := range d.Levels[0].Others {
		names = append(names, o.Name)
	}
	return names
}

func (l *sweepLevel) otherTexts() (texts []string) {
	for _, o := range l.Others {
		texts = append(texts, o.text)
	}
	return texts
}
