// Package ollama is Ollama's own API: /api/generate, /api/chat and what lists models.
//
// Read request.go for what is asked, answer.go for the answers, and stream.go for
// the lines of a streamed one, one a token.
//
// Source of all shapes: ollama/ollama api/types.go, server/routes.go and docs/api.md
// (2026-08-21, commit fb30760), read 2026-11-29.
package ollama
