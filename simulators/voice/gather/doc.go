// Package gather cuts what a language model says into the pieces that are handed to a
// voice: whole sentences, clauses, so many characters, or each token as it comes.
//
// Read rule.go for what can be asked for and gatherer.go for a text that comes piece by
// piece.
package gather
