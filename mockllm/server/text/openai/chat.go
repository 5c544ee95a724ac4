package openai

import (
	"net/http"
	"slices"
	"strings"

	"halfsecond/mockllm/server/text/sample"
	"halfsecond/mockllm/server/text/serve"
	"halfsecond/mockllm/server/text/tokenid"
	"halfsecond/pipeline/wire"
)

// chat answers POST /v1/chat/completions. The prompt's tokens are those of the tools
// and of the messages' contents and tool calls; the mock has no chat template.
func (s *Front) chat(w http.ResponseWriter, r *http.Request) {
	var q wire.ChatRequest
	g, fault := s.Open(w, r, s.api, &q, func() (serve.Order, *wire.Failure) { return orderChat(&q) })
	if fault != nil {
		s.Refuse(w, r, s.api, q.Model, fault)
		return
	}
	g.ID = s.NewID("chatcmpl-")
	if q.Stream {
		f := s.newForm(g, &q.Sampling, wire.NewChatStream)
		f.chat = true
		s.Stream(w, r, g, f)
		return
	}
	if s.Whole(w, r, g) {
		serve.WriteJSON(w, http.StatusOK, wire.ChatResponse{
			ID: g.ID, Object: wire.ChatObject, Created: g.Created, Model: g.Model.Name, Usage: g.Usage(),
			SystemFingerprint: g.Model.Software().Fingerprint, PromptTokenIDs: g.PromptIDs, Timings: timings(g),
			Choices: []wire.ChatChoice{{Message: message(g), FinishReason: g.Finish(), Extras: extras(g)}},
		})
	}
}

// message returns the whole answer as a message.
func message(g *serve.Generation) wire.Message {
	m := wire.Message{Role: "assistant", ReasoningContent: g.TextOfKind(serve.Thinking)}
	m.Content = wire.Content{Text: g.TextOfKind(serve.Content), Null: g.Parts[len(g.Parts)-1].Kind != serve.Content}
	for i := range g.Parts {
		if p := &g.Parts[i]; p.Kind == serve.ToolCall {
			m.ToolCalls = append(m.ToolCalls, wire.ToolCall{
				ID: p.Call.ID, Type: "function",
				Function: wire.Function{Name: p.Call.Name, Arguments: wire.Arguments(g.TextOf(p))},
			})
		}
	}
	return m
}

// extras returns what vLLM adds to the choice.
func extras(g *serve.Generation) wire.Extras {
	e := wire.Extras{StopReason: g.Stopped}
	if g.PromptIDs != nil {
		for i := range g.Parts {
			e.TokenIDs = tokenid.Append(e.TokenIDs, g.TextOf(&g.Parts[i]))
		}
	}
	return e
}

func orderChat(q *wire.ChatRequest) (serve.Order, *wire.Failure) {
	o := serve.Order{Model: q.Model, In: "messages", Limit: q.MaxCompletionTokens, LimitedBy: "max_completion_tokens"}
	if o.Limit == nil {
		o.Limit, o.LimitedBy = q.MaxTokens, "max_tokens"
	}
	for _, m := range q.Messages {
		o.Prompt = append(o.Prompt, messageTexts(m)...)
		o.AfterTool = m.Role == "tool" || m.Role == "function"
	}
	copySampling(&o, &q.Sampling)
	o.Single = q.ParallelToolCalls != nil && !*q.ParallelToolCalls
	o.Thinks = q.Template != nil && (q.Template.EnableThinking || q.Template.Thinking)
	for _, check := range []func() *wire.Failure{
		func() *wire.Failure { return checkMessages(q.Messages) },
		func() *wire.Failure { return checkSampling(&q.Sampling) },
		func() *wire.Failure { return reason(&o, q.ReasoningEffort, "reasoning_effort") },
		func() *wire.Failure { return offer(&o, q.Tools) },
		func() *wire.Failure { return choose(&o, q.ToolChoice) },
		func() *wire.Failure { return shape(&o, q.ResponseFormat) },
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
func offer(o *serve.Order, tools []wire.Tool) *wire.Failure {
	for i, t := range tools {
		if t.Type != "function" {
			return serve.BadRequest("tools", "invalid_value", "Invalid value: '%s'. Supported values of tools[%d].type are: 'function'.", t.Type, i)
		}
		o.Tools = append(o.Tools, serve.Tool{Name: t.Function.Name, Description: t.Function.Description, Schema: t.Function.Parameters})
	}
	return nil
}

// shape copies the form that an answer shall have into an order.
func shape(o *serve.Order, f *wire.ResponseFormat) *wire.Failure {
	if f == nil {
		return nil
	}
	switch f.Type {
	case wire.FormatText:
	case wire.FormatObject:
		o.Format = sample.AnyObject
	case wire.FormatSchema:
		if len(f.JSONSchema.Schema) == 0 {
			return serve.BadRequest("response_format", "missing_required_parameter", "Missing required parameter: 'response_format.json_schema.schema'.")
		}
		o.Format = f.JSONSchema.Schema
	default:
		return serve.BadRequest("response_format", "invalid_value", "Invalid value: '%s'. Supported values of response_format.type are: 'json_object', 'json_schema' and 'text'.", f.Type)
	}
	return nil
}

// roles are those of a conversation.
var roles = []string{"system", "developer", "user", "assistant", "tool", "function"}

func checkMessages(messages []wire.Message) *wire.Failure {
	if len(messages) == 0 {
		return serve.BadRequest("messages", "missing_required_parameter", "Missing required parameter: 'messages'.")
	}
	for i, m := range messages {
		if !slices.Contains(roles, m.Role) {
			return serve.BadRequest("messages", "invalid_value", "Invalid value: '%s'. Supported values of messages[%d].role are: '%s'.", m.Role, i, strings.Join(roles, "', '"))
		}
	}
	return nil
}
