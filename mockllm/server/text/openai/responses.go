package openai

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"halfsecond/mockllm/server/text/serve"
	"halfsecond/pipeline/wire"
)

// responses answers POST /v1/responses. The prompt's tokens are those of the tools, the
// instructions, the conversation that a previous response ends, and the input; images,
// files and reasoning that a client sends back count for nothing.
func (s *Front) responses(w http.ResponseWriter, r *http.Request) {
	var q wire.ResponsesRequest
	var asked []string // the conversation with this input
	g, fault := s.Open(w, r, s.api, &q, func() (o serve.Order, fault *wire.Failure) {
		o, asked, fault = s.orderResponse(&q)
		return o, fault
	})
	if fault != nil {
		s.Refuse(w, r, s.api, q.Model, fault)
		return
	}
	g.ID = s.NewID("resp_")
	f := s.newResponsesForm(g, &q, asked)
	if q.Stream {
		s.Stream(w, r, g, f)
		return
	}
	if s.Whole(w, r, g) {
		serve.WriteJSON(w, http.StatusOK, f.finish())
	}
}

// orderResponse turns a request into an order, and returns the conversation so far,
// without the instructions, which the next request does not inherit.
func (s *Front) orderResponse(q *wire.ResponsesRequest) (o serve.Order, asked []string, fault *wire.Failure) {
	if fault := checkResponse(q); fault != nil {
		return o, nil, fault
	}
	if id := q.PreviousResponseID; id != nil {
		previous := s.kept.get(*id)
		if previous == nil {
			return o, nil, serve.BadRequest("previous_response_id", "previous_response_not_found", "Previous response with id '%s' not found.", *id)
		}
		asked = slices.Clone(previous.conversation)
	}
	input, fault := s.inputTexts(q.Input)
	if fault != nil {
		return o, nil, fault
	}
	asked = append(asked, input...)
	o = serve.Order{Model: q.Model, In: "input", Limit: q.MaxOutputTokens, LimitedBy: "max_output_tokens", Prompt: asked}
	if q.Instructions != nil {
		o.Prompt = append([]string{*q.Instructions}, asked...)
	}
	if n := len(q.Input); n > 0 {
		o.AfterTool = q.Input[n-1].Type == wire.ItemCallOutput
	}
	o.Single = q.ParallelToolCalls != nil && !*q.ParallelToolCalls
	o.Dictate(q.Mock)
	return o, asked, demand(&o, q)
}

// inputTexts returns what the prompt says of each item.
func (s *Front) inputTexts(items []wire.InputItem) (texts []string, fault *wire.Failure) {
	for i, item := range items {
		text := ""
		switch item.Type {
		case wire.ItemMessage, "":
			if !slices.Contains(roles, item.Role) {
				return nil, serve.BadRequest("input", "invalid_value", "Invalid value: '%s'. Supported values of input[%d].role are: '%s'.", item.Role, i, strings.Join(roles, "', '"))
			}
			text = item.Content.Text
		case wire.ItemCall:
			text = string(item.Arguments)
		case wire.ItemCallOutput:
			text = item.Output.Text
		case wire.ItemReference:
			known := false
			if text, known = s.kept.item(item.ID); !known {
				return nil, &wire.Failure{Status: http.StatusNotFound, Message: fmt.Sprintf("Item with id '%s' not found.", item.ID), Param: "input"}
			}
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// demand copies how the answer shall be into an order.
func demand(o *serve.Order, q *wire.ResponsesRequest) *wire.Failure {
	if r := q.Reasoning; r != nil {
		o.Thinks = r.Summary != nil
		if r.Effort != nil {
			if fault := reason(o, *r.Effort, "reasoning.effort"); fault != nil {
				return fault
			}
		}
	}
	for i, raw := range q.Tools {
		var t wire.ResponsesTool
		if json.Unmarshal(raw, &t) != nil {
			return serve.BadRequest("tools", "invalid_type", "Invalid type for 'tools[%d]': expected an object with texts for its type and its name.", i)
		}
		if t.Type == "function" { // the service runs the others itself
			o.Tools = append(o.Tools, serve.Tool{Name: t.Name, Description: t.Description, Schema: t.Parameters})
		}
	}
	var c wire.ToolChoice
	if len(q.ToolChoice) > 0 && c.UnmarshalJSON(q.ToolChoice) != nil {
		return serve.BadRequest("tool_choice", "invalid_type", "Invalid type for 'tool_choice': expected a word or an object.")
	}
	if fault := choose(o, c); fault != nil {
		return fault
	}
	return shapeText(o, q.Text)
}

// shapeText copies the form that an answer's text shall have into an order.
func shapeText(o *serve.Order, raw json.RawMessage) *wire.Failure {
	var t wire.ResponsesText
	if len(raw) > 0 && json.Unmarshal(raw, &t) != nil {
		return serve.BadRequest("text", "invalid_type", "Invalid type for 'text': expected an object with a format.")
	}
	f := wire.ResponseFormat{Type: t.Format.Type}
	f.JSONSchema.Schema = t.Format.Schema
	if f.Type == "" {
		return nil
	}
	return shape(o, &f)
}

// checkResponse reports the first thing that is wrong with a request as such.
func checkResponse(q *wire.ResponsesRequest) *wire.Failure {
	switch {
	case len(q.Input) == 0 && q.PreviousResponseID == nil:
		return serve.BadRequest("input", "missing_required_parameter", "Missing required parameter: 'input'.")
	case q.Background:
		return serve.BadRequest("background", "unsupported_value", "Unsupported value: 'background' is true; this server answers while the client waits.")
	case len(q.Conversation) > 0 && string(q.Conversation) != "null":
		return serve.BadRequest("conversation", "unsupported_parameter", "Unsupported parameter: 'conversation'. This server continues a conversation by 'previous_response_id'.")
	}
	return serve.CheckHeat(q.Temperature, q.TopP, 2)
}

// showResponse answers GET /v1/responses/ID.
func (s *Front) showResponse(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	switch kept := s.kept.get(id); {
	case r.FormValue("stream") == "true":
		s.api.Refuse(w, serve.BadRequest("stream", "unsupported_value", "Unsupported value: 'stream' is true; only responses that run in the background can be streamed again, and this server has none."))
	case kept == nil:
		s.api.Refuse(w, noResponse(id))
	default:
		serve.WriteJSON(w, http.StatusOK, kept.response)
	}
}

// deleteResponse answers DELETE /v1/responses/ID.
func (s *Front) deleteResponse(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	if !s.kept.drop(id) {
		s.api.Refuse(w, noResponse(id))
		return
	}
	serve.WriteJSON(w, http.StatusOK, wire.ResponseDeleted{ID: id, Object: wire.ResponseObject, Deleted: true})
}

func noResponse(id string) *wire.Failure {
	return &wire.Failure{Status: http.StatusNotFound, Message: fmt.Sprintf("Response with id '%s' not found.", id)}
}
