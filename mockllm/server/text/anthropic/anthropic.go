// Package anthropic is the front of the Anthropic Messages API.
package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"halfsecond/mockllm/server/text/serve"
	"halfsecond/mockllm/token"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/anthropic"
)

// Front answers the requests of the Anthropic Messages API.
type Front struct{ *serve.Service }

// API is the protocol of the Anthropic Messages API.
var API = &serve.Protocol{
	Name: "anthropic messages", CallPrefix: "toolu_",
	Refuse: func(w http.ResponseWriter, e *wire.Failure) {
		f := overloaded(e)
		f.RequestID = w.Header().Get(HeaderRequestID)
		serve.WriteJSON(w, f.Status, anthropic.NewError(&f))
	},
}

// HeaderRequestID is the header that holds the id of a request.
const HeaderRequestID = "request-id"

// Handle adds its routes, those of the models aside, which others have too: see List and
// Show.
func (s Front) Handle(mux *http.ServeMux) {
	mux.HandleFunc("POST /v1/messages", s.Named(HeaderRequestID, s.messages))
	mux.HandleFunc("POST /v1/messages/count_tokens", s.Named(HeaderRequestID, s.countTokens))
}

// messages answers POST /v1/messages.
func (s Front) messages(w http.ResponseWriter, r *http.Request) {
	var q anthropic.Request
	g, fault := s.Open(w, r, API, &q, func() (serve.Order, *wire.Failure) {
		if fault := checkLimits(&q); fault != nil {
			return serve.Order{}, fault
		}
		o, fault := orderMessages(&q)
		if fault == nil {
			_, fault = s.find(q.Model)
		}
		return o, fault
	})
	if fault != nil {
		s.Refuse(w, r, API, q.Model, fault)
		return
	}
	g.ID = s.NewID("msg_")
	f := &form{g: g, limit: *q.MaxTokens, marked: marked(&q), omits: q.Thinking != nil && q.Thinking.Display == anthropic.DisplayOmitted}
	if q.Stream {
		s.Stream(w, r, g, f)
		return
	}
	if s.Whole(w, r, g) {
		serve.WriteJSON(w, http.StatusOK, f.whole())
	}
}

// find returns the model of that name. The words for one that is not there are those of
// answers of the service in mattermost/mattermost-plugin-agents issue 257, 2024-10-22, and
// anthropics/claude-code issue 5349, 2025-08-07, read 2026-11-29.
func (s Front) find(name string) (*serve.Model, *wire.Failure) {
	if m := s.Asked(name); m != nil {
		return m, nil
	}
	return nil, &wire.Failure{Status: http.StatusNotFound, Message: "model: " + name, Param: "model", Code: serve.CodeUnknownModel}
}

// countTokens answers POST /v1/messages/count_tokens.
func (s Front) countTokens(w http.ResponseWriter, r *http.Request) {
	var q anthropic.Request
	_, fault := s.Read(w, r, &q)
	var o serve.Order
	if fault == nil {
		o, fault = orderMessages(&q)
	}
	if fault == nil {
		_, fault = s.find(q.Model)
	}
	if fault != nil {
		API.Refuse(w, fault)
		return
	}
	n := 0
	for _, text := range append(o.ToolTexts(), o.Prompt...) {
		n += token.Count(text)
	}
	serve.WriteJSON(w, http.StatusOK, anthropic.TokensCount{InputTokens: max(1, n)})
}

// orderMessages turns a request into an order. Of the tools only those with a schema
// of the client's can be called. A limit beyond the model's context is cut to it, as
// the service does for its models of 2025 and later.
func orderMessages(q *anthropic.Request) (serve.Order, *wire.Failure) {
	o := serve.Order{Model: q.Model, In: "messages", Limit: q.MaxTokens, LimitedBy: "max_tokens", Clips: true, TooLong: promptTooLong, Stop: q.StopSequences}
	for _, text := range promptTexts(q) {
		o.Prompt = append(o.Prompt, text.text)
	}
	for _, t := range q.Tools {
		if t.Type == "" || t.Type == "custom" {
			o.Tools = append(o.Tools, serve.Tool{Name: t.Name, Description: t.Description, Schema: t.InputSchema})
		}
	}
	if n := len(q.Messages); n > 0 {
		o.AfterTool = slices.ContainsFunc(q.Messages[n-1].Content, func(b anthropic.Block) bool { return b.Type == anthropic.BlockToolResult })
	}
	if c := q.OutputConfig; c != nil && c.Format != nil {
		o.Format = c.Format.Schema
	}
	if t := q.Thinking; t != nil && t.Type != anthropic.ThinkingDisabled {
		o.Thinks, o.ThinkingLimit = true, t.BudgetTokens
	}
	o.Dictate(q.Mock)
	if fault := checkMessagesRequest(q); fault != nil {
		return o, fault
	}
	return o, choose(&o, q.ToolChoice)
}

// choose copies a choice of tools into an order.
func choose(o *serve.Order, c *anthropic.ToolChoice) *wire.Failure {
	if c == nil {
		return nil
	}
	o.Single = c.DisableParallel
	switch c.Type {
	case anthropic.ChoiceAuto:
	case anthropic.ChoiceNone:
		o.Choice = serve.Never
	case anthropic.ChoiceAny:
		o.Choice = serve.Required
	case anthropic.ChoiceTool:
		o.Choice, o.Named, o.NamedBy = serve.Required, []string{c.Name}, "tool_choice"
	default:
		return invalid("tool_choice.type", "Input should be 'auto', 'any', 'tool' or 'none', got '%s'", c.Type)
	}
	if o.Choice == serve.Required && o.Thinks {
		return invalid("thinking", "Thinking may not be enabled when tool_choice forces tool use.")
	}
	return nil
}

// promptText is one text of a prompt. Cached says that the client wants the prompt up
// to its end in the cache.
type promptText struct {
	text   string
	cached bool
}

// promptTexts returns what the prompt says, tools aside.
func promptTexts(q *anthropic.Request) []promptText {
	texts := blockTexts(nil, q.System)
	for _, m := range q.Messages {
		texts = blockTexts(texts, m.Content)
	}
	return texts
}

func blockTexts(texts []promptText, blocks anthropic.Blocks) []promptText {
	for _, b := range blocks {
		t := promptText{b.Text, b.CacheControl != nil}
		switch b.Type {
		case anthropic.BlockThinking:
			t.text = b.Thinking
		case anthropic.BlockToolUse:
			t.text = compact(b.Input)
		case anthropic.BlockToolResult:
			texts = blockTexts(texts, b.Content)
		}
		texts = append(texts, t)
	}
	return texts
}

// marked returns the number of tokens up to the last place where the client asks for
// the prompt so far to be cached.
func marked(q *anthropic.Request) int {
	n, last := 0, 0
	for _, t := range q.Tools {
		if t.Type == "" || t.Type == "custom" {
			n += token.Count(serve.Tool{Name: t.Name, Description: t.Description, Schema: t.InputSchema}.Text())
		}
		if t.CacheControl != nil {
			last = n
		}
	}
	for _, t := range promptTexts(q) {
		n += token.Count(t.text)
		if t.cached {
			last = n
		}
	}
	if q.CacheControl != nil {
		last = n
	}
	return last
}

// compact returns a JSON text without blanks between its parts, as an answer has it.
func compact(text json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return string(text)
	}
	return b.String()
}

// invalid is a refusal in the words of the Messages API: where, and what is wrong.
func invalid(where, format string, args ...any) *wire.Failure {
	return &wire.Failure{Status: http.StatusBadRequest, Message: where + ": " + fmt.Sprintf(format, args...), Param: where}
}

func promptTooLong(tokens, context int) *wire.Failure {
	return &wire.Failure{Status: http.StatusBadRequest, Message: fmt.Sprintf("prompt is too long: %d tokens > %d maximum", tokens, context-1), Param: "messages", Code: "context_length_exceeded"}
}

// checkLimits reports what is wrong with what only an answer needs.
func checkLimits(q *anthropic.Request) *wire.Failure {
	switch {
	case q.MaxTokens == nil:
		return invalid("max_tokens", "Field required")
	case *q.MaxTokens < 1:
		return invalid("max_tokens", "Input should be greater than or equal to 1, got %d", *q.MaxTokens)
	case q.Thinking != nil && q.Thinking.BudgetTokens >= *q.MaxTokens:
		return invalid("max_tokens", "`max_tokens` must be greater than `thinking.budget_tokens`, got %d and %d", *q.MaxTokens, q.Thinking.BudgetTokens)
	}
	return nil
}

// minBudget is the least budget of reasoning; source: docs.anthropic.com, "Extended
// thinking", read 2026-11-29.
const minBudget = 1024

// checkMessagesRequest reports the first thing that is wrong with a prompt or with how
// it shall be answered.
func checkMessagesRequest(q *anthropic.Request) *wire.Failure {
	if q.Model == "" {
		return invalid("model", "Field required")
	}
	if len(q.Messages) == 0 {
		return invalid("messages", "at least one message is required")
	}
	for i, m := range q.Messages {
		if m.Role != "user" && m.Role != "assistant" {
			return invalid(fmt.Sprintf("messages.%d.role", i), "Input should be 'user' or 'assistant', got '%s'; a system prompt goes into the parameter 'system'", m.Role)
		}
		if len(m.Content) == 0 && i < len(q.Messages)-1 {
			return invalid(fmt.Sprintf("messages.%d", i), "all messages must have non-empty content except for the optional final assistant message")
		}
	}
	if t := q.Thinking; t != nil && t.Type == anthropic.ThinkingEnabled && t.BudgetTokens < minBudget {
		return invalid("thinking.enabled.budget_tokens", "Input should be greater than or equal to %d, got %d", minBudget, t.BudgetTokens)
	}
	if t := q.Thinking; t != nil && !slices.Contains([]string{anthropic.ThinkingEnabled, anthropic.ThinkingAdaptive, anthropic.ThinkingDisabled}, t.Type) {
		return invalid("thinking.type", "Input should be 'enabled', 'adaptive' or 'disabled', got '%s'", t.Type)
	}
	return serve.CheckHeat(q.Temperature, q.TopP, 1)
}

// List answers GET /v1/models, in order of name.
func (s Front) List(w http.ResponseWriter, _ *http.Request) {
	names := s.Names()
	all := anthropic.ModelList{FirstID: names[0], LastID: names[len(names)-1]}
	for _, name := range names {
		all.Data = append(all.Data, s.describe(name))
	}
	serve.WriteJSON(w, http.StatusOK, all)
}

// Show answers GET /v1/models/NAME.
func (s Front) Show(w http.ResponseWriter, r *http.Request) {
	m, fault := s.find(r.PathValue("model"))
	if fault != nil {
		API.Refuse(w, fault)
		return
	}
	serve.WriteJSON(w, http.StatusOK, s.describe(m.Name))
}

func (s Front) describe(name string) anthropic.Model {
	return anthropic.Model{
		Type: anthropic.TypeModel, ID: name, DisplayName: name,
		CreatedAt: s.Started.UTC().Format(time.RFC3339), MaxInputTokens: s.Lookup(name).Context,
	}
}

// overloaded returns a failure with the status that the service has for one of a server
// without room.
func overloaded(e *wire.Failure) wire.Failure {
	f := *e
	if f.Status == http.StatusServiceUnavailable {
		f.Status = anthropic.StatusOverloaded
	}
	return f
}

// Speaks reports whether a request to a path that several APIs have comes from a
// client of this one.
func Speaks(r *http.Request) bool { return r.Header.Get("anthropic-version") != "" }
