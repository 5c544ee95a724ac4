package text

import (
	"encoding/json"
	"slices"
	"strings"

	"halfsecond/pipeline/dist"
)

// tool is something that a model may call.
type tool struct {
	name        string
	description string
	schema      json.RawMessage // JSON schema of its arguments; empty takes none
}

// choice says whether a model may, must not or must call a tool.
type choice uint8

const (
	auto choice = iota
	never
	required
)

// text returns what the model reads of the tool: it counts as prompt.
func (t tool) text() string { return t.name + " " + t.description + " " + string(t.schema) }

// toolTexts returns what the prompt says of the tools, before anything else.
func (o order) toolTexts() []string {
	var texts []string
	for _, t := range o.tools {
		texts = append(texts, t.text())
	}
	return texts
}

// called returns the tools that the answer calls, none for an answer in words. Where
// the client demands a call there is one: of the tools it names, else of one that the
// seed picks. Where it leaves the choice, the mock answers in words unless the
// request's mock_tool names tools, or the seed falls within Config.ToolShare and the
// answer is not dictated; and always when the prompt ends with the result of a call,
// or no conversation with tools would end.
func (s *Service) called(o order, seed uint64) []tool {
	if len(o.tools) == 0 || o.choice == never || o.choice == auto && o.afterTool {
		return nil
	}
	if len(o.named) > 0 {
		return o.pick()
	}
	dice := dist.Stream(seed, "server/tool")
	if o.choice == auto && (o.answer != "" || dice.Float64() >= s.config.ToolShare) {
		return nil
	}
	i := dice.IntN(len(o.tools))
	return o.tools[i : i+1]
}

// pick returns the tools that are named, in the order of their names.
func (o order) pick() []tool {
	var picked []tool
	for _, name := range o.named {
		picked = append(picked, o.tools[o.find(name)])
	}
	if o.single {
		picked = picked[:1]
	}
	return picked
}

// find returns the place of a tool, or -1.
func (o order) find(name string) int {
	return slices.IndexFunc(o.tools, func(t tool) bool { return t.name == name })
}

// checkTools reports a tool without a name, and one that is to be called and is not
// there.
func (o order) checkTools() *apiError {
	for i, t := range o.tools {
		if t.name == "" {
			return badRequest("tools", "missing_required_parameter", "Missing required parameter: the name of tools[%d].", i)
		}
	}
	if o.choice == required && len(o.tools) == 0 {
		return badRequest("tool_choice", "invalid_value", "Invalid value for 'tool_choice': 'tool_choice' demands a call, but there are no 'tools'.")
	}
	for _, name := range o.named {
		if o.find(name) < 0 {
			return badRequest(o.namedBy, "invalid_value", "Invalid value for '%s': there is no tool '%s' among the tools, which are: %s.", o.namedBy, name, o.toolNames())
		}
	}
	return nil
}

func (o order) toolNames() string {
	if len(o.tools) == 0 {
		return "none"
	}
	var names []string
	for _, t := range o.tools {
		names = append(names, "'"+t.name+"'")
	}
	return strings.Join(names, ", ")
}

// calls returns the calls that the answer makes. Arguments follow from the schema and
// the seed; with mock_answer those of the first are dictated.
func (s *Service) calls(p *protocol, o order, seed uint64) ([]*call, *apiError) {
	var calls []*call
	for i, t := range s.called(o, seed) {
		c := &call{id: s.newID(p.callPrefix), name: t.name}
		if i == 0 && o.answer != "" {
			if !isObject(o.answer) {
				return nil, badRequest("mock_answer", "invalid_value", "Invalid value for 'mock_answer': the answer calls the tool '%s', so it must be a JSON object with the arguments.", t.name)
			}
			c.arguments = o.answer
		} else {
			text, err := SampleArguments(t.schema, dist.Stream(seed, "server/arguments", i))
			if err != nil {
				return nil, badRequest("tools", "invalid_function_parameters", "Invalid schema for function '%s': %v.", t.name, err)
			}
			c.arguments = text
		}
		calls = append(calls, c)
	}
	return calls, nil
}

// isObject reports whether a text is one JSON object.
func isObject(text string) bool {
	var members map[string]json.RawMessage
	return json.Unmarshal([]byte(text), &members) == nil && members != nil
}
