// Package deepgram is Deepgram's API for speech: /v1/listen, streamed and for files,
// its conversational successor Flux at /v2/listen, and /v1/speak.
//
// Read listen.go for the messages of a stream of audio, listen_file.go for the answer
// to a whole file, flux.go for turns, speak.go for speech from text, and error.go for
// refusals.
//
// Source of all shapes: deepgram/deepgram-docs fern/docs (2025-07-03),
// deepgram-python-sdk src/deepgram (2026-07-22) and the types of npm @deepgram/sdk
// 5.13.0, all read 2026-11-29; what only the service itself shows is named where it is
// used.
package deepgram
