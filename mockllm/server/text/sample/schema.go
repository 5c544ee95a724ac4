// Package sample makes JSON that fits a JSON schema, as models are made to answer with.
package sample

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/wire"
)

// Limits of a sampled value: below softDepth nothing is added that the schema does not
// demand, so that one that refers to itself comes to an end; one that demands more than
// hardDepth levels, more than maxSample bytes or more than maxSteps schemas is refused.
const (
	softDepth = 5
	hardDepth = 32
	maxSample = 64 << 10
	maxSteps  = 10_000
)

// schema is a JSON schema, as far as samples honour it; what else one says, and what it
// says in another form, is not looked at. Meaning of the keywords: JSON Schema 2020-12,
// Core and Validation, read 2026-11-29.
type schema struct {
	Ref         string            `json:"$ref"`
	Type        list              `json:"type"`
	Enum        []json.RawMessage `json:"enum"`
	Const       json.RawMessage   `json:"const"`
	Properties  members           `json:"properties"`
	Required    list              `json:"required"`
	Items       json.RawMessage   `json:"items"`
	PrefixItems []json.RawMessage `json:"prefixItems"`
	MinItems    int               `json:"minItems"`
	MaxItems    *int              `json:"maxItems"`
	AnyOf       []json.RawMessage `json:"anyOf"`
	OneOf       []json.RawMessage `json:"oneOf"`
	AllOf       []json.RawMessage `json:"allOf"`

	Minimum          *float64 `json:"minimum"`
	Maximum          *float64 `json:"maximum"`
	ExclusiveMinimum *float64 `json:"exclusiveMinimum"`
	ExclusiveMaximum *float64 `json:"exclusiveMaximum"`
	MultipleOf       float64  `json:"multipleOf"`
	MinLength        int      `json:"minLength"`
	MaxLength        *int     `json:"maxLength"`
	Pattern          string   `json:"pattern"`
	Format           string   `json:"format"`
}

// list is a string or a list of strings. Reading one adds to what is there, so that
// schemas can be read over each other.
type list []string

func (l *list) UnmarshalJSON(b []byte) error {
	var more wire.Stop
	if more.UnmarshalJSON(b) == nil {
		*l = append(*l, more...)
	}
	return nil
}

// members is a JSON object in the order in which it was written. Reading one adds to
// what is there.
type members []member

type member struct {
	name  string
	value json.RawMessage
}

func (m *members) UnmarshalJSON(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		*m = append(*m, member{name.(string), value})
	}
	return nil
}

// Value returns a JSON value that fits a schema; which one follows from the dice.
func Value(document json.RawMessage, dice dist.Rand) (string, error) {
	s := sampler{document: document, dice: dice}
	if err := s.value(document, 0); err != nil {
		return "", err
	}
	return string(s.out), nil
}

// Arguments is Sample for the schema of a tool's arguments, which are an object
// whether it says so or not. A tool without a schema has none.
func Arguments(document json.RawMessage, dice dist.Rand) (string, error) {
	if len(document) == 0 || string(document) == "null" {
		return "{}", nil
	}
	s, q := sampler{document: document, dice: dice}, schema{}
	if err := s.read(document, &q, 0); err != nil {
		return "", err
	}
	if len(q.Type) > 0 && q.Type[0] != "object" {
		return "", fmt.Errorf("type is %q, where arguments need \"object\"", q.Type[0])
	}
	err := s.object(q, 0)
	return string(s.out), err
}

// sampler writes one value.
type sampler struct {
	document json.RawMessage // what references point into
	dice     dist.Rand
	out      []byte
	steps    int // schemas read so far
}

// value appends a value that fits a schema.
func (s *sampler) value(raw json.RawMessage, depth int) error {
	if len(s.out) > maxSample {
		return fmt.Errorf("a value that fits it is larger than %d bytes", maxSample)
	}
	var q schema
	if err := s.read(raw, &q, depth); err != nil {
		return err
	}
	switch {
	case len(q.Const) > 0:
		s.out = append(s.out, q.Const...)
		return nil
	case len(q.Enum) > 0:
		s.out = append(s.out, q.Enum[s.dice.IntN(len(q.Enum))]...)
		return nil
	}
	return s.typed(q, depth)
}

// read reads a schema over another: first itself, then what it refers to, all of its
// allOf and one each of its anyOf and oneOf.
func (s *sampler) read(raw json.RawMessage, q *schema, depth int) error {
	if s.steps++; depth > hardDepth || s.steps > maxSteps {
		return fmt.Errorf("a value that fits it is nested deeper than %d levels or made of more than %d parts", hardDepth, maxSteps)
	}
	if string(raw) == "true" {
		return nil
	}
	if raw[0] != '{' {
		return fmt.Errorf("%.40s is no schema that a value fits", raw)
	}
	_ = json.Unmarshal(raw, q) // what has another form is left out
	parts := q.AllOf
	for _, of := range [][]json.RawMessage{q.AnyOf, q.OneOf} {
		if len(of) > 0 {
			parts = append(parts, s.alternative(of, depth))
		}
	}
	if q.Ref != "" {
		target, err := s.follow(q.Ref)
		if err != nil {
			return err
		}
		parts = append(parts, target)
	}
	q.Ref, q.AllOf, q.AnyOf, q.OneOf = "", nil, nil, nil
	for _, part := range parts {
		if err := s.read(part, q, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// follow returns what a reference such as #/$defs/Address points to.
func (s *sampler) follow(ref string) (json.RawMessage, error) {
	path, local := strings.CutPrefix(ref, "#")
	if !local {
		return nil, fmt.Errorf("reference %q leads out of the schema", ref)
	}
	at := s.document
	for name := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if name == "" {
			continue
		}
		var inner map[string]json.RawMessage
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		if json.Unmarshal(at, &inner) != nil || inner[name] == nil {
			return nil, fmt.Errorf("reference %q leads nowhere", ref)
		}
		at = inner[name]
	}
	return at, nil
}

// alternative picks one of several schemas; deep down one that ends there.
func (s *sampler) alternative(of []json.RawMessage, depth int) json.RawMessage {
	if depth >= softDepth {
		for _, raw := range of {
			var q schema
			if json.Unmarshal(raw, &q) == nil && q.flat() {
				return raw
			}
		}
	}
	return of[s.dice.IntN(len(of))]
}

// flat reports whether no value of the schema holds others.
func (q schema) flat() bool {
	return q.Ref == "" && len(q.AnyOf)+len(q.OneOf)+len(q.AllOf) == 0 && q.kind() != "object" && q.kind() != "array"
}

// kind returns the one type of a schema with one, and what its other keywords speak
// of where it names none.
func (q schema) kind() string {
	switch {
	case len(q.Type) > 0:
		return q.Type[0]
	case len(q.Properties)+len(q.Required) > 0:
		return "object"
	case len(q.Items) > 0 || len(q.PrefixItems) > 0:
		return "array"
	case q.Minimum != nil || q.Maximum != nil || q.MultipleOf > 0:
		return "number"
	}
	return "string"
}

// typed appends a value of the schema's type, of one of them where it has several.
func (s *sampler) typed(q schema, depth int) error {
	kind := q.kind()
	if n := len(q.Type); n > 1 {
		kind = q.Type[s.dice.IntN(n)]
	}
	if depth >= softDepth && slices.Contains(q.Type, "null") {
		kind = "null"
	}
	switch kind {
	case "object":
		return s.object(q, depth)
	case "array":
		return s.array(q, depth)
	case "string":
		return s.words(q)
	case "integer", "number":
		return s.number(q, kind == "integer")
	case "boolean":
		s.out = append(s.out, []string{"false", "true"}[s.dice.IntN(2)]...)
	case "null":
		s.out = append(s.out, "null"...)
	default:
		return fmt.Errorf("type %q is not one of object, array, string, integer, number, boolean, null", kind)
	}
	return nil
}

// object appends an object with all that is required and, further up, half of what is
// not; a member that is required and described nowhere is a string.
func (s *sampler) object(q schema, depth int) error {
	wanted := map[string]bool{} // false when it is written
	for _, name := range q.Required {
		wanted[name] = true
	}
	for _, m := range q.Properties {
		if _, required := wanted[m.name]; !required && depth < softDepth && s.dice.IntN(2) == 0 {
			wanted[m.name] = true
		}
	}
	for _, name := range q.Required {
		q.Properties = append(q.Properties, member{name, json.RawMessage("true")})
	}
	s.out = append(s.out, '{')
	first := len(s.out)
	for _, m := range q.Properties {
		if !wanted[m.name] {
			continue
		}
		wanted[m.name] = false
		if len(s.out) > first {
			s.out = append(s.out, ',')
		}
		s.out = append(wire.AppendString(s.out, m.name), ':')
		if err := s.value(m.value, depth+1); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	s.out = append(s.out, '}')
	return nil
}

// array appends an array as short as it may be deep down, and else of up to two
// elements more.
func (s *sampler) array(q schema, depth int) error {
	n := max(q.MinItems, len(q.PrefixItems))
	if depth < softDepth && len(q.Items) > 0 {
		n = max(n, 1+s.dice.IntN(2))
	}
	if q.MaxItems != nil {
		n = min(n, *q.MaxItems)
	}
	s.out = append(s.out, '[')
	for i := range n {
		if i > 0 {
			s.out = append(s.out, ',')
		}
		element := q.Items
		if i < len(q.PrefixItems) {
			element = q.PrefixItems[i]
		} else if len(element) == 0 {
			element = json.RawMessage("true")
		}
		if err := s.value(element, depth+1); err != nil {
			return err
		}
	}
	s.out = append(s.out, ']')
	return nil
}

// AnyObject is the schema of an answer that may be any JSON object.
var AnyObject = json.RawMessage(`{"properties":{"answer":{"type":"string"}},"required":["answer"]}`)
