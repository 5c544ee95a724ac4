// Package anthropic holds the messages of the Anthropic Messages API: requests, whole
// answers, the events of a streamed one, and errors.
//
// Read request.go, answer.go, and stream.go, which writes the events of a stream, one
// or two a token.
//
// Source of all shapes: anthropics/anthropic-sdk-typescript 1.10.0, src/resources/
// messages/messages.ts, models.ts and shared.ts, and docs.anthropic.com, "Streaming
// Messages" and "Errors", read 2026-11-29.
package anthropic
