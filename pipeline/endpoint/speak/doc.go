// Package speak is text to speech over the network as a pipeline.TTS: OpenAI's speech,
// ElevenLabs' stream and its stream-input, Cartesia's events and WebSocket, and Deepgram's
// /v1/speak.
//
// Read config.go for what is set, protocol.go for what differs from vendor to vendor, with
// decode.go for what their messages mean, client.go and flight.go for one text under way,
// gather.go for the record that it leaves, prose.go for words that come in place of audio,
// retell.go for how the record is made again from a raw log, and asked.go for what that says was
// asked for.
//
// Only samples are asked for, with or without a WAV header or a code of G.711: what can be
// heard, and when, is not to be told from compressed audio before it is decoded.
package speak
