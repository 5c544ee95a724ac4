package gemini

import (
	"encoding/json"
	"strings"
)

// The service takes each field by its name in camel case and by that in snake case
// (ProtoJSON: "Parsers accept both the lowerCamelCase name and the original proto field
// name", protobuf.dev/programming-guides/json, read 2026-11-29). What we write is in camel case.

// fold decodes an object into v, whose tags are in camel case.
func fold(b []byte, v any) error {
	var members map[string]json.RawMessage
	if json.Unmarshal(b, &members) != nil {
		return json.Unmarshal(b, v) // it says what is wrong
	}
	renamed := false
	for name, value := range members {
		if strings.Contains(name, "_") {
			delete(members, name)
			members[camel(name)] = value
			renamed = true
		}
	}
	if !renamed {
		return json.Unmarshal(b, v)
	}
	b, err := json.Marshal(members)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, v)
}

// camel returns the name in camel case.
func camel(name string) string {
	var b strings.Builder
	up := false
	for _, c := range []byte(name) {
		if c == '_' {
			up = true
			continue
		}
		if up && c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		b.WriteByte(c)
		up = false
	}
	return b.String()
}

// The types of a request decode themselves, so that each of their names is folded and
// those of a client's own schemas, arguments and results are not.

// UnmarshalJSON takes both spellings of each name.
func (q *GenerateRequest) UnmarshalJSON(b []byte) error {
	type plain GenerateRequest
	return fold(b, (*plain)(q))
}

// UnmarshalJSON takes both spellings of each name.
func (p *Part) UnmarshalJSON(b []byte) error {
	type plain Part
	return fold(b, (*plain)(p))
}

// UnmarshalJSON takes both spellings of each name.
func (d *Blob) UnmarshalJSON(b []byte) error {
	type plain Blob
	return fold(b, (*plain)(d))
}

// UnmarshalJSON takes both spellings of each name.
func (c *GenerationConfig) UnmarshalJSON(b []byte) error {
	type plain GenerationConfig
	return fold(b, (*plain)(c))
}

// UnmarshalJSON takes both spellings of each name.
func (c *ThinkingConfig) UnmarshalJSON(b []byte) error {
	type plain ThinkingConfig
	return fold(b, (*plain)(c))
}

// UnmarshalJSON takes both spellings of each name.
func (t *Tool) UnmarshalJSON(b []byte) error {
	type plain Tool
	return fold(b, (*plain)(t))
}

// UnmarshalJSON takes both spellings of each name.
func (d *FunctionDeclaration) UnmarshalJSON(b []byte) error {
	type plain FunctionDeclaration
	return fold(b, (*plain)(d))
}

// UnmarshalJSON takes both spellings of each name.
func (c *ToolConfig) UnmarshalJSON(b []byte) error {
	type plain ToolConfig
	return fold(b, (*plain)(c))
}

// UnmarshalJSON takes both spellings of each name.
func (c *FunctionCallingConfig) UnmarshalJSON(b []byte) error {
	type plain FunctionCallingConfig
	return fold(b, (*plain)(c))
}

// UnmarshalJSON takes both spellings of each name.
func (q *CountTokensRequest) UnmarshalJSON(b []byte) error {
	type plain CountTokensRequest
	return fold(b, (*plain)(q))
}
