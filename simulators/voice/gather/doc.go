// Package gather cuts what a language model says into the pieces that are handed to a
// voice: whole sentences, clauses, so many characters, or each token as it comes.
//
// Read rule.go for what can be asked for, gatherer.go for the first piece of a text that
// comes part by part, and cutter.go for all of its pieces.
package gather
