// Package frontier tells which of many settings of a ghost-text scenario are worth having:
// those that no other beats, the ones to take, and what each of them trades for what.
//
// Read figures.go for what is told of one run, cell.go for the settings and what they cost,
// beaten.go for when one beats another, advice.go for which is recommended, missed.go for what
// those lack, and trade.go for what a change of settings brings, in words.
//
// All of it is a function of the traces of runs: settings share their seeds, so that what
// differs between two runs of a seed is the settings.
package frontier
