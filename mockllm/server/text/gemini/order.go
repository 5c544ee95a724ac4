package gemini

import (
	"bytes"
	"encoding/json"
	"strings"

	"halfsecond/mockllm/server/text/sample"
	"halfsecond/mockllm/server/text/serve"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/gemini"
)

// orderOf turns a request into an order for no model yet.
func orderOf(q *gemini.GenerateRequest) (serve.Order, *wire.Failure) {
	o := serve.Order{In: "contents"}
	if len(q.Contents) == 0 {
		return o, serve.BadRequest("contents", "", "* GenerateContentRequest.contents: contents is not specified\n")
	}
	if q.SystemInstruction != nil {
		o.Prompt = textsOf(q.SystemInstruction)
	}
	for i := range q.Contents {
		c := &q.Contents[i]
		if len(c.Parts) == 0 {
			return o, serve.BadRequest("contents", "", "* GenerateContentRequest.contents[%d].parts: contents.parts must not be empty.\n", i)
		}
		if c.Role != "" && c.Role != "user" && c.Role != "model" && c.Role != "function" {
			return o, serve.BadRequest("contents", "", "Please use a valid role: user, model. contents[%d] has %q.", i, c.Role)
		}
		o.Prompt = append(o.Prompt, textsOf(c)...)
		o.AfterTool = c.Parts[len(c.Parts)-1].FunctionResponse != nil
	}
	o.Dictate(wire.Mock{MockAnswer: q.MockAnswer, MockThinking: q.MockThinking, MockTool: q.MockTool})
	if fault := setTools(&o, q); fault != nil {
		return o, fault
	}
	return o, setConfig(&o, q.GenerationConfig)
}

// textsOf returns what the prompt says of one turn. Images and the like are not
// looked at.
func textsOf(c *gemini.Content) []string {
	var texts []string
	for _, p := range c.Parts {
		switch {
		case p.Text != nil:
			texts = append(texts, *p.Text)
		case p.FunctionCall != nil:
			texts = append(texts, string(p.FunctionCall.Args))
		case p.FunctionResponse != nil:
			texts = append(texts, string(p.FunctionResponse.Response))
		}
	}
	return texts
}

// setTools copies the functions that may be called.
func setTools(o *serve.Order, q *gemini.GenerateRequest) *wire.Failure {
	for _, t := range q.Tools {
		for _, d := range t.FunctionDeclarations {
			schema := d.ParametersJSONSchema
			if len(schema) == 0 {
				schema = smallTypes(d.Parameters)
			}
			o.Tools = append(o.Tools, serve.Tool{Name: d.Name, Description: d.Description, Schema: schema})
		}
	}
	if q.ToolConfig == nil || q.ToolConfig.FunctionCallingConfig == nil {
		return nil
	}
	c := q.ToolConfig.FunctionCallingConfig
	switch c.Mode {
	case "", "AUTO", "MODE_UNSPECIFIED", "VALIDATED":
	case "ANY":
		o.Choice = serve.Required
	case "NONE":
		o.Choice = serve.Never
	default:
		return serve.BadRequest("toolConfig", "", `Invalid value at 'tool_config.function_calling_config.mode': %q is not one of AUTO, ANY, NONE, VALIDATED`, c.Mode)
	}
	if len(c.AllowedFunctionNames) > 0 && o.Choice == serve.Required {
		return o.Allow(c.AllowedFunctionNames)
	}
	return nil
}

// setConfig copies how to generate.
func setConfig(o *serve.Order, c *gemini.GenerationConfig) *wire.Failure {
	if c == nil {
		return nil
	}
	o.Limit, o.LimitedBy, o.Stop = c.MaxOutputTokens, "maxOutputTokens", c.StopSequences
	if c.Seed != nil {
		o.Seed = *c.Seed
	}
	if t := c.ThinkingConfig; t != nil {
		o.Thinks = t.IncludeThoughts || t.ThinkingLevel != ""
		if b := t.ThinkingBudget; b != nil {
			o.Thinks, o.ThinkingLimit = *b != 0, max(0, *b)
		}
	}
	if len(c.StopSequences) > 5 {
		return serve.BadRequest("stopSequences", "", "The number of stop sequences (%d) exceeds the maximum of 5.", len(c.StopSequences))
	}
	if n := c.CandidateCount; n != nil && *n != 1 {
		return serve.BadRequest("candidateCount", "", "Multiple candidates is not enabled for this model: candidateCount is %d.", *n)
	}
	return setFormat(o, c)
}

// setFormat copies the form that an answer shall have.
func setFormat(o *serve.Order, c *gemini.GenerationConfig) *wire.Failure {
	switch c.ResponseMimeType {
	case "", "text/plain":
		return nil
	case "application/json":
	default:
		return serve.BadRequest("responseMimeType", "", "Invalid responseMimeType %q: want text/plain or application/json.", c.ResponseMimeType)
	}
	o.Format = sample.AnyObject
	if len(c.ResponseJSONSchema) > 0 {
		o.Format = c.ResponseJSONSchema
	} else if len(c.ResponseSchema) > 0 {
		o.Format = smallTypes(c.ResponseSchema)
	}
	return nil
}

// smallTypes returns a schema of the Gemini API as a JSON schema, which names types in
// small letters.
func smallTypes(schema json.RawMessage) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(schema))
	d.UseNumber()
	var v any
	if len(schema) == 0 || d.Decode(&v) != nil {
		return schema
	}
	small(v)
	text, err := json.Marshal(v)
	if err != nil {
		return schema
	}
	return text
}

// small puts the types of a schema and of those within it into small letters.
func small(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			small(e)
		}
	case map[string]any:
		for name, e := range v {
			if text, ok := e.(string); ok && name == "type" {
				v[name] = strings.ToLower(text)
			} else if name != "enum" && name != "default" && name != "example" {
				small(e)
			}
		}
	}
}
