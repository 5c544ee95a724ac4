// Package fault is scripted misbehaviour of a server: rules say which requests go wrong,
// and how. It stands before any front, whatever protocol that speaks.
//
// # Rules
//
// A file of rules is YAML or JSON:
//
//	rules:
//	  - name: busy                   # optional, as is about: a text for people
//	    match: {model: "gpt-*", share: 5%}
//	    times: 100                   # most requests that it is applied to
//	    status: {code: 429, retry_after: 2s}
//	  - stall: {at: 10, for: 5s}
//
// All rules that fit a request apply; where two have the same effect, the first counts.
// Of an effect that is a mapping, the first key may be written alone: "end: 5" is
// "end: {at: 5}". builtin.yaml has an example of every effect; each can be used by name.
//
//	match          model, path      texts in which * stands for any run of characters
//	               protocol         openai, anthropic, ollama, llamacpp, mistral, gemini, deepgram, elevenlabs, cartesia, assemblyai
//	               header           a mapping from headers to such texts
//	               nth, every,      which of the requests that fit: the n-th, every n-th, the first n (they
//	               first, share     fail, and then all is well), or each with a probability, from seed
//	times          most requests that the rule is applied to
//
//	status         code, message, type, body, retry_after, quota, headers: an error in the protocol's shape
//	limit          rpm, tpm, per (all, model, key): 429 above a rate; rate-limit headers on every answer
//	refuse         for, when (matched, loaded): the listening socket is closed for a while
//	reset          request | accept: the connection is reset before an answer
//	slow_headers   the status line comes that much later
//	omit_headers   a header or a list of some that the answer goes without
//	cold_start     load, idle: the model is loaded before its first request, and after idle without one
//	stall          at, for: nothing comes for a while before a token; what falls due then comes at its end
//	cut            at or byte, how (reset, close): the connection breaks off in the middle of a token, or
//	               after a byte of the body; close is clean, in the middle of a chunk
//	malformed      at: a token's event has lost the second half of its JSON
//	oversized      at, bytes: a token's event is that long, by a field that clients do not know
//	error          at, message, type: an error object in place of a token, and the end of the stream
//	end            at: the stream ends cleanly before a token, without what marks its end
//	drip           bytes, every: so many bytes of a write at a time
//	buffer         mode (whole, clumps), every, honours_header: a proxy that holds a stream back
//	http10         true: no chunks; the end of the connection is the end of the body
//	drop,          at or share: messages of a WebSocket that never go out, or go out twice
//	duplicate
//	idle_close     after, code, reason: a WebSocket on which the client sends no message is closed
//
// What counts as a token says Effects. On a WebSocket stall, cut, malformed, oversized,
// error, end and drip work on the messages that go out.
//
// A request may also carry its own effects in the header Halfsecond-Fault, as
// ParsePhrase reads them: "stall at 5 for 2s". Rules are changed live by the admin API,
// see Set.Handle.
//
// # Files
//
// Read rule.go for what there is, set.go for which rules apply, middleware.go for what
// then happens to a request, and writer.go and stage.go for what happens to its answer:
// every kind of harm is a stage that the bytes of the answer go through. socket.go does
// the same to the frames of a WebSocket, and listener.go to connections. schema.go says
// how rules are written, and reader.go and value.go read them.
package fault
