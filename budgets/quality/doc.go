// Package quality says how fast a model is that writes code, when what it writes counts:
// tokens that nobody can use are not fast, and code that does not parse has to be repaired.
//
// Read answer.go first: what is known of an answer. speed.go has the figures with their
// formulas, estimate.go their intervals, and sample.go what a comparison of two runs draws again.
package quality
