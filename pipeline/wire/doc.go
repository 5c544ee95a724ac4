// Package wire turns bytes into messages and messages into bytes: the formats
// that the clients in endpoint and the mock servers share. It reads no clock and
// opens no connection; an instant that matters is handed in with the bytes.
//
// Read event.go first, the event-stream decoder and encoder. openai_request.go,
// openai_tools.go and openai_answer.go hold the messages as a correct peer writes them,
// openai_stream.go writes the chunks of a streamed answer, one a token, and
// openai_chunk.go reads chunks and whole answers as servers really send them, and
// openai_parser.go those of the common shape at a tenth of the cost, by scan.go. The
// three files of responses are the newer API of the same service, vllm.go is what one
// server adds. Each other vendor has a package of its own below.
package wire
