// Package seen is what was seen of an endpoint by asking it a few times: facts, without
// a word on what they mean. Package probe gathers them.
//
// Read endpoint.go first, then request.go for one request and its events.
package seen
