// Package langserver runs a language server as the model behind an editor: it starts a
// program, tells it of documents and edits, asks it for inline completions at the cursor and
// turns what it answers into text there.
//
// Read client.go first, then call.go: a request under way, and what the ways in which one ends
// are called. documents.go tells the server of edits, whose positions mirror.go finds;
// connection.go reads and writes, process.go starts and ends the program, handshake.go has
// the first words of both, answers.go what the server itself asks, counts.go what was counted,
// and keep.go what is kept of a request for the raw log, and read again from it.
package langserver
