// Package ghost tells of ghost text what its traces say: how soon text comes and where the
// time goes, what answers are worth when they come, what is seen of them, and what was asked,
// given up and computed for nobody.
//
// Everything is a function of traces, so that a simulated run, a run against a real endpoint
// or a language server, and traces that were kept are told of alike. What traces do not say is
// unknown, never zero. Instants of one person's editor are compared with each other, never
// those of two.
//
// Read run.go for how traces are sorted out, stage.go for the stages of a key, and figures.go
// for all there is. docs/ghost-report.md defines each figure in a sentence.
package ghost
