// Package study carries out experiments that are made of many runs.
//
// Read compare.go first: Compare runs the cells of a grid one after another and
// returns the traces of all of them as one run. cells.go is which cells there are
// on a target and why others are not, probe.go the request of a cell, alone and
// beside an answer that streams, and estimate.go what all of it would send.
//
// sweep.go runs one scenario under many loads: point.go is what a run under one tells,
// knee.go which loads are tried to find where the budgets break.
//
// levers.go runs a voice scenario again with other settings: those of lever.go, with
// lever_ending.go, lever_guess.go and lever_workers.go. endings.go runs it with other values
// of its end-of-turn policy.
//
// frontier.go runs a ghost-text scenario with every combination of some settings:
// frontier_plan.go is which there are, and capacity.go how many people fit on the best.
package study
