// Package endpoint runs real endpoints as stages: whatever the user rents or
// hosts, and our own mock.
//
// Read client.go first: it sends calls of the loop over net/http. flight.go is one
// request under way, and record.go turns its Reply into the record of a trace. What is
// asked and what the answers mean is in package dialect, and package reply reads a
// response to its end. Package streamcase plays responses that made other clients report
// wrong numbers, for the tests of all three.
//
// Services of speech are packages of their own: listen, speak and converse.
package endpoint
