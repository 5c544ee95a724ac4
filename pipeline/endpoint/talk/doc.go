// Package talk carries conversations with speech endpoints between the loop and their
// sockets: over a WebSocket, or as one request over HTTP.
//
// Read config.go for what is set, line.go for one conversation, socket.go and post.go for its
// two forms, order.go for turns that follow each other in one, turns.go for whose it is what a
// server says there, watch.go for its time limits, end.go for how it ended, microphone.go for audio
// that goes out at the pace of speech, recorder.go for what is kept of it and retell.go for how
// that is read again, address.go for URLs, object.go for messages of JSON, and complaint.go
// for errors that have no form of a protocol's own. What is said belongs to the protocols:
// packages listen, speak and converse.
//
// A conversation is opened once and never opened again behind the caller's back.
package talk
