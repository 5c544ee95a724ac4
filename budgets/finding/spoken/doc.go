// Package spoken says what was heard of a speech endpoint means: what is wrong, with the
// evidence in numbers and what would cure it. It computes; the asking is done by
// pipeline/endpoint/audition.
//
// Read spoken.go first. Each of the other files holds the checks of one subject: refusal.go
// and failure.go what did not come about, final.go texts, answer.go answers to what was said,
// sound.go audio, and connection.go how sessions are opened and kept.
package spoken
