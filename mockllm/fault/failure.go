package fault

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/anthropic"
	"halfsecond/pipeline/wire/gemini"
	"halfsecond/pipeline/wire/llamacpp"
	"halfsecond/pipeline/wire/mistral"
	"halfsecond/pipeline/wire/ollama"
	"halfsecond/pipeline/wire/realtime"
)

// failure is an error that a client is told of, in no protocol yet.
type failure struct {
	status  int
	kind    string // the error's type; "" as the protocol has it for the status
	message string // "" as such services say it
	id      string // of the request
}

// dialect is how a protocol says that something failed.
type dialect struct {
	body  func(f *wire.Failure) any
	frame func(f *wire.Failure) any // on a WebSocket; nil for the body
}

// dialects are those of the protocols.
var dialects = map[string]dialect{
	protocolOpenAI:     {body: func(f *wire.Failure) any { return wire.NewError(f) }, frame: realtimeError},
	protocolAnthropic:  {body: func(f *wire.Failure) any { return anthropic.NewError(f) }},
	protocolOllama:     {body: func(f *wire.Failure) any { return ollama.NewError(f) }},
	protocolLlamaCPP:   {body: func(f *wire.Failure) any { return llamacpp.NewError(f) }},
	protocolMistral:    {body: func(f *wire.Failure) any { return mistral.NewError(f) }},
	protocolGemini:     {body: func(f *wire.Failure) any { return gemini.NewError(f) }},
	protocolDeepgram:   {body: deepgramError, frame: deepgramFrame},
	protocolElevenLabs: {body: elevenLabsError, frame: elevenLabsFrame},
	protocolCartesia:   {body: cartesiaError, frame: cartesiaFrame},
	protocolAssemblyAI: {body: assemblyAIError, frame: assemblyAIFrame},
}

// dialectOf returns that of a protocol, for the server's own pages OpenAI's.
func dialectOf(protocol string) dialect {
	if d, known := dialects[protocol]; known {
		return d
	}
	return dialects[protocolOpenAI]
}

// realtimeError is an error on the socket of OpenAI's realtime API.
func realtimeError(f *wire.Failure) any {
	e := wire.NewError(f).Error
	return realtime.ErrorEvent{
		Head:  realtime.Head{Type: realtime.EventError, EventID: f.RequestID},
		Error: realtime.Error{Type: e.Type, Code: e.Code, Message: e.Message},
	}
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
	anthropic.StatusOverloaded:     "Overloaded",
}

// said returns the message that a client reads.
func (f failure) said() string {
	return cmp.Or(f.message, messages[f.status], http.StatusText(f.status), fmt.Sprintf("Error %d", f.status))
}

// wire returns the failure as the packages of the protocols take it.
func (f failure) wire() *wire.Failure {
	return &wire.Failure{Status: f.status, Type: f.kind, Message: f.said(), RequestID: f.id}
}

// body returns the failure as the body of an answer.
func (f failure) body(protocol string) []byte {
	return append(encode(dialectOf(protocol).body(f.wire())), '\n')
}

// Deny answers a request for a path with an error in the shape of its protocol.
func Deny(w http.ResponseWriter, path string, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(failure{status: status, message: message}.body(Protocol(path))) // the client may be gone
}

// event returns the failure as an event of a stream with that content type.
func (f failure) event(protocol, path, contentType string) []byte {
	switch {
	case !strings.HasPrefix(contentType, "text/event-stream"):
		return f.body(protocol)
	case protocol == protocolAnthropic:
		return anthropic.AppendError(nil, anthropic.NewError(f.wire()))
	case protocol == protocolOpenAI && strings.HasSuffix(path, "/responses"):
		return wire.AppendEvent(nil, "error", encode(responsesError(f.wire())))
	}
	return wire.AppendEvent(nil, "", encode(dialectOf(protocol).body(f.wire())))
}

// responsesError is an event of the Responses API. Which number it has in its stream is
// not known here.
func responsesError(f *wire.Failure) any {
	e := wire.NewError(f).Error
	code := e.Type
	if e.Code != nil {
		code = *e.Code
	}
	return fields{"type": "error", "code": code, "message": e.Message, "param": nil}
}

// inFrame returns the failure as a message of a WebSocket.
func (f failure) inFrame(protocol string) []byte {
	d := dialectOf(protocol)
	if d.frame == nil {
		return encode(d.body(f.wire()))
	}
	return encode(d.frame(f.wire()))
}

// fields is a JSON object.
type fields map[string]any

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("fault: %v", err)) // our own values always encode
	}
	return b
}
