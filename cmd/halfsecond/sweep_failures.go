package main

import (
	"fmt"
	"strings"

	"halfsecond/simulators/study"
)

// failuresOf counts the interactions of loads that did not end ok, by why.
func failuresOf(levels ...*study.Level) map[string]int {
	all := map[string]int{}
	for _, l := range levels {
		for i := range l.Points {
			for why, n := range l.Points[i].Failures {
				all[why] += n
			}
		}
	}
	return all
}

// fail takes what failed at a load.
func (l *sweepLevel) fail(failures map[string]int) {
	for _, n := range failures {
		l.Failed += n
	}
	l.Why = textOf(study.MostOften(failures))
}

// failed says how many interactions of all loads did not end ok, and why most of them;
// empty when all did.
func (d *sweepDocument) failed(w *study.Swept) string {
	var levels []*study.Level
	for i := range w.Levels {
		levels = append(levels, &w.Levels[i])
	}
	failed, kept := 0, 0
	for i := range d.Levels {
		failed, kept = failed+d.Levels[i].Failed, kept+d.Levels[i].kept
	}
	if failed == 0 {
		return ""
	}
	return " " + notOK(failed, kept, study.MostOften(failuresOf(levels...)))
}

// failureNotes say the same of each load that has failures, where there are several.
func (d *sweepDocument) failureNotes() (notes []string) {
	for i := range d.Levels {
		if l := &d.Levels[i]; l.Failed > 0 {
			notes = append(notes, fmt.Sprintf("At %s: %s", d.offered(*l), notOK(l.Failed, l.kept, orEmpty(l.Why))))
		}
	}
	if len(notes) < 2 {
		return nil
	}
	return notes
}

func notOK(failed, kept int, why string) string {
	return fmt.Sprintf("%d of %s did not end ok, most often: %s.", failed, counted(kept, "interaction"), strings.TrimRight(why, "."))
}
