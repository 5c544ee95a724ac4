package text

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"halfsecond/mockllm/token"
	"halfsecond/pipeline/wire/anthropic"
)

// anthropicAPI is the protocol of the Anthropic Messages API.
var anthropicAPI = &protocol{
	name: "anthropic messages", callPrefix: "toolu_",
	refuse: func(w http.ResponseWriter, e *apiError) {
		status := e.status
		if status == http.StatusServiceUnavailable {
			status = anthropic.StatusOverloaded
		}
		body := e.anthropic()
		body.RequestID = w.Header().Get(requestID)
		writeJSON(w, status, body)
	},
}

// requestID is the header that holds the id of a request.
const requestID = "request-id"

// isAnthropic reports whether a request to a path that several APIs have comes from a
// client of this one.
func isAnthropic(r *http.Request) bool { return r.Header.Get("anthropic-version") != "" }

func (s *Service) handleAnthropic(mux *http.ServeMux) {
	mux.HandleFunc("POST /v1/messages", s.named(requestID, s.messages))
	mux.HandleFunc("POST /v1/messages/count_tokens", s.named(requestID, s.countTokens))
}

// anthropic returns the body of an error of the Messages API.
func (e *apiError) anthropic() anthropic.ErrorBody {
	return anthropic.ErrorBody{Type: anthropic.TypeError, Error: anthropic.Error{Type: e.anthropicKind(), Message: e.message}}
}

func (e *apiError) anthropicKind() string {
	switch e.status {
	case http.StatusUnauthorized:
		return anthropic.ErrAuthentication
	case http.StatusForbidden:
		return anthropic.ErrPermission
	case http.StatusNotFound:
		return anthropic.ErrNotFound
	case http.StatusRequestEntityTooLarge:
		return anthropic.ErrTooLarge
	case http.StatusTooManyRequests:
		return anthropic.ErrRateLimit
	case http.StatusServiceUnavailable, anthropic.StatusOverloaded:
		return anthropic.ErrOverloaded
	}
	if e.status >= 500 {
		return anthropic.ErrAPI
	}
	return anthropic.ErrInvalidRequest
}

// messages answers POST /v1/messages.
func (s *Service) messages(w http.ResponseWriter, r *http.Request) {
	var q anthropic.Request
	g, fault := s.open(w, r, anthropicAPI, &q, func() (order, *apiError) {
		if fault := checkLimits(&q); fault != nil {
			return order{}, fault
		}
		return orderMessages(&q)
	})
	if fault != nil {
		s.refuse(w, r, anthropicAPI, fault)
		return
	}
	g.id = s.newID("msg_")
	f := &anthropicForm{g: g, limit: *q.MaxTokens, marked: marked(&q), omits: q.Thinking != nil && q.Thinking.Display == anthropic.DisplayOmitted}
	if q.Stream {
		s.stream(w, r, g, f)
		return
	}
	if s.whole(w, r, g) {
		writeJSON(w, http.StatusOK, f.whole())
	}
}

// countTokens answers POST /v1/messages/count_tokens.
func (s *Service) countTokens(w http.ResponseWriter, r *http.Request) {
	var q anthropic.Request
	_, fault := s.read(w, r, &q)
	var o order
	if fault == nil {
		o, fault = orderMessages(&q)
	}
	if fault == nil {
		_, fault = s.find(q.Model)
	}
	if fault != nil {
		anthropicAPI.refuse(w, fault)
		return
	}
	n := 0
	for _, text := range append(o.toolTexts(), o.prompt...) {
		n += token.Count(text)
	}
	writeJSON(w, http.StatusOK, anthropic.TokensCount{InputTokens: max(1, n)})
}

// orderMessages turns a request into an order. Of the tools only those with a schema
// of the client's can be called. A limit beyond the model's context is cut to it, as
// the service does for its models of 2025 and later.
func orderMessages(q *anthropic.Request) (order, *apiError) {
	o := order{model: q.Model, in: "messages", limit: q.MaxTokens, limitedBy: "max_tokens", clips: true, tooLong: promptTooLong, stop: q.StopSequences}
	for _, text := range promptTexts(q) {
		o.prompt = append(o.prompt, text.text)
	}
	for _, t := range q.Tools {
		if t.Type == "" || t.Type == "custom" {
			o.tools = append(o.tools, tool{t.Name, t.Description, t.InputSchema})
		}
	}
	if n := len(q.Messages); n > 0 {
		o.afterTool = slices.ContainsFunc(q.Messages[n-1].Content, func(b anthropic.Block) bool { return b.Type == anthropic.BlockToolResult })
	}
	if c := q.OutputConfig; c != nil && c.Format != nil {
		o.format = c.Format.Schema
	}
	if t := q.Thinking; t != nil && t.Type != anthropic.ThinkingDisabled {
		o.thinks, o.thinkingLimit = true, t.BudgetTokens
	}
	o.dictate(q.Mock)
	if fault := checkMessagesRequest(q); fault != nil {
		return o, fault
	}
	return o, o.chooseAnthropic(q.ToolChoice)
}

// chooseAnthropic copies a choice of tools into an order.
func (o *order) chooseAnthropic(c *anthropic.ToolChoice) *apiError {
	if c == nil {
		return nil
	}
	o.single = c.DisableParallel
	switch c.Type {
	case anthropic.ChoiceAuto:
	case anthropic.ChoiceNone:
		o.choice = never
	case anthropic.ChoiceAny:
		o.choice = required
	case anthropic.ChoiceTool:
		o.choice, o.named, o.namedBy = required, []string{c.Name}, "tool_choice"
	default:
		return invalid("tool_choice.type", "Input should be 'auto', 'any', 'tool' or 'none', got '%s'", c.Type)
	}
	if o.choice == required && o.thinks {
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
			n += token.Count(tool{t.Name, t.Description, t.InputSchema}.text())
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
func invalid(where, format string, args ...any) *apiError {
	return &apiError{http.StatusBadRequest, invalidRequest, where + ": " + fmt.Sprintf(format, args...), where, ""}
}

func promptTooLong(tokens, context int) *apiError {
	return &apiError{http.StatusBadRequest, invalidRequest, fmt.Sprintf("prompt is too long: %d tokens > %d maximum", tokens, context-1), "messages", "context_length_exceeded"}
}

// checkLimits reports what is wrong with what only an answer needs.
func checkLimits(q *anthropic.Request) *apiError {
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
func checkMessagesRequest(q *anthropic.Request) *apiError {
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
	return checkHeat(q.Temperature, q.TopP, 1)
}

// listAnthropic answers GET /v1/models, in order of name.
func (s *Service) listAnthropic(w http.ResponseWriter, _ *http.Request) {
	names := slices.Sorted(maps.Keys(s.models))
	all := anthropic.ModelList{FirstID: names[0], LastID: names[len(names)-1]}
	for _, name := range names {
		all.Data = append(all.Data, s.describeAnthropic(name))
	}
	writeJSON(w, http.StatusOK, all)
}

// showAnthropic answers GET /v1/models/NAME.
func (s *Service) showAnthropic(w http.ResponseWriter, r *http.Request) {
	m, fault := s.find(r.PathValue("model"))
	if fault != nil {
		anthropicAPI.refuse(w, fault)
		return
	}
	writeJSON(w, http.StatusOK, s.describeAnthropic(m.Name))
}

func (s *Service) describeAnthropic(name string) anthropic.Model {
	return anthropic.Model{
		Type: anthropic.TypeModel, ID: name, DisplayName: name,
		CreatedAt: s.started.UTC().Format(time.RFC3339), MaxInputTokens: s.models[name].Context,
	}
}
