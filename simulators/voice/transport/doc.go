// Package transport models how sound travels between a user and an agent: what a codec and
// its frames cost, and what becomes of frames that are lost on the way.
//
// Read line.go first, then loss.go for lost frames; profile.go has ways that are in use,
// every figure with its source.
package transport
