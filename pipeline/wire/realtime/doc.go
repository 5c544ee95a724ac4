// Package realtime is OpenAI's Realtime API over a WebSocket: what client and server
// send each other, in the shape of today and in that of the beta before it.
//
// Read session.go for what is agreed on, beta.go for the older shape of the same,
// item.go for what a conversation is made of, response.go for an answer, client.go for
// the events of a client, server.go for those of a server, and secret.go for the
// short-lived keys of browsers.
//
// Source of all shapes: openai/openai-node src/resources/realtime/realtime.ts and
// client-secrets.ts (commit 025ca83), beta/realtime/realtime.ts and sessions.ts, and
// openai/openai-openapi openapi.yaml, Realtime schemas (commit f85dbe2, 2026-08-21).
// What those leave open, such as the order of fields, which of them are null and which
// are absent, and the texts of errors, follows answers of the service that users have
// published: sessions of 2025-12-31 and 2026-09-18, and of the beta of 2025-04-22
// (sashirestela/simple-openai issue 316). Read 2026-11-29.
package realtime
