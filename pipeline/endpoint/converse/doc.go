// Package converse is OpenAI's Realtime API as a pipeline.Converser: a model that hears and
// speaks, under the event names of today and those of the beta.
//
// Read config.go for what is set, session.go for how it is told to the server, client.go and
// call.go for a session of one turn or several, flight.go for one turn under way, event.go for
// what the server says, answer.go for what becomes of it, cut_in.go for answers that begin too
// early, and retell.go for how its record is made again from a raw log. Facts of the protocol,
// with their sources, are those of package pipeline/wire/realtime.
//
// The user's speech goes out at the pace of speech, and silence after it until the answer
// is over, or in a session of several turns until the last one is. Over a WebSocket it is the
// client that plays the answer: it knows how much of it was played when the user interrupts, and
// tells the server.
package converse
