package main

import (
	"fmt"

	"halfsecond/budgets"
	"halfsecond/budgets/ghost"
	"halfsecond/simulators/study"
)

// rules are the stages of ghost text that a rule of the plugin sets and no server shortens, with
// the key of the scenario that does.
var rules = map[string]string{
	ghost.KeyWait.String():  "ide.plugin.prepare",
	ghost.Prepare.String():  "ide.plugin.prepare",
	ghost.Debounce.String(): "ide.plugin.debounce",
	ghost.Hold.String():     "ide.plugin.display.hold",
	ghost.Render.String():   "ide.plugin.display.render",
}

// rule says that a rule of the plugin breaks the budget in every run of every load, so that no
// load is inside and the server is not why; "" where that is not so.
func rule(w *study.Swept) string {
	var of *budgets.Reason
	for i := range w.Levels {
		for j := range w.Levels[i].Points {
			r := w.Levels[i].Points[j].Alone
			if r == nil || rules[r.Stage] == "" || of != nil && r.Stage != of.Stage {
				return ""
			}
			if of == nil {
				of = r
			}
		}
	}
	if of == nil {
		return ""
	}
	j := of.Judgement
	return fmt.Sprintf(" That is not the server: at every load the plugin's own rule, %s %s, alone breaks %s, which with nothing else to wait for, and text after every opportunity, would be %s. No lower load, other model or other card brings it inside: it takes another %s.",
		of.Stage, budgets.Duration.Format(float64(of.Takes)), j.Budget.String(), j.Unit().Format(of.Without), rules[of.Stage])
}
