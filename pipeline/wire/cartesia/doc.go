// Package cartesia is Cartesia's API for speech to text and text to speech.
//
// Read stt.go for the conversations that hear: /stt/websocket, in which the client says
// when to finish, and /stt/turns/websocket, in which the service finds the turns. Read
// tts.go for speech.
package cartesia
