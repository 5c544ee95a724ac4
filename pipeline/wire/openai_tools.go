package wire

import "encoding/json"

// Tool is something that a model may call, as a chat request describes it.
type Tool struct {
	Type     string       `json:"type"` // "function"
	Function FunctionSpec `json:"function"`
}

// FunctionSpec describes a function.
type FunctionSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"` // JSON schema
}

// Modes of a ToolChoice.
const (
	ChoiceNone     = "none"
	ChoiceAuto     = "auto"
	ChoiceRequired = "required"
)

// ToolChoice says whether the model may call tools. The API writes it as a word, as an
// object that names a function, or as one that allows some of the tools; a chat request
// nests the last two one level deeper than a Responses request. The zero value was not
// sent. Source: openai/openai-openapi openapi.yaml, ChatCompletionToolChoiceOption and
// ToolChoiceParam (commit f85dbe2, 2026-08-21), read 2026-11-29.
type ToolChoice struct {
	Mode    string   // ChoiceNone, ChoiceAuto or ChoiceRequired; "" where Name is set
	Name    string   // the function to call
	Allowed []string // functions that may be called; nil for all
}

// toolRef is a function where it is only named, in either form.
type toolRef struct {
	Name     string `json:"name"`
	Function struct {
		Name string `json:"name"`
	} `json:"function"`
}

func (r toolRef) name() string { return r.Name + r.Function.Name }

type toolChoice struct {
	Type string `json:"type"`
	toolRef
	allowed
	Nested allowed `json:"allowed_tools"`
}

type allowed struct {
	Mode  string    `json:"mode"`
	Tools []toolRef `json:"tools"`
}

// UnmarshalJSON takes all forms.
func (c *ToolChoice) UnmarshalJSON(b []byte) error {
	*c = ToolChoice{}
	if json.Unmarshal(b, &c.Mode) == nil {
		return nil
	}
	var form toolChoice
	if json.Unmarshal(b, &form) != nil {
		return &FieldError{"tool_choice", "want a word or an object"}
	}
	if form.Type != "allowed_tools" {
		c.Name = form.name()
		return nil
	}
	c.Mode, c.Allowed = form.Mode+form.Nested.Mode, []string{}
	for _, t := range append(form.Tools, form.Nested.Tools...) {
		c.Allowed = append(c.Allowed, t.name())
	}
	return nil
}

// ResponseFormat is the form that an answer shall have.
type ResponseFormat struct {
	Type       string `json:"type"` // FormatText, FormatObject or FormatSchema
	JSONSchema struct {
		Name   string          `json:"name"`
		Schema json.RawMessage `json:"schema"`
	} `json:"json_schema"`
}

// Types of a ResponseFormat.
const (
	FormatText   = "text"
	FormatObject = "json_object"
	FormatSchema = "json_schema"
)
