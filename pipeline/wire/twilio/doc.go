// Package twilio is the part of Twilio's voice API that puts a caller through to a
// server: the call as a resource, the markup that says what shall become of it, and the
// messages of a Media Stream.
//
// Read call.go for the resource and its errors, twiml.go for the markup, and stream.go
// for the messages.
//
// Sources: twilio.com/docs/voice/api/call-resource, /docs/voice/twiml/stream and
// /docs/voice/media-streams/websocket-messages; codes of errors from
// twilio.com/docs/api/errors; fields of a call as the service returned them to users.
// Read 2026-11-29.
package twilio
