// Package endpoint runs real endpoints as stages: whatever the user rents or
// hosts, and our own mock. So far it speaks the OpenAI API, chat and completions.
//
// Read reply_reader.go first: ReadReply turns the bytes of one response into a
// Reply and knows nothing of sockets or of the loop. reply.go says what a Reply
// holds and how its figures are computed; choice.go, usage.go and failure.go hold
// the parts. client.go is the stage: it sends calls of the loop over net/http,
// flight.go is one request under way, and record.go turns its Reply into the
// record of a trace.
package endpoint
