package text

import (
	"bytes"
	"encoding/json"
	"strings"

	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/gemini"
)

// geminiOrder turns a request into an order for no model yet.
func geminiOrder(q *gemini.GenerateRequest) (order, *apiError) {
	o := order{in: "contents"}
	if len(q.Contents) == 0 {
		return o, badRequest("contents", "", "* GenerateContentRequest.contents: contents is not specified\n")
	}
	if q.SystemInstruction != nil {
		o.prompt = geminiTexts(q.SystemInstruction)
	}
	for i := range q.Contents {
		c := &q.Contents[i]
		if len(c.Parts) == 0 {
			return o, badRequest("contents", "", "* GenerateContentRequest.contents[%d].parts: contents.parts must not be empty.\n", i)
		}
		if c.Role != "" && c.Role != "user" && c.Role != "model" && c.Role != "function" {
			return o, badRequest("contents", "", "Please use a valid role: user, model. contents[%d] has %q.", i, c.Role)
		}
		o.prompt = append(o.prompt, geminiTexts(c)...)
		o.afterTool = c.Parts[len(c.Parts)-1].FunctionResponse != nil
	}
	o.dictate(wire.Mock{MockAnswer: q.MockAnswer, MockThinking: q.MockThinking, MockTool: q.MockTool})
	if fault := o.geminiTools(q); fault != nil {
		return o, fault
	}
	return o, o.geminiConfig(q.GenerationConfig)
}

// geminiTexts returns what the prompt says of one turn. Images and the like are not
// looked at.
func geminiTexts(c *gemini.Content) []string {
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

// geminiTools copies the functions that may be called.
func (o *order) geminiTools(q *gemini.GenerateRequest) *apiError {
	for _, t := range q.Tools {
		for _, d := range t.FunctionDeclarations {
			schema := d.ParametersJSONSchema
			if len(schema) == 0 {
				schema = smallTypes(d.Parameters)
			}
			o.tools = append(o.tools, tool{d.Name, d.Description, schema})
		}
	}
	if q.ToolConfig == nil || q.ToolConfig.FunctionCallingConfig == nil {
		return nil
	}
	c := q.ToolConfig.FunctionCallingConfig
	switch c.Mode {
	case "", "AUTO", "MODE_UNSPECIFIED", "VALIDATED":
	case "ANY":
		o.choice = required
	case "NONE":
		o.choice = never
	default:
		return badRequest("toolConfig", "", `Invalid value at 'tool_config.function_calling_config.mode': %q is not one of AUTO, ANY, NONE, VALIDATED`, c.Mode)
	}
	if len(c.AllowedFunctionNames) > 0 && o.choice == required {
		return o.choose(wire.ToolChoice{Mode: wire.ChoiceRequired, Allowed: c.AllowedFunctionNames})
	}
	return nil
}

// geminiConfig copies how to generate.
func (o *order) geminiConfig(c *gemini.GenerationConfig) *apiError {
	if c == nil {
		return nil
	}
	o.limit, o.limitedBy, o.stop = c.MaxOutputTokens, "maxOutputTokens", c.StopSequences
	if c.Seed != nil {
		o.seed = *c.Seed
	}
	if t := c.ThinkingConfig; t != nil {
		o.thinks = t.IncludeThoughts || t.ThinkingLevel != ""
		if b := t.ThinkingBudget; b != nil {
			o.thinks, o.thinkingLimit = *b != 0, max(0, *b)
		}
	}
	if len(c.StopSequences) > 5 {
		return badRequest("stopSequences", "", "The number of stop sequences (%d) exceeds the maximum of 5.", len(c.StopSequences))
	}
	if n := c.CandidateCount; n != nil && *n != 1 {
		return badRequest("candidateCount", "", "Multiple candidates is not enabled for this model: candidateCount is %d.", *n)
	}
	return o.geminiFormat(c)
}

// geminiFormat copies the form that an answer shall have.
func (o *order) geminiFormat(c *gemini.GenerationConfig) *apiError {
	switch c.ResponseMimeType {
	case "", "text/plain":
		return nil
	case "application/json":
	default:
		return badRequest("responseMimeType", "", "Invalid responseMimeType %q: want text/plain or application/json.", c.ResponseMimeType)
	}
	o.format = anyObject
	if len(c.ResponseJSONSchema) > 0 {
		o.format = c.ResponseJSONSchema
	} else if len(c.ResponseSchema) > 0 {
		o.format = smallTypes(c.ResponseSchema)
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
