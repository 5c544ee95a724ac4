package fault

import (
	"cmp"
	"net/http"

	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/assemblyai"
	"halfsecond/pipeline/wire/cartesia"
	"halfsecond/pipeline/wire/deepgram"
	"halfsecond/pipeline/wire/elevenlabs"
)

// kinds are the words that a speech service has for the kinds of errors. Sources, read
// 2026-11-29: developers.deepgram.com/docs/errors; help.elevenlabs.io 19571824571921 (API
// Error Code 429); docs.cartesia.ai/use-the-api/api-errors.
type kinds struct {
	byStatus       map[int]string
	client, server string // those of all others below 500, and from there on
}

var (
	deepgramKinds   = kinds{map[int]string{401: "INVALID_AUTH", 429: "TOO_MANY_REQUESTS"}, deepgram.CodeBadRequest, "INTERNAL_SERVER_ERROR"}
	elevenLabsKinds = kinds{map[int]string{401: "invalid_api_key", 429: "too_many_concurrent_requests", 503: "system_busy"}, "invalid_request", "internal_server_error"}
	cartesiaKinds   = kinds{map[int]string{429: "concurrency_limited"}, "invalid_request", "internal_error"}
)

// of returns the word for a failure.
func (k kinds) of(f *wire.Failure) string {
	others := k.client
	if f.Status >= http.StatusInternalServerError {
		others = k.server
	}
	return cmp.Or(f.Type, k.byStatus[f.Status], others)
}

func deepgramError(f *wire.Failure) any {
	return deepgram.ErrorBody{Code: deepgramKinds.of(f), Message: f.Message, RequestID: f.RequestID}
}

// deepgramFrame has the members of both of the service's sockets.
func deepgramFrame(f *wire.Failure) any {
	kind := deepgramKinds.of(f)
	return fields{"type": deepgram.TypeError, "code": kind, "description": f.Message, "message": f.Message, "variant": kind}
}

func elevenLabsError(f *wire.Failure) any {
	return elevenlabs.RefusalBody{Detail: elevenlabs.Refusal{Status: elevenLabsKinds.of(f), Message: f.Message}}
}

// internalClose is the code with which a socket is closed because of its server.
const internalClose = 1011

func elevenLabsFrame(f *wire.Failure) any {
	return elevenlabs.SocketError{Message: f.Message, Error: elevenLabsKinds.of(f), Code: internalClose}
}

func cartesiaError(f *wire.Failure) any {
	return cartesia.STTError{ErrorCode: cartesiaKinds.of(f), Title: http.StatusText(f.Status), Message: f.Message, RequestID: f.RequestID}
}

func cartesiaFrame(f *wire.Failure) any {
	return fields{
		"type": cartesia.TypeError, "done": true, "status_code": f.Status, "error_code": cartesiaKinds.of(f), "title": http.StatusText(f.Status),
		"message": f.Message, "request_id": f.RequestID,
	}
}

func assemblyAIError(f *wire.Failure) any { return fields{"error": f.Message} }

func assemblyAIFrame(f *wire.Failure) any {
	return fields{"type": assemblyai.TypeError, "error": f.Message}
}
