// Package jsonrpc is JSON-RPC 2.0 as language servers speak it: messages of one JSON object
// each, behind a header that says how many bytes they have.
//
// Read frame.go for where a message begins and ends, message.go for what one says, and id.go
// for how an answer names its request.
//
// Source: Language Server Protocol 3.18, base protocol: microsoft/language-server-protocol
// _specifications/lsp/3.18 (commit 60f2bb8), read 2026-11-30; JSON-RPC 2.0, jsonrpc.org.
package jsonrpc
