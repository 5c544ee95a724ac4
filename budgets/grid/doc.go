// Package grid reads a comparison of language models from its traces, and says what
// follows from them: does the time to the first token grow in line with the prompt,
// is the pace the same after a short prompt and a long one, what did each option
// gain or cost, and which model is faster.
//
// Read grid.go first: the cells, each a model served in one way at one length of the
// prompt, with their samples; served.go: what servers say of their own time. fit.go has the least squares, resample.go the
// intervals; trend.go follows a metric along the prompt, effect.go holds two rows of
// cells against each other.
//
// Every figure is a function of medians of cells. An interval comes from
// drawing the samples of each cell again, with replacement: where they are all
// alike, as a model without chance gives them, there is none, and the figure is
// exact.
package grid
