package fault

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// failure is an error that a client is told of, in no protocol yet.
type failure struct {
	status  int
	kind    string // the error's type; "" as the protocol has it for the status
	code    string // beside the type; "" as the protocol has it
	message string // "" as such services say it
	id      string // of the request
}

// fields is a JSON object.
type fields map[string]any

// dialect is how a protocol says that something failed.
type dialect struct {
	kinds          map[int]string // types of errors by status
	codes          map[int]string // codes of errors by status
	client, server string         // those of all others below 500, and from there on
	shape          func(f failure) fields
	frame          func(f failure) fields // on a WebSocket; nil for the shape
}

// overloaded is the status with which Anthropic answers when it has no room for anybody.
const overloaded = 529

// dialects are the protocols' errors. Sources, all read 2026-11-29: OpenAI openapi.yaml
// (f85dbe2 of 2026-08-21), and answers quoted in openai/codex issue 88; docs.anthropic.com,
// errors; llama.cpp tools/server/README.md (00dc8057); answers of Mistral quoted in
// cline/cline issue 9085; google.rpc.Code; developers.deepgram.com/docs/errors;
// help.elevenlabs.io 19571824571921 (API Error Code 429);
// docs.cartesia.ai/use-the-api/api-errors; ollama docs/api/errors.mdx (fb30760).
var dialects = map[string]dialect{
	openAI: {
		kinds: map[int]string{429: "requests"}, codes: map[int]string{429: "rate_limit_exceeded"},
		client: "invalid_request_error", server: "server_error",
		shape: func(f failure) fields {
			return fields{"error": fields{"message": f.message, "type": f.kind, "param": nil, "code": orNull(f.code)}}
		},
		frame: func(f failure) fields {
			return fields{"type": "error", "event_id": f.id, "error": fields{"type": f.kind, "code": orNull(f.code), "message": f.message, "param": nil, "event_id": nil}}
		},
	},
	anthropic: {
		kinds: map[int]string{
			401: "authentication_error", 402: "billing_error", 403: "permission_error", 404: "not_found_error", 409: "conflict_error",
			413: "request_too_large", 429: "rate_limit_error", 504: "timeout_error", overloaded: "overloaded_error",
		},
		client: "invalid_request_error", server: "api_error",
		shape: func(f failure) fields {
			return fields{"type": "error", "error": fields{"type": f.kind, "message": f.message}, "request_id": f.id}
		},
	},
	ollama: {shape: func(f failure) fields { return fields{"error": f.message} }},
	llamaCPP: {
		kinds: map[int]string{
			401: "authentication_error", 403: "permission_error", 404: "not_found_error", 501: "not_supported_error", 503: "unavailable_error",
		},
		client: "invalid_request_error", server: "server_error",
		shape: func(f failure) fields {
			return fields{"error": fields{"code": f.status, "message": f.message, "type": f.kind}}
		},
	},
	mistral: {
		kinds: map[int]string{429: "rate_limited"}, codes: map[int]string{429: "1300"},
		client: "invalid_request_error", server: "internal_server_error",
		shape: func(f failure) fields {
			return fields{"object": "error", "message": f.message, "type": f.kind, "param": nil, "code": orNull(f.code)}
		},
	},
	gemini: {
		kinds: map[int]string{
			401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 409: "ABORTED", 429: "RESOURCE_EXHAUSTED",
			499: "CANCELLED", 501: "UNIMPLEMENTED", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED",
		},
		client: "INVALID_ARGUMENT", server: "INTERNAL",
		shape: func(f failure) fields {
			return fields{"error": fields{"code": f.status, "message": f.message, "status": f.kind}}
		},
	},
	deepgram: {
		kinds: map[int]string{401: "INVALID_AUTH", 429: "TOO_MANY_REQUESTS"}, client: "Bad Request", server: "INTERNAL_SERVER_ERROR",
		shape: func(f failure) fields {
			return fields{"err_code": f.kind, "err_msg": f.message, "request_id": f.id}
		},
		frame: func(f failure) fields {
			return fields{"type": "Error", "code": f.kind, "description": f.message, "message": f.message, "variant": f.kind}
		},
	},
	elevenLabs: {
		kinds:  map[int]string{401: "invalid_api_key", 429: "too_many_concurrent_requests", 503: "system_busy"},
		client: "invalid_request", server: "internal_server_error",
		shape: func(f failure) fields { return fields{"detail": fields{"status": f.kind, "message": f.message}} },
		frame: func(f failure) fields { return fields{"error": f.kind, "message": f.message, "code": 1011} },
	},
	cartesia: {
		kinds: map[int]string{429: "concurrency_limited"}, client: "invalid_request", server: "internal_error",
		shape: func(f failure) fields {
			return fields{"error_code": f.kind, "title": http.StatusText(f.status), "message": f.message, "request_id": f.id}
		},
		frame: func(f failure) fields {
			return fields{"type": "error", "done": true, "status_code": f.status, "error_code": f.kind, "title": http.StatusText(f.status), "message": f.message, "request_id": f.id}
		},
	},
	assemblyAI: {
		shape: func(f failure) fields { return fields{"error": f.message} },
		frame: func(f failure) fields { return fields{"type": "Error", "error": f.message} },
	},
}

// messages are what services say for a status. They are written for this server.
var messages = map[int]string{
	http.StatusBadRequest:          "The request is not valid.",
	http.StatusUnauthorized:        "The API key is not valid.",
	http.StatusForbidden:           "You are not allowed to use this.",
	http.StatusNotFound:            "This does not exist, or you have no access to it.",
	http.StatusTooManyRequests:     "Rate limit reached. Please try again later.",
	http.StatusInternalServerError: "The server had an error while processing your request.",
	http.StatusServiceUnavailable:  "The server is overloaded or not ready yet.",
	overloaded:                     "Overloaded",
}

// in returns the failure with what it leaves open as a dialect has it.
func (f failure) in(d dialect) failure {
	f.message = cmp.Or(f.message, messages[f.status], http.StatusText(f.status), fmt.Sprintf("Error %d", f.status))
	others := d.client
	if f.status >= http.StatusInternalServerError {
		others = d.server
	}
	f.kind, f.code = cmp.Or(f.kind, d.kinds[f.status], others), cmp.Or(f.code, d.codes[f.status])
	return f
}

// body returns the failure as the body of an answer.
func (f failure) body(protocol string) []byte {
	d := dialects[protocol]
	return append(encode(d.shape(f.in(d))), '\n')
}

// Deny answers a request for a path with an error in the shape of its protocol.
func Deny(w http.ResponseWriter, path string, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(failure{status: status, message: message}.body(Protocol(path))) // the client may be gone
}

// event returns the failure as an event of a stream with that content type.
func (f failure) event(protocol, path, contentType string) []byte {
	if !strings.HasPrefix(contentType, "text/event-stream") {
		return f.body(protocol)
	}
	d := dialects[protocol]
	f = f.in(d)
	value, name := d.shape(f), ""
	switch {
	case protocol == anthropic:
		name = "event: error\n"
	case protocol == openAI && strings.HasSuffix(path, "/responses"):
		name, value = "event: error\n", fields{"type": "error", "code": cmp.Or(f.code, f.kind), "message": f.message, "param": nil}
	}
	return fmt.Appendf(nil, "%sdata: %s\n\n", name, encode(value))
}

// inFrame returns the failure as a message of a WebSocket.
func (f failure) inFrame(protocol string) []byte {
	d := dialects[protocol]
	if d.frame == nil {
		return encode(d.shape(f.in(d)))
	}
	return encode(d.frame(f.in(d)))
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func encode(v fields) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("fault: %v", err)) // our own values always encode
	}
	return b
}
