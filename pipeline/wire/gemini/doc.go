// Package gemini is the part of the Gemini API that generates text: generateContent,
// streamGenerateContent, countTokens and the list of models.
//
// Read request.go for what is asked, name.go for the two spellings of its fields,
// answer.go for the answers, and stream.go for a streamed one, either as events or as
// one JSON array in pieces.
//
// Source of all shapes: googleapis/js-genai src/types.ts and src/models.ts
// (2026-08-21, commit 6e9b35c); errors from answers of the service that users report,
// named where they are used; read 2026-11-29.
package gemini
