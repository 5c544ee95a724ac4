package text

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"halfsecond/pipeline/wire"
)

// responses answers POST /v1/responses. The prompt's tokens are those of the tools, the
// instructions, the conversation that a previous response ends, and the input; images,
// files and reasoning that a client sends back count for nothing.
func (s *Service) responses(w http.ResponseWriter, r *http.Request) {
	var q wire.ResponsesRequest
	var asked []string // the conversation with this input
	g, fault := s.open(w, r, openAI, &q, func() (o order, fault *apiError) {
		o, asked, fault = s.orderResponse(&q)
		return o, fault
	})
	if fault != nil {
		s.refuse(w, r, openAI, fault)
		return
	}
	g.id = s.newID("resp_")
	f := s.newResponsesForm(g, &q, asked)
	if q.Stream {
		s.stream(w, r, g, f)
		return
	}
	if s.whole(w, r, g) {
		writeJSON(w, http.StatusOK, f.finish())
	}
}

// orderResponse turns a request into an order, and returns the conversation so far,
// without the instructions, which the next request does not inherit.
func (s *Service) orderResponse(q *wire.ResponsesRequest) (o order, asked []string, fault *apiError) {
	if fault := checkResponse(q); fault != nil {
		return o, nil, fault
	}
	if id := q.PreviousResponseID; id != nil {
		previous := s.kept.get(*id)
		if previous == nil {
			return o, nil, badRequest("previous_response_id", "previous_response_not_found", "Previous response with id '%s' not found.", *id)
		}
		asked = slices.Clone(previous.conversation)
	}
	input, fault := s.inputTexts(q.Input)
	if fault != nil {
		return o, nil, fault
	}
	asked = append(asked, input...)
	o = order{model: q.Model, in: "input", limit: q.MaxOutputTokens, limitedBy: "max_output_tokens", prompt: asked}
	if q.Instructions != nil {
		o.prompt = append([]string{*q.Instructions}, asked...)
	}
	if n := len(q.Input); n > 0 {
		o.afterTool = q.Input[n-1].Type == wire.ItemCallOutput
	}
	o.single = q.ParallelToolCalls != nil && !*q.ParallelToolCalls
	o.dictate(q.Mock)
	return o, asked, o.demand(q)
}

// inputTexts returns what the prompt says of each item.
func (s *Service) inputTexts(items []wire.InputItem) (texts []string, fault *apiError) {
	for i, item := range items {
		text := ""
		switch item.Type {
		case wire.ItemMessage, "":
			if !slices.Contains(roles, item.Role) {
				return nil, badRequest("input", "invalid_value", "Invalid value: '%s'. Supported values of input[%d].role are: '%s'.", item.Role, i, strings.Join(roles, "', '"))
			}
			text = item.Content.Text
		case wire.ItemCall:
			text = string(item.Arguments)
		case wire.ItemCallOutput:
			text = item.Output.Text
		case wire.ItemReference:
			known := false
			if text, known = s.kept.item(item.ID); !known {
				return nil, &apiError{http.StatusNotFound, invalidRequest, fmt.Sprintf("Item with id '%s' not found.", item.ID), "input", ""}
			}
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// demand copies how the answer shall be into an order.
func (o *order) demand(q *wire.ResponsesRequest) *apiError {
	if r := q.Reasoning; r != nil {
		o.thinks = r.Summary != nil
		if r.Effort != nil {
			if fault := o.reason(*r.Effort, "reasoning.effort"); fault != nil {
				return fault
			}
		}
	}
	for i, raw := range q.Tools {
		var t wire.ResponsesTool
		if json.Unmarshal(raw, &t) != nil {
			return badRequest("tools", "invalid_type", "Invalid type for 'tools[%d]': expected an object with texts for its type and its name.", i)
		}
		if t.Type == "function" { // the service runs the others itself
			o.tools = append(o.tools, tool{t.Name, t.Description, t.Parameters})
		}
	}
	var c wire.ToolChoice
	if len(q.ToolChoice) > 0 && c.UnmarshalJSON(q.ToolChoice) != nil {
		return badRequest("tool_choice", "invalid_type", "Invalid type for 'tool_choice': expected a word or an object.")
	}
	if fault := o.choose(c); fault != nil {
		return fault
	}
	return o.shapeText(q.Text)
}

// shapeText copies the form that an answer's text shall have into an order.
func (o *order) shapeText(raw json.RawMessage) *apiError {
	var t wire.ResponsesText
	if len(raw) > 0 && json.Unmarshal(raw, &t) != nil {
		return badRequest("text", "invalid_type", "Invalid type for 'text': expected an object with a format.")
	}
	f := wire.ResponseFormat{Type: t.Format.Type}
	f.JSONSchema.Schema = t.Format.Schema
	if f.Type == "" {
		return nil
	}
	return o.shape(&f)
}

// checkResponse reports the first thing that is wrong with a request as such.
func checkResponse(q *wire.ResponsesRequest) *apiError {
	switch {
	case len(q.Input) == 0 && q.PreviousResponseID == nil:
		return badRequest("input", "missing_required_parameter", "Missing required parameter: 'input'.")
	case q.Background:
		return badRequest("background", "unsupported_value", "Unsupported value: 'background' is true; this server answers while the client waits.")
	case len(q.Conversation) > 0 && string(q.Conversation) != "null":
		return badRequest("conversation", "unsupported_parameter", "Unsupported parameter: 'conversation'. This server continues a conversation by 'previous_response_id'.")
	}
	return checkHeat(q.Temperature, q.TopP, 2)
}

// showResponse answers GET /v1/responses/ID.
func (s *Service) showResponse(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	switch kept := s.kept.get(id); {
	case r.FormValue("stream") == "true":
		openAI.refuse(w, badRequest("stream", "unsupported_value", "Unsupported value: 'stream' is true; only responses that run in the background can be streamed again, and this server has none."))
	case kept == nil:
		openAI.refuse(w, noResponse(id))
	default:
		writeJSON(w, http.StatusOK, kept.response)
	}
}

// deleteResponse answers DELETE /v1/responses/ID.
func (s *Service) deleteResponse(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	if !s.kept.drop(id) {
		openAI.refuse(w, noResponse(id))
		return
	}
	writeJSON(w, http.StatusOK, wire.ResponseDeleted{ID: id, Object: wire.ResponseObject, Deleted: true})
}

func noResponse(id string) *apiError {
	return &apiError{http.StatusNotFound, invalidRequest, fmt.Sprintf("Response with id '%s' not found.", id), "", ""}
}
