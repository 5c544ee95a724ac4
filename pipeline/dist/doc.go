// Package dist draws random numbers that repeat: streams with a name, and
// distributions of durations and of counts.
//
// Read stream.go first: a Rand is a stream that belongs to one purpose, so that
// a change in one part of a simulation never shifts the draws of another. Then
// dist.go: a Dist is a small value, and drawing from it allocates nothing.
// count.go does the same for whole numbers, such as tokens.
//
// A stream's bits are the same on every platform. A draw from a log-normal or an
// exponential passes through math.Exp or math.Log, whose last bit may differ
// between processors: it can then round to a neighbouring nanosecond, about
// once in ten million draws.
package dist
