package serve

import (
	"encoding/json"
	"slices"
	"strings"

	"halfsecond/mockllm/server/text/sample"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/wire"
)

// Tool is something that a model may call.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON schema of its arguments; empty takes none
}

// Choice says whether a model may, must not or must call a tool.
type Choice uint8

const (
	Auto Choice = iota
	Never
	Required
)

// Text returns what the model reads of the tool: it counts as prompt.
func (t Tool) Text() string { return t.Name + " " + t.Description + " " + string(t.Schema) }

// ToolTexts returns what the prompt says of the tools, before anything else.
func (o Order) ToolTexts() []string {
	var texts []string
	for _, t := range o.Tools {
		texts = append(texts, t.Text())
	}
	return texts
}

// called returns the tools that the answer calls, none for an answer in words. Where
// the client demands a call there is one: of the tools it names, else of one that the
// seed picks. Where it leaves the choice, the mock answers in words unless the
// request's mock_tool names tools, or the seed falls within Config.ToolShare and the
// answer is not dictated; and always when the prompt ends with the result of a call,
// or no conversation with tools would end.
func (s *Service) called(o Order, seed uint64) []Tool {
	if len(o.Tools) == 0 || o.Choice == Never || o.Choice == Auto && o.AfterTool {
		return nil
	}
	if len(o.Named) > 0 {
		return o.pick()
	}
	dice := dist.Stream(seed, "server/tool")
	if o.Choice == Auto && (o.Answer != "" || dice.Float64() >= s.Config.ToolShare) {
		return nil
	}
	i := dice.IntN(len(o.Tools))
	return o.Tools[i : i+1]
}

// pick returns the tools that are named, in the order of their names.
func (o Order) pick() []Tool {
	var picked []Tool
	for _, name := range o.Named {
		picked = append(picked, o.Tools[o.find(name)])
	}
	if o.Single {
		picked = picked[:1]
	}
	return picked
}

// find returns the place of a tool, or -1.
func (o Order) find(name string) int {
	return slices.IndexFunc(o.Tools, func(t Tool) bool { return t.Name == name })
}

// checkTools reports a tool without a name, and one that is to be called and is not
// there.
func (o Order) checkTools() *wire.Failure {
	for i, t := range o.Tools {
		if t.Name == "" {
			return BadRequest("tools", "missing_required_parameter", "Missing required parameter: the name of tools[%d].", i)
		}
	}
	if o.Choice == Required && len(o.Tools) == 0 {
		return BadRequest("tool_choice", "invalid_value", "Invalid value for 'tool_choice': 'tool_choice' demands a call, but there are no 'tools'.")
	}
	for _, name := range o.Named {
		if o.find(name) < 0 {
			return BadRequest(o.NamedBy, "invalid_value", "Invalid value for '%s': there is no tool '%s' among the tools, which are: %s.", o.NamedBy, name, o.toolNames())
		}
	}
	return nil
}

func (o Order) toolNames() string {
	if len(o.Tools) == 0 {
		return "none"
	}
	var names []string
	for _, t := range o.Tools {
		names = append(names, "'"+t.Name+"'")
	}
	return strings.Join(names, ", ")
}

// calls returns the calls that the answer makes. Arguments follow from the schema and
// the seed; with mock_answer those of the first are dictated.
func (s *Service) calls(p *Protocol, o Order, seed uint64) ([]*Call, *wire.Failure) {
	var calls []*Call
	for i, t := range s.called(o, seed) {
		c := &Call{ID: s.NewID(p.CallPrefix), Name: t.Name}
		if i == 0 && o.Answer != "" {
			if !isObject(o.Answer) {
				return nil, BadRequest("mock_answer", "invalid_value", "Invalid value for 'mock_answer': the answer calls the tool '%s', so it must be a JSON object with the arguments.", t.Name)
			}
			c.Arguments = o.Answer
		} else {
			text, err := sample.Arguments(t.Schema, dist.Stream(seed, "server/arguments", i))
			if err != nil {
				return nil, BadRequest("tools", "invalid_function_parameters", "Invalid schema for function '%s': %v.", t.Name, err)
			}
			c.Arguments = text
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

// Allow leaves only the tools of those names; one that is not there is refused.
func (o *Order) Allow(names []string) *wire.Failure {
	for _, name := range names {
		if o.find(name) < 0 {
			return BadRequest("tool_choice", "invalid_value", "Invalid value for 'tool_choice': there is no tool '%s' among the tools, which are: %s.", name, o.toolNames())
		}
	}
	o.Tools = slices.DeleteFunc(o.Tools, func(t Tool) bool { return !slices.Contains(names, t.Name) })
	return nil
}
