// Package finding says what was seen of an endpoint means: what is wrong, with the
// evidence in numbers and what would cure it. It computes; the asking is done by
// pipeline/endpoint/probe.
//
// Read finding.go first, then delivery.go for how a stream that is held back is told
// from one that comes evenly. Each of the other files holds the checks of one subject.
package finding
