// Package elevenlabs is ElevenLabs' API for speech from text: over HTTP, whole and
// streamed, and over the WebSockets stream-input and multi-stream-input.
//
// Read format.go for the names of audio formats, request.go for what is asked over HTTP
// and what comes back, socket.go for the messages of both WebSockets, and error.go for
// refusals.
//
// Source of all shapes: elevenlabs/elevenlabs-docs fern/apis/api asyncapi.yml and
// openapi.json (2025-08-25) and the types of npm @elevenlabs/elevenlabs-js 2.73.0, all
// read 2026-11-29; where they differ, what the service was seen to send.
package elevenlabs
