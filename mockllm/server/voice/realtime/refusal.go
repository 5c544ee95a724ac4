package realtime

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/realtime"
)

// refusal is what is wrong with an event or a request of the Realtime API. Code
// and param may be "".
type refusal struct {
	code, param, message string
}

// faulty says what is wrong; of what the client wrote not all is quoted if it is long.
func faulty(code, param, format string, args ...any) *refusal {
	return &refusal{code, talk.Quoted(param), fmt.Sprintf(format, quoted(args)...)}
}

// missing says that a parameter is.
func missing(param string) *refusal {
	return faulty("missing_required_parameter", param, "Missing required parameter: '%s'.", param)
}

// notOneOf says that a word is none of those that there are.
func notOneOf(param, word string, of ...string) *refusal {
	return faulty("invalid_value", param, "Invalid value: '%s'. Supported values are: %s.", word, enumerated(of))
}

// enumerated returns words in quotes: 'a' and 'b', or 'a', 'b', and 'c'.
func enumerated(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = "'" + w + "'"
	}
	last := len(quoted) - 1
	switch {
	case last < 0:
		return "none"
	case last == 0:
		return quoted[0]
	case last == 1:
		return quoted[0] + " and " + quoted[1]
	}
	return strings.Join(quoted[:last], ", ") + ", and " + quoted[last]
}

// outside says that a number is too small or too large, or returns nil.
func outside[N int | float64](param, kind string, n, least, most N) *refusal {
	switch {
	case n < least:
		return faulty(kind+"_below_min_value", param, "Invalid '%s': %s below minimum value. Expected a value >= %v, but got %v instead.", param, kind, least, n)
	case n > most:
		return faulty(kind+"_above_max_value", param, "Invalid '%s': %s above maximum value. Expected a value <= %v, but got %v instead.", param, kind, most, n)
	}
	return nil
}

// undecodable says why JSON could not be decoded; within is the name of what was.
func undecodable(err error, within string) *refusal {
	under := func(name string) string { return strings.TrimPrefix(within+"."+name, ".") }
	var field *wire.FieldError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &field):
		return faulty("invalid_value", under(field.Field), "Invalid value for '%s': %s.", under(field.Field), field.Problem)
	case errors.As(err, &kind) && kind.Field != "":
		return faulty("invalid_type", under(kind.Field), "Invalid type for '%s': expected a value that fits %s, but got a value of type %s instead.", under(kind.Field), kind.Type.Kind(), kind.Value)
	case errors.As(err, &kind):
		return faulty("invalid_type", within, "Invalid type: expected a value that fits %s, but got a value of type %s instead.", kind.Type.Kind(), kind.Value)
	}
	return faulty("invalid_json", "", "Invalid event: failed to parse JSON value. %v", err)
}

// orNull returns nil for "".
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// event returns the fault as an event says it; cause is the id of the client's event,
// or "".
func (f *refusal) event(cause string) realtime.Error {
	return realtime.Error{Type: realtime.InvalidRequest, Code: orNull(f.code), Message: f.message, Param: orNull(f.param), EventID: orNull(talk.Quoted(cause))}
}

// body returns the fault as a response of HTTP says it.
func (f *refusal) body() realtime.ErrorBody {
	return realtime.ErrorBody{Error: realtime.BodyError{Message: f.message, Type: realtime.InvalidRequest, Param: orNull(f.param), Code: orNull(f.code)}}
}

// reason returns the fault, which must have a code, as the reason of a close frame.
func (f *refusal) reason() string { return realtime.InvalidRequest + "." + f.code }
