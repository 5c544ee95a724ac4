// Package reply turns the bytes of one response of a language model into a Reply: what
// it said and when, whatever protocol it speaks. It knows nothing of sockets or of the
// loop.
//
// Read reply.go first for what a Reply holds and how its figures are computed, then
// step.go for what a protocol's Decoder tells of one message, and reader.go for how a
// body is read to its end. What a server counts is in counts.go as it is stated, in tally.go
// as it is read, in usage.go as far as it can be; progress.go tells whether it is counted while
// it comes. The protocols are in package dialect.
package reply
