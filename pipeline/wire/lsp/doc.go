// Package lsp is the part of the Language Server Protocol that inline completion takes: the
// first messages, those about documents, and completions themselves. What carries them is in
// package jsonrpc.
//
// Read message.go for the messages, encoding.go for what a position counts, item.go for what
// a completion puts at the cursor, and snippet.go for completions that are templates.
//
// Source: Language Server Protocol 3.18, microsoft/language-server-protocol
// _specifications/lsp/3.18 (commit 60f2bb8), read 2026-11-30.
package lsp
