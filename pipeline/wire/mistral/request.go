package mistral

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"halfsecond/pipeline/wire"
)

// FIMPath is the path of the API below its base, which ends in /v1.
const FIMPath = "/fim/completions"

// FIMRequest is the body of POST /v1/fim/completions. A nil pointer is a field that was
// not sent.
type FIMRequest struct {
	Model       string    `json:"model"`
	Prompt      *string   `json:"prompt"` // the text before the gap
	Suffix      *string   `json:"suffix,omitempty"`
	MaxTokens   *int      `json:"max_tokens,omitempty"`
	MinTokens   *int      `json:"min_tokens,omitempty"`
	Temperature *float64  `json:"temperature,omitempty"`
	TopP        *float64  `json:"top_p,omitempty"`
	Stream      *bool     `json:"stream,omitempty"`
	Stop        wire.Stop `json:"stop,omitempty"`
	RandomSeed  *int64    `json:"random_seed,omitempty"`

	Metadata       json.RawMessage `json:"metadata,omitempty"`
	PromptCacheKey *string         `json:"prompt_cache_key,omitempty"`

	// MockAnswer is the text that our own mock shall say. It is our extension.
	MockAnswer string `json:"mock_answer,omitempty"`
}

// fields are the names of all fields, and what each must be.
var fields = []struct {
	name  string
	kind  string // of the Violation where it is not, and its message
	says  string
	holds func(raw json.RawMessage) bool
}{
	{"model", "string_type", "Input should be a valid string", is[string]},
	{"prompt", "string_type", "Input should be a valid string", is[string]},
	{"suffix", "string_type", "Input should be a valid string", is[*string]},
	{"max_tokens", "int_type", "Input should be a valid integer", is[*int]},
	{"min_tokens", "int_type", "Input should be a valid integer", is[*int]},
	{"temperature", "float_type", "Input should be a valid number", is[*float64]},
	{"top_p", "float_type", "Input should be a valid number", is[*float64]},
	{"stream", "bool_type", "Input should be a valid boolean", is[*bool]},
	{"stop", "string_type", "Input should be a valid string or a list of them", is[wire.Stop]},
	{"random_seed", "int_type", "Input should be a valid integer", is[*int64]},
	{"metadata", "dict_type", "Input should be a valid dictionary", is[map[string]json.RawMessage]},
	{"prompt_cache_key", "string_type", "Input should be a valid string", is[*string]},
	{"mock_answer", "string_type", "Input should be a valid string", is[string]},
}

func is[T any](raw json.RawMessage) bool {
	var v T
	return json.Unmarshal(raw, &v) == nil
}

// Read reads a request as the service does: it takes no field that it does not know,
// and reports all that is wrong at once, in order of name. The error is that of a body
// that is no JSON object. Of a request with violations only the model is returned.
func Read(body []byte) (FIMRequest, []Violation, error) {
	var q FIMRequest
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		return q, nil, err
	}
	if members == nil {
		return q, nil, fmt.Errorf("the body is null, want an object")
	}
	_ = json.Unmarshal(members["model"], &q.Model) // what is wrong with it is one of the violations
	wrong := violations(members)
	if len(wrong) > 0 {
		return q, wrong, nil
	}
	return q, nil, json.Unmarshal(body, &q)
}

func violations(members map[string]json.RawMessage) []Violation {
	var wrong []Violation
	add := func(kind, name, says string, input json.RawMessage) {
		wrong = append(wrong, Violation{Type: kind, Location: []any{"body", name}, Message: says, Input: input})
	}
	for _, name := range []string{"model", "prompt"} {
		if _, there := members[name]; !there {
			add("missing", name, "Field required", json.RawMessage("null"))
		}
	}
	for _, f := range fields {
		if raw, there := members[f.name]; there {
			delete(members, f.name)
			if null := bytes.Equal(raw, []byte("null")); !f.holds(raw) || null && (f.name == "model" || f.name == "prompt") {
				add(f.kind, f.name, f.says, raw)
			}
		}
	}
	for name, raw := range members {
		add("extra_forbidden", name, "Extra inputs are not permitted", raw)
	}
	slices.SortFunc(wrong, func(a, b Violation) int { return strings.Compare(a.Location[1].(string), b.Location[1].(string)) })
	return wrong
}
