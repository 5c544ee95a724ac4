package text

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/pipeline/wire"
)

// apiError is a refusal, with the status and in the words of the OpenAI API; other
// protocols put it into their own shape. Codes: openai/openai-openapi openapi.yaml
// (commit f85dbe2, 2026-08-21) and the answers of the service, read 2026-11-29.
type apiError struct {
	status  int
	kind    string
	message string
	param   string
	code    string
}

const (
	invalidRequest = "invalid_request_error"
	serverError    = "server_error"
)

func (e *apiError) Error() string { return e.message }

func badRequest(param, code, format string, args ...any) *apiError {
	return &apiError{http.StatusBadRequest, invalidRequest, fmt.Sprintf(format, args...), param, code}
}

// read decodes a request body into v. It returns the instant at which the body was
// whole: a request cannot be computed before.
func (s *Service) read(w http.ResponseWriter, r *http.Request, v any) (arrived time.Duration, fault *apiError) {
	body, err := s.readBody(w, r)
	arrived = s.config.Loop.Elapsed()
	if c := r.Header.Get("Content-Encoding"); c != "" && c != "identity" {
		return arrived, &apiError{http.StatusUnsupportedMediaType, invalidRequest, fmt.Sprintf("Content-Encoding '%s' is not supported: send the body of your request as it is, without a Content-Encoding.", c), "", "unsupported_content_encoding"}
	}
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return arrived, &apiError{http.StatusRequestEntityTooLarge, invalidRequest, fmt.Sprintf("Request body is larger than the limit of %d bytes.", large.Limit), "", "request_too_large"}
	}
	if err != nil {
		return arrived, badRequest("", "", "The body of your request could not be read: %v", err)
	}
	if err := json.Unmarshal(body, v); err != nil {
		return arrived, parseError(err)
	}
	return arrived, nil
}

// readBody reads a request body as it is.
func (s *Service) readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(readLimit)) // best effort, as is its end
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.config.MaxBody))
	_ = control.SetReadDeadline(time.Time{})
	return body, err
}

// open reads a request body into v, and turns the order that understand makes of it
// into a generation.
func (s *Service) open(w http.ResponseWriter, r *http.Request, p *protocol, v any, understand func() (order, *apiError)) (*generation, *apiError) {
	arrived, fault := s.read(w, r, v)
	if fault != nil {
		return nil, fault
	}
	o, fault := understand()
	if fault != nil {
		return nil, fault
	}
	g, fault := s.generation(p, o)
	if fault != nil {
		return nil, fault
	}
	g.arrived, g.path = arrived, r.URL.Path
	return g, nil
}

// parseError says what is wrong with a body, and where.
func parseError(err error) *apiError {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return badRequest("", "", "We could not parse the JSON body of your request: %v at byte %d.", err, syntax.Offset)
	}
	var field *wire.FieldError
	if errors.As(err, &field) {
		return badRequest(field.Field, "invalid_type", "Invalid type for '%s': %s.", field.Field, field.Problem)
	}
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) && kind.Field != "" {
		// Fields of an embedded struct come with its name in front.
		name := kind.Field[strings.LastIndexByte(kind.Field, '.')+1:]
		return badRequest(name, "invalid_type", "Invalid type for '%s': expected %s, but got %s instead.", name, jsonType(kind.Type), kind.Value)
	}
	if errors.As(err, &kind) {
		return badRequest("", "", "The JSON body of your request is not an object but of type %s.", kind.Value)
	}
	return badRequest("", "", "We could not parse the JSON body of your request: %v.", err)
}

// jsonType says in JSON's words what a field should have been.
func jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return jsonType(t.Elem())
	case reflect.Bool:
		return "a boolean"
	case reflect.Int, reflect.Int64:
		return "an integer"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "an array"
	case reflect.Struct:
		return "an object"
	}
	return "a string"
}

// lookup returns the model of that name, or the one that stands for it; nil when there
// is none.
func (s *Service) lookup(name string) *model {
	if m := s.models[name]; m != nil || !s.config.AnyModel {
		return m
	}
	return s.models[s.config.Models[0].Name]
}

// find is lookup with a refusal in OpenAI's words.
func (s *Service) find(name string) (*model, *apiError) {
	if m := s.lookup(name); m != nil {
		return m, nil
	}
	if name == "" {
		return nil, badRequest("model", "", "you must provide a model parameter; this server has %s", s.modelNames())
	}
	return nil, &apiError{http.StatusNotFound, invalidRequest, fmt.Sprintf("The model `%s` does not exist or you do not have access to it. This server has %s.", name, s.modelNames()), "model", "model_not_found"}
}

// modelNames lists the models there are.
func (s *Service) modelNames() string {
	var names []string
	for i := range s.config.Models {
		names = append(names, "`"+s.config.Models[i].Name+"`")
	}
	return strings.Join(names, ", ")
}

// deny refuses a request that the engine would not take or could not finish.
func (s *Service) deny(w http.ResponseWriter, g *generation) {
	if over := (*engine.QuotaError)(nil); errors.As(g.request.Reason, &over) {
		w.Header().Set("Retry-After", strconv.FormatFloat(math.Ceil(over.Config.RetryAfter.Seconds()), 'f', -1, 64))
		w.Header().Set("retry-after-ms", strconv.FormatInt(over.Config.RetryAfter.Milliseconds(), 10))
	}
	g.protocol.refuse(w, g.fault())
}

// Unknown answers every path and method that is not served.
func (s *Service) Unknown(w http.ResponseWriter, r *http.Request) {
	refuse := openAI.refuse
	if isAnthropic(r) {
		refuse = anthropicAPI.refuse
	}
	refuse(w, &apiError{
		http.StatusNotFound, invalidRequest,
		fmt.Sprintf("Unknown request URL: %s %s. Please check the URL and the method for typos; this server has %s.", r.Method, r.URL.Path, served),
		"", "unknown_url",
	})
}

// served says in a sentence what there is.
const served = "the generating requests of the OpenAI API (POST /v1/chat/completions, /v1/completions and /v1/responses), of Anthropic (POST /v1/messages), Ollama (under /api), llama.cpp (POST /completion and /infill), Mistral (POST /v1/fim/completions), Tabby and Gemini (under /v1beta), speech of OpenAI (/v1/audio, /v1/realtime), Deepgram (/v1/listen, /v1/speak), AssemblyAI (/v3/ws), ElevenLabs (/v1/text-to-speech) and Cartesia (/tts, /stt), GET /v1/models, GET /health and GET /metrics"

func writeJSON(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("text: %v", err)) // our own types always encode
	}
	w.Header().Set("Content-Type", "application/json")
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeLimit)) // best effort
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // the client may be gone; there is nobody left to tell
}
