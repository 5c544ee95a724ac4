// Package probe asks an endpoint a few times and returns what was seen, without a word on
// what it means.
//
// Read probe.go first: which requests are sent. find.go tells the protocol and the model
// where the user does not, and event.go says what the events of a response are.
package probe
