package text

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"halfsecond/pipeline/wire"
)

// chat answers POST /v1/chat/completions. The prompt's tokens are those of the tools
// and of the messages' contents and tool calls; the mock has no chat template.
func (s *Service) chat(w http.ResponseWriter, r *http.Request) {
	var q wire.ChatRequest
	g, fault := s.open(w, r, openAI, &q, func() (order, *apiError) { return orderChat(&q) })
	if fault != nil {
		s.refuse(w, r, openAI, fault)
		return
	}
	g.id = s.newID("chatcmpl-")
	if q.Stream {
		f := newOpenAIForm(g, &q.Sampling, wire.NewChatStream)
		f.chat = true
		s.stream(w, r, g, f)
		return
	}
	if s.whole(w, r, g) {
		writeJSON(w, http.StatusOK, wire.ChatResponse{
			ID: g.id, Object: wire.ChatObject, Created: g.created, Model: g.model.Name, Usage: g.openAIUsage(),
			SystemFingerprint: g.model.software().fingerprint, PromptTokenIDs: g.promptIDs, Timings: g.timings(),
			Choices: []wire.ChatChoice{{Message: g.message(), FinishReason: g.finish(), Extras: g.extras()}},
		})
	}
}

// message returns the whole answer as a message.
func (g *generation) message() wire.Message {
	m := wire.Message{Role: "assistant", ReasoningContent: g.textOfKind(thinking)}
	m.Content = wire.Content{Text: g.textOfKind(content), Null: g.parts[len(g.parts)-1].kind != content}
	for i := range g.parts {
		if p := &g.parts[i]; p.kind == toolCall {
			m.ToolCalls = append(m.ToolCalls, wire.ToolCall{
				ID: p.call.id, Type: "function",
				Function: wire.Function{Name: p.call.name, Arguments: wire.Arguments(g.textOf(p))},
			})
		}
	}
	return m
}

// extras returns what vLLM adds to the choice.
func (g *generation) extras() wire.Extras {
	e := wire.Extras{StopReason: g.stopped}
	if g.promptIDs != nil {
		for i := range g.parts {
			e.TokenIDs = numbers(e.TokenIDs, g.textOf(&g.parts[i]))
		}
	}
	return e
}

func orderChat(q *wire.ChatRequest) (order, *apiError) {
	o := order{model: q.Model, in: "messages", limit: q.MaxCompletionTokens, limitedBy: "max_completion_tokens"}
	if o.limit == nil {
		o.limit, o.limitedBy = q.MaxTokens, "max_tokens"
	}
	for _, m := range q.Messages {
		o.prompt = append(o.prompt, messageTexts(m)...)
		o.afterTool = m.Role == "tool" || m.Role == "function"
	}
	o.sample(&q.Sampling)
	o.single = q.ParallelToolCalls != nil && !*q.ParallelToolCalls
	o.thinks = q.Template != nil && (q.Template.EnableThinking || q.Template.Thinking)
	for _, check := range []func() *apiError{
		func() *apiError { return checkMessages(q.Messages) },
		func() *apiError { return checkSampling(&q.Sampling) },
		func() *apiError { return o.reason(q.ReasoningEffort, "reasoning_effort") },
		func() *apiError { return o.offer(q.Tools) },
		func() *apiError { return o.choose(q.ToolChoice) },
		func() *apiError { return o.shape(q.ResponseFormat) },
	} {
		if fault := check(); fault != nil {
			return o, fault
		}
	}
	return o, nil
}

// messageTexts returns what the prompt says of a message.
func messageTexts(m wire.Message) []string {
	texts := []string{m.Content.Text}
	for _, c := range m.ToolCalls {
		texts = append(texts, string(c.Function.Arguments))
	}
	return texts
}

// offer copies the tools of a request into an order.
func (o *order) offer(tools []wire.Tool) *apiError {
	for i, t := range tools {
		if t.Type != "function" {
			return badRequest("tools", "invalid_value", "Invalid value: '%s'. Supported values of tools[%d].type are: 'function'.", t.Type, i)
		}
		o.tools = append(o.tools, tool{t.Function.Name, t.Function.Description, t.Function.Parameters})
	}
	return nil
}

// shape copies the form that an answer shall have into an order.
func (o *order) shape(f *wire.ResponseFormat) *apiError {
	if f == nil {
		return nil
	}
	switch f.Type {
	case wire.FormatText:
	case wire.FormatObject:
		o.format = anyObject
	case wire.FormatSchema:
		if len(f.JSONSchema.Schema) == 0 {
			return badRequest("response_format", "missing_required_parameter", "Missing required parameter: 'response_format.json_schema.schema'.")
		}
		o.format = f.JSONSchema.Schema
	default:
		return badRequest("response_format", "invalid_value", "Invalid value: '%s'. Supported values of response_format.type are: 'json_object', 'json_schema' and 'text'.", f.Type)
	}
	return nil
}

// anyObject is the schema of an answer that may be any JSON object.
var anyObject = json.RawMessage(`{"properties":{"answer":{"type":"string"}},"required":["answer"]}`)

// roles are those of a conversation.
var roles = []string{"system", "developer", "user", "assistant", "tool", "function"}

func checkMessages(messages []wire.Message) *apiError {
	if len(messages) == 0 {
		return badRequest("messages", "missing_required_parameter", "Missing required parameter: 'messages'.")
	}
	for i, m := range messages {
		if !slices.Contains(roles, m.Role) {
			return badRequest("messages", "invalid_value", "Invalid value: '%s'. Supported values of messages[%d].role are: '%s'.", m.Role, i, strings.Join(roles, "', '"))
		}
	}
	return nil
}
