// Package openai is the front of the OpenAI API, and of those who imitate it.
//
// Read openai.go first: the two older endpoints as events. chat.go and completions.go are
// these, responses.go the newer one, models.go the list of models and vllm.go what vLLM has
// beside them.
package openai

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"halfsecond/mockllm/server/text/serve"
	"halfsecond/mockllm/server/text/tokenid"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/llamacpp"
)

// Front answers the requests of the OpenAI API.
type Front struct {
	*serve.Service
	api  *serve.Protocol
	kept responseStore
}

// New returns the front of a service.
func New(s *serve.Service) *Front {
	f := &Front{Service: s}
	f.api = &serve.Protocol{Name: "openai", CallPrefix: "call_", Dress: dress, Refuse: f.Refused}
	return f
}

// Refused writes an error in place of an answer, in the shape of llama.cpp's server where
// that serves all models.
func (s *Front) Refused(w http.ResponseWriter, e *wire.Failure) {
	if s.Software().LlamaCPP {
		serve.WriteJSON(w, e.Status, llamacpp.NewError(e))
		return
	}
	serve.WriteJSON(w, e.Status, wire.NewError(e))
}

// appendError appends the event that ends a stream which cannot be completed.
func (s *Front) appendError(dst []byte, e *wire.Failure) []byte {
	if s.Software().LlamaCPP {
		return llamacpp.AppendEvent(dst, llamacpp.NewError(e))
	}
	return wire.AppendError(dst, wire.NewError(e))
}

// Handle adds the routes of the OpenAI API and of vLLM, those aside that others have too:
// see Completions, List and Show.
func (s *Front) Handle(mux *http.ServeMux) {
	for pattern, handle := range map[string]http.HandlerFunc{
		"POST /v1/chat/completions": s.chat,
		"POST /chat/completions":    s.chat, // of llama.cpp and DeepSeek, as are those below without /v1
		"POST /v1/responses":        s.responses,
		"POST /responses":           s.responses,
		"GET /v1/responses/{id}":    s.showResponse,
		"DELETE /v1/responses/{id}": s.deleteResponse,
		"GET /models":               s.List, // of llama.cpp and DeepSeek
	} {
		mux.HandleFunc(pattern, s.Named("x-request-id", handle))
	}
	s.handleVLLM(mux)
}

// apiVersion is the version of the API that every answer of the service names, from
// memory and not checked.
const apiVersion = "2020-10-01"

// dress adds the headers of an answer of the service, beside its id. Software that
// imitates the service has none of them.
func dress(h http.Header, m *serve.Model, took time.Duration) {
	if m.Family != "" {
		return
	}
	h.Set("openai-version", apiVersion)
	h.Set("openai-processing-ms", strconv.FormatInt(took.Milliseconds(), 10))
}

// form writes the events of the two older endpoints of the OpenAI API.
type form struct {
	*wire.Stream
	front  *Front
	g      *serve.Generation
	chat   bool
	echo   string // repeated before the answer
	usage  bool   // the client wants the counts at the end
	counts bool   // and on each chunk
	ids    bool   // it wants the numbers of tokens

	calls   int // tool calls begun
	written int // tokens
}

// newForm returns the form of an answer whose chunks a Stream writes that newStream
// makes.
func (s *Front) newForm(g *serve.Generation, q *wire.Sampling, newStream func(id, model string, created int64, usage bool) *wire.Stream) *form {
	f := &form{front: s, g: g, ids: q.ReturnTokenIDs}
	if q.StreamOptions != nil {
		f.usage = q.StreamOptions.IncludeUsage
		f.counts = f.usage && q.StreamOptions.ContinuousUsage
	}
	f.Stream = newStream(g.ID, g.Model.Name, g.Created, f.usage)
	if print := g.Model.Software().Fingerprint; print != "" {
		f.Stream = f.WithFingerprint(print)
	}
	return f
}

func (f *form) ContentType() string { return serve.EventStream }

func (f *form) Open(dst []byte, g *serve.Generation) []byte {
	var a wire.Amendment
	if f.ids && f.chat {
		a.Chunk = `,"prompt_token_ids":` + jsonList(g.PromptIDs)
	} else if f.ids {
		a.Choice = `,"prompt_token_ids":` + jsonList(g.PromptIDs)
	}
	if f.chat {
		return f.amend(f.AppendRole(dst), a)
	}
	if f.echo != "" || f.ids {
		return f.amend(f.AppendText(dst, f.echo), a)
	}
	return dst
}

func (f *form) Piece(dst []byte, p serve.Piece) []byte {
	if p.Part.Kind == serve.ToolCall && p.Opens {
		dst = f.amend(f.AppendCall(dst, f.calls, p.Part.Call.ID, p.Part.Call.Name), wire.Amendment{})
		f.calls++
	}
	f.written += p.Tokens
	if p.Text == "" {
		return dst
	}
	switch p.Part.Kind {
	case serve.Content:
		dst = f.AppendText(dst, p.Text)
	case serve.Thinking:
		dst = f.AppendReasoning(dst, p.Text)
	case serve.ToolCall:
		dst = f.AppendArguments(dst, f.calls-1, p.Text)
	}
	var a wire.Amendment
	if f.ids {
		a.Choice = `,"token_ids":` + jsonList(tokenid.Append(nil, p.Text))
	}
	return f.amend(dst, a)
}

// amend adds to the last chunk what the client asked for on each.
func (f *form) amend(dst []byte, a wire.Amendment) []byte {
	if f.counts {
		u := f.g.Counts(f.written)
		a.Usage = &u
	}
	if a == (wire.Amendment{}) {
		return dst
	}
	return f.Amend(dst, a)
}

func (f *form) End(dst []byte, g *serve.Generation) []byte {
	dst = f.AppendFinish(dst, g.Finish())
	var a wire.Amendment
	if g.Stopped != "" {
		a.Choice = string(wire.AppendString([]byte(`,"stop_reason":`), g.Stopped))
	}
	extra := ""
	if t := timings(g); t != nil {
		extra = `,"timings":` + string(t)
	}
	if !f.usage {
		a.Chunk = extra
	}
	if dst = f.amend(dst, a); f.usage {
		dst = f.AppendUsage(dst, g.Usage(), extra)
	}
	return wire.AppendDone(dst)
}

// timings returns what llama.cpp's server adds to the last chunk and to a whole answer;
// nil for other serving software.
func timings(g *serve.Generation) json.RawMessage {
	if !g.Model.Software().LlamaCPP {
		return nil
	}
	q := &g.Request
	return llamacpp.AppendTimings(nil, llamacpp.NewTimings(q.Prompt, g.Cached, g.First-q.Scheduled, q.Generated(), q.Last-g.First))
}

func (f *form) Fail(dst []byte, e *wire.Failure) []byte {
	return f.front.appendError(dst, e)
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

// copySampling copies what a request says of sampling into an order.
func copySampling(o *serve.Order, p *wire.Sampling) {
	o.Stop, o.Priority, o.IgnoreEOS = p.Stop, -p.Priority, p.IgnoreEOS
	o.MinTokens, o.KeepStop, o.IDs = p.MinTokens, p.IncludeStop, p.ReturnTokenIDs
	if p.Seed != nil {
		o.Seed = *p.Seed
	}
	o.Dictate(p.Mock)
}

// choose copies a choice of tools into an order that has them.
func choose(o *serve.Order, c wire.ToolChoice) *wire.Failure {
	switch c.Mode {
	case "", wire.ChoiceAuto:
	case wire.ChoiceNone:
		o.Choice = serve.Never
	case wire.ChoiceRequired:
		o.Choice = serve.Required
	default:
		return serve.BadRequest("tool_choice", "invalid_value", "Invalid value: '%s'. Supported values of tool_choice are: 'none', 'auto', 'required', or an object that names a function.", c.Mode)
	}
	if c.Name != "" {
		o.Choice, o.Named, o.NamedBy = serve.Required, []string{c.Name}, "tool_choice"
	}
	if c.Allowed != nil {
		return o.Allow(c.Allowed)
	}
	return nil
}

// efforts are the words for how much a model shall reason; the first two ask for none.
// Source: openai/openai-openapi openapi.yaml, ReasoningEffort (commit f85dbe2,
// 2026-08-21), read 2026-11-29.
var efforts = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}

// reason copies how much a model shall reason into an order.
func reason(o *serve.Order, effort, param string) *wire.Failure {
	i := slices.Index(efforts, effort)
	if effort != "" && i < 0 {
		return serve.BadRequest(param, "invalid_value", "Invalid value: '%s'. Supported values of %s are: '%s'.", effort, param, strings.Join(efforts, "', '"))
	}
	o.Thinks = o.Thinks || i > 1
	return nil
}

// checkSampling reports the first thing that is wrong with it.
func checkSampling(p *wire.Sampling) *wire.Failure {
	switch {
	case p.N != nil && *p.N != 1:
		return serve.BadRequest("n", "unsupported_value", "Unsupported value: 'n' is %d; this server gives one choice.", *p.N)
	case len(p.Stop) > 4:
		return serve.BadRequest("stop", "array_above_max_length", "Invalid 'stop': array too long. Expected an array with maximum length 4, but got an array with length %d instead.", len(p.Stop))
	case p.StreamOptions != nil && !p.Stream:
		return serve.BadRequest("stream_options", "", "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
	case p.MinTokens < 0:
		return serve.BadRequest("min_tokens", "integer_below_min_value", "Invalid 'min_tokens': integer below minimum value. Expected a value >= 0, but got %d instead.", p.MinTokens)
	}
	return serve.CheckHeat(p.Temperature, p.TopP, 2)
}
