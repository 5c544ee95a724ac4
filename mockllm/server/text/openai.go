package text

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"halfsecond/mockllm/token"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/llamacpp"
)

// openAI is the protocol of the OpenAI API and of all that imitate it.
var openAI = &protocol{
	name: "openai", callPrefix: "call_", dress: dressOpenAI,
	refuse: func(w http.ResponseWriter, e *apiError) { writeJSON(w, e.status, e.openAI()) },
}

// handleOpenAI adds the routes of the OpenAI API, the list of models aside.
func (s *Service) handleOpenAI(mux *http.ServeMux) {
	for pattern, handle := range map[string]http.HandlerFunc{
		"POST /v1/chat/completions": s.chat,
		"POST /chat/completions":    s.chat, // of llama.cpp and DeepSeek, as are those below without /v1
		"POST /v1/completions":      s.tabbyOr(s.completions),
		"POST /v1/responses":        s.responses,
		"POST /responses":           s.responses,
		"GET /v1/responses/{id}":    s.showResponse,
		"DELETE /v1/responses/{id}": s.deleteResponse,
	} {
		mux.HandleFunc(pattern, s.named("x-request-id", handle))
	}
}

// openAIVersion is the version of the API that every answer of the service names, from
// memory and not checked.
const openAIVersion = "2020-10-01"

// dressOpenAI adds the headers of an answer of the service, beside its id. Software that
// imitates the service has none of them.
func dressOpenAI(h http.Header, m *model, took time.Duration) {
	if m.Family != "" {
		return
	}
	h.Set("openai-version", openAIVersion)
	h.Set("openai-processing-ms", strconv.FormatInt(took.Milliseconds(), 10))
}

// openAI returns the body of an error of the OpenAI API.
func (e *apiError) openAI() wire.ErrorBody {
	optional := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	return wire.ErrorBody{Error: wire.APIError{
		Message: e.message, Type: e.kind, Param: optional(e.param), Code: optional(e.code),
	}}
}

// openAIUsage returns the counts of an answer that has ended.
func (g *generation) openAIUsage() wire.Usage {
	u := g.openAICounts(g.request.Generated())
	if g.model.Shares {
		u.PromptTokensDetails = &wire.PromptTokensDetail{CachedTokens: g.request.CachedTokens}
	}
	return u
}

// openAICounts returns the counts of an answer that has come to its n-th token.
func (g *generation) openAICounts(n int) wire.Usage {
	u := wire.Usage{PromptTokens: g.request.Prompt, CompletionTokens: n, TotalTokens: g.request.Prompt + n}
	if t := min(n, g.thinkingTokens()); t > 0 {
		u.CompletionTokensDetails = &wire.CompletionTokensDetail{ReasoningTokens: t}
	}
	return u
}

// openAIForm writes the events of the two older endpoints of the OpenAI API.
type openAIForm struct {
	*wire.Stream
	g      *generation
	chat   bool
	echo   string // repeated before the answer
	usage  bool   // the client wants the counts at the end
	counts bool   // and on each chunk
	ids    bool   // it wants the numbers of tokens

	calls   int // tool calls begun
	written int // tokens
}

// newOpenAIForm returns the form of an answer whose chunks a Stream writes that newStream
// makes.
func newOpenAIForm(g *generation, q *wire.Sampling, newStream func(id, model string, created int64, usage bool) *wire.Stream) *openAIForm {
	f := &openAIForm{g: g, ids: q.ReturnTokenIDs}
	if q.StreamOptions != nil {
		f.usage = q.StreamOptions.IncludeUsage
		f.counts = f.usage && q.StreamOptions.ContinuousUsage
	}
	f.Stream = newStream(g.id, g.model.Name, g.created, f.usage)
	if print := g.model.software().fingerprint; print != "" {
		f.Stream = f.WithFingerprint(print)
	}
	return f
}

func (f *openAIForm) contentType() string { return eventStream }

func (f *openAIForm) open(dst []byte, g *generation) []byte {
	var a wire.Amendment
	if f.ids && f.chat {
		a.Chunk = `,"prompt_token_ids":` + jsonList(g.promptIDs)
	} else if f.ids {
		a.Choice = `,"prompt_token_ids":` + jsonList(g.promptIDs)
	}
	if f.chat {
		return f.amend(f.AppendRole(dst), a)
	}
	if f.echo != "" || f.ids {
		return f.amend(f.AppendText(dst, f.echo), a)
	}
	return dst
}

func (f *openAIForm) piece(dst []byte, p piece) []byte {
	if p.part.kind == toolCall && p.opens {
		dst = f.amend(f.AppendCall(dst, f.calls, p.part.call.id, p.part.call.name), wire.Amendment{})
		f.calls++
	}
	f.written += p.tokens
	if p.text == "" {
		return dst
	}
	switch p.part.kind {
	case content:
		dst = f.AppendText(dst, p.text)
	case thinking:
		dst = f.AppendReasoning(dst, p.text)
	case toolCall:
		dst = f.AppendArguments(dst, f.calls-1, p.text)
	}
	var a wire.Amendment
	if f.ids {
		a.Choice = `,"token_ids":` + jsonList(numbers(nil, p.text))
	}
	return f.amend(dst, a)
}

// amend adds to the last chunk what the client asked for on each.
func (f *openAIForm) amend(dst []byte, a wire.Amendment) []byte {
	if f.counts {
		u := f.g.openAICounts(f.written)
		a.Usage = &u
	}
	if a == (wire.Amendment{}) {
		return dst
	}
	return f.Amend(dst, a)
}

func (f *openAIForm) end(dst []byte, g *generation) []byte {
	dst = f.AppendFinish(dst, g.finish())
	var a wire.Amendment
	if g.stopped != "" {
		a.Choice = string(wire.AppendString([]byte(`,"stop_reason":`), g.stopped))
	}
	timings := ""
	if t := g.timings(); t != nil {
		timings = `,"timings":` + string(t)
	}
	if !f.usage {
		a.Chunk = timings
	}
	if dst = f.amend(dst, a); f.usage {
		dst = f.AppendUsage(dst, g.openAIUsage(), timings)
	}
	return wire.AppendDone(dst)
}

// timings returns what llama.cpp's server adds to the last chunk and to a whole answer;
// nil for other serving software.
func (g *generation) timings() json.RawMessage {
	if !g.model.software().timed {
		return nil
	}
	q := &g.request
	return llamacpp.AppendTimings(nil, llamacpp.NewTimings(q.Prompt, g.cached, g.first-q.Scheduled, q.Generated(), q.Last-g.first))
}

func (f *openAIForm) fail(dst []byte, e *apiError) []byte { return wire.AppendError(dst, e.openAI()) }

// eventStream is the content type of an event stream.
const eventStream = "text/event-stream; charset=utf-8"

// numbers appends the number of each token of some texts.
func numbers(dst []int, texts ...string) []int {
	for _, text := range texts {
		for len(text) > 0 {
			n := token.Next(text)
			dst = append(dst, number(text[:n]))
			text = text[n:]
		}
	}
	return dst
}

func jsonList(numbers []int) string {
	var b strings.Builder
	b.WriteByte('[')
	for i, n := range numbers {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(n))
	}
	return b.String() + "]"
}

// sample copies what a request says of sampling into an order.
func (o *order) sample(p *wire.Sampling) {
	o.stop, o.priority, o.ignoreEOS = p.Stop, -p.Priority, p.IgnoreEOS
	o.minTokens, o.keepStop, o.ids = p.MinTokens, p.IncludeStop, p.ReturnTokenIDs
	if p.Seed != nil {
		o.seed = *p.Seed
	}
	o.dictate(p.Mock)
}

// dictate copies what a client tells the mock to answer into an order.
func (o *order) dictate(m wire.Mock) {
	o.answer, o.thought = m.MockAnswer, m.MockThinking
	if len(m.MockTool) > 0 {
		o.named, o.namedBy = m.MockTool, "mock_tool"
	}
}

// choose copies a choice of tools into an order that has them.
func (o *order) choose(c wire.ToolChoice) *apiError {
	switch c.Mode {
	case "", wire.ChoiceAuto:
	case wire.ChoiceNone:
		o.choice = never
	case wire.ChoiceRequired:
		o.choice = required
	default:
		return badRequest("tool_choice", "invalid_value", "Invalid value: '%s'. Supported values of tool_choice are: 'none', 'auto', 'required', or an object that names a function.", c.Mode)
	}
	if c.Name != "" {
		o.choice, o.named, o.namedBy = required, []string{c.Name}, "tool_choice"
	}
	for _, name := range c.Allowed {
		if o.find(name) < 0 {
			return badRequest("tool_choice", "invalid_value", "Invalid value for 'tool_choice': there is no tool '%s' among the tools, which are: %s.", name, o.toolNames())
		}
	}
	if c.Allowed != nil {
		o.tools = slices.DeleteFunc(o.tools, func(t tool) bool { return !slices.Contains(c.Allowed, t.name) })
	}
	return nil
}

// efforts are the words for how much a model shall reason; the first two ask for none.
// Source: openai/openai-openapi openapi.yaml, ReasoningEffort (commit f85dbe2,
// 2026-08-21), read 2026-11-29.
var efforts = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}

// reason copies how much a model shall reason into an order.
func (o *order) reason(effort, param string) *apiError {
	i := slices.Index(efforts, effort)
	if effort != "" && i < 0 {
		return badRequest(param, "invalid_value", "Invalid value: '%s'. Supported values of %s are: '%s'.", effort, param, strings.Join(efforts, "', '"))
	}
	o.thinks = o.thinks || i > 1
	return nil
}

// checkSampling reports the first thing that is wrong with it.
func checkSampling(p *wire.Sampling) *apiError {
	switch {
	case p.N != nil && *p.N != 1:
		return badRequest("n", "unsupported_value", "Unsupported value: 'n' is %d; this server gives one choice.", *p.N)
	case len(p.Stop) > 4:
		return badRequest("stop", "array_above_max_length", "Invalid 'stop': array too long. Expected an array with maximum length 4, but got an array with length %d instead.", len(p.Stop))
	case p.StreamOptions != nil && !p.Stream:
		return badRequest("stream_options", "", "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
	case p.MinTokens < 0:
		return badRequest("min_tokens", "integer_below_min_value", "Invalid 'min_tokens': integer below minimum value. Expected a value >= 0, but got %d instead.", p.MinTokens)
	}
	return checkHeat(p.Temperature, p.TopP, 2)
}

// checkHeat reports a temperature outside 0 to most, and a top_p that is no share.
func checkHeat(temperature, topP *float64, most float64) *apiError {
	if t := temperature; t != nil && !(*t >= 0 && *t <= most) {
		return badRequest("temperature", "decimal_out_of_range", "Invalid 'temperature': expected a value from 0 to %g, but got %g instead.", most, *t)
	}
	if p := topP; p != nil && !(*p >= 0 && *p <= 1) {
		return badRequest("top_p", "decimal_out_of_range", "Invalid 'top_p': expected a value from 0 to 1, but got %g instead.", *p)
	}
	return nil
}
