// Package exchange keeps what went over the wire: each request, and the reads of its
// response with their instants, so that every number of a run can be computed again.
//
// Read exchange.go for what is kept of one request, conversation.go for what is kept of
// speech beside that, then writer.go and reader.go; mask.go is how a body stands for one
// whose texts are not kept, and redact.go how secrets are taken out: short ones, which may be anybody's words, as short.go says.
//
// # Format, version 1
//
// One JSON object a line in a gzip stream, UTF-8. Instants are integer nanoseconds since
// the run began; what was not observed is null.
//
// Header, the first line:
//
//	halfsecond_exchanges  version of the format, 1
//	scenario, target      of the run
//	hashed                true when texts are not kept: ask_sha256, with ask_bytes, and body_sha256 stand for them,
//	                      and the body has other letters in place of its own, or is empty
//	cassette              true when the file is kept to be served again; omitted when false
//	subject               an object, what was known of an endpoint before it was asked; omitted when there is none
//
// Exchange:
//
//	request           id in the traces of the run, 0 for none
//	protocol          as in a scenario
//	model             as the client called it; omitted when empty
//	method, path      without the query, which may hold a secret
//	due_ns, sent_ns   when it should have been sent, and when it was
//	ask               body of the request, as text; or ask_base64 when it is not UTF-8
//	status, http      of the response, 0 and "" for none
//	headers           of the response, a list of [name, value]; without those that may hold secrets
//	answered_ns       when the status and the headers were there
//	reads             a list of [at_ns, bytes]
//	body              the bytes of all reads, content coding kept, as text; or body_base64 when they are not UTF-8
//	max_bytes         most bytes that the client would read of the body, with its coding and without; omitted for its default
//	max_outputs       most output chunks that the client would read; omitted for no limit
//	end_ns, end       when it ended, and how: "eof", "reset", "open" when the client left first, "none" without a response
//	stop              why the client gave up: "cancelled" or "timeout"; omitted when it did not
//	cause             the client's or the system's words for a bad end; omitted when empty
//
// Of a conversation with a speech endpoint, each omitted where there is nothing:
//
//	setting           an object: what its client was told that decides what the messages mean
//	messages          those over a WebSocket, which has no ask, reads or body then; from "client" or "server", of
//	                  kind "text", "binary" or "close"; at_ns as above, due_ns when audio or text should have gone
//	                  out, code of a close; bytes, and these as text or base64, or their sha256 where texts are not kept
//	notes             what the client did or decided that messages do not show: name, at_ns and n
package exchange
