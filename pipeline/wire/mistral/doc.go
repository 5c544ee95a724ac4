// Package mistral is the part of Mistral's API that fills in the middle of code:
// POST /v1/fim/completions, as Codestral serves it.
//
// Read request.go for what is asked, answer.go for answers and errors, and stream.go
// for the events of a streamed one.
//
// Source of all shapes: mistralai/client-python, FIM models and docs/sdks/fim
// (2026-06-30, commit 05629d2); errors from answers of the service that users report,
// named where they are used; read 2026-11-29.
package mistral
