// Package assemblyai is AssemblyAI's API for speech to text as it is said: the
// WebSocket /v3/ws.
//
// Read stream.go, which has all messages. Audio goes as binary frames.
//
// Source of all shapes: AssemblyAI/assemblyai-api-spec usm-streaming.yml,
// usm-streaming-u3-pro.yml and fern/pages/speech-to-text/universal-streaming
// (2026-03-23), assemblyai.com/docs/streaming/message-sequence.md and
// common-session-errors-and-closures.md, and the types of npm assemblyai 4.41.5, all
// read 2026-11-29.
package assemblyai
