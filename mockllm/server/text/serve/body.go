package serve

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

// BadRequest returns a refusal because of a parameter.
func BadRequest(param, code, format string, args ...any) *wire.Failure {
	return &wire.Failure{Status: http.StatusBadRequest, Message: fmt.Sprintf(format, args...), Param: param, Code: code}
}

// Read decodes a request body into v. It returns the instant at which the body was
// whole: a request cannot be computed before.
func (s *Service) Read(w http.ResponseWriter, r *http.Request, v any) (arrived time.Duration, fault *wire.Failure) {
	body, err := s.ReadBody(w, r)
	arrived = s.Config.Loop.Elapsed()
	if c := r.Header.Get("Content-Encoding"); c != "" && c != "identity" {
		return arrived, &wire.Failure{Status: http.StatusUnsupportedMediaType, Message: fmt.Sprintf("Content-Encoding '%s' is not supported: send the body of your request as it is, without a Content-Encoding.", c), Code: "unsupported_content_encoding"}
	}
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return arrived, &wire.Failure{Status: http.StatusRequestEntityTooLarge, Message: fmt.Sprintf("Request body is larger than the limit of %d bytes.", large.Limit), Code: "request_too_large"}
	}
	if err != nil {
		return arrived, BadRequest("", "", "The body of your request could not be read: %v", err)
	}
	if err := json.Unmarshal(body, v); err != nil {
		return arrived, parseError(err)
	}
	return arrived, nil
}

// ReadBody reads a request body as it is.
func (s *Service) ReadBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(readLimit)) // best effort, as is its end
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.Config.MaxBody))
	_ = control.SetReadDeadline(time.Time{})
	return body, err
}

// Open reads a request body into v, and turns the order that understand makes of it
// into a generation.
func (s *Service) Open(w http.ResponseWriter, r *http.Request, p *Protocol, v any, understand func() (Order, *wire.Failure)) (*Generation, *wire.Failure) {
	arrived, fault := s.Read(w, r, v)
	if fault != nil {
		return nil, fault
	}
	o, fault := understand()
	if fault != nil {
		return nil, fault
	}
	return s.Generation(p, r, arrived, o)
}

// parseError says what is wrong with a body, and where.
func parseError(err error) *wire.Failure {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return BadRequest("", "", "We could not parse the JSON body of your request: %v at byte %d.", err, syntax.Offset)
	}
	var field *wire.FieldError
	if errors.As(err, &field) {
		return BadRequest(field.Field, "invalid_type", "Invalid type for '%s': %s.", field.Field, field.Problem)
	}
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) && kind.Field != "" {
		// Fields of an embedded struct come with its name in front.
		name := kind.Field[strings.LastIndexByte(kind.Field, '.')+1:]
		return BadRequest(name, "invalid_type", "Invalid type for '%s': expected %s, but got %s instead.", name, jsonType(kind.Type), kind.Value)
	}
	if errors.As(err, &kind) {
		return BadRequest("", "", "The JSON body of your request is not an object but of type %s.", kind.Value)
	}
	return BadRequest("", "", "We could not parse the JSON body of your request: %v.", err)
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

// Lookup returns the model of that name, or the one that stands for it; nil when there
// is none.
func (s *Service) Lookup(name string) *Model {
	m := s.models[name]
	if m == nil && s.Config.AnyModel {
		m = s.models[s.Config.Models[0].Name]
	}
	if m == nil {
		return nil
	}
	return &m.Model
}

// Asked is Lookup for a client that asks for the model.
func (s *Service) Asked(name string) *Model {
	m := s.Lookup(name)
	if m == nil && name != "" {
		s.tellUnknown(name)
	}
	return m
}

// Find is Lookup with a refusal in OpenAI's words.
func (s *Service) Find(name string) (*Model, *wire.Failure) {
	if m := s.Asked(name); m != nil {
		return m, nil
	}
	if name == "" {
		return nil, BadRequest("model", "", "you must provide a model parameter; this server has %s", s.modelNames())
	}
	return nil, &wire.Failure{Status: http.StatusNotFound, Message: fmt.Sprintf("The model `%s` does not exist or you do not have access to it. This server has %s.", name, s.modelNames()), Param: "model", Code: CodeUnknownModel}
}

// handful is how many models a refusal lists.
const handful = 5

// modelNames lists some of the models there are, and says how many others there are.
func (s *Service) modelNames() string {
	var names []string
	for i := range min(handful, len(s.Config.Models)) {
		names = append(names, "`"+s.Config.Models[i].Name+"`")
	}
	list := strings.Join(names, ", ")
	switch rest := len(s.Config.Models) - len(names); rest {
	case 0:
		return list
	case 1:
		return list + " and 1 other"
	default:
		return fmt.Sprintf("%s and %d others", list, rest)
	}
}

// deny refuses a request that the engine would not take or could not finish.
func (s *Service) deny(w http.ResponseWriter, g *Generation) {
	if over := (*engine.QuotaError)(nil); errors.As(g.Request.Reason, &over) {
		w.Header().Set("Retry-After", strconv.FormatFloat(math.Ceil(over.Config.RetryAfter.Seconds()), 'f', -1, 64))
		w.Header().Set("retry-after-ms", strconv.FormatFloat(float64(over.Config.RetryAfter)/float64(time.Millisecond), 'f', -1, 64))
	}
	g.protocol.Refuse(w, g.fault())
}

// WriteJSON answers with a value of ours, which always encodes.
func WriteJSON(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("serve: %v", err)) // our own types always encode
	}
	w.Header().Set("Content-Type", "application/json")
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeLimit)) // best effort
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // the client may be gone; there is nobody left to tell
}

// Codes that protocols have words of their own for.
const (
	CodeRefused      = "engine_refused" // there is no room
	CodeUnknownModel = "model_not_found"
)
