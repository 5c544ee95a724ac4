// Package ollama is the front of Ollama's own API.
//
// Read ollama.go first; generate.go and chat.go are the two ways to ask, models.go what it
// says of models.
package ollama

import (
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"halfsecond/mockllm/server/text/sample"
	"halfsecond/mockllm/server/text/serve"
	"halfsecond/mockllm/token"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/ollama"
)

// api is the protocol of Ollama's own API.
var api = &serve.Protocol{Name: "ollama", CallPrefix: "call_", Refuse: refuse}

// Handle adds the routes of Ollama's own API.
func Handle(service *serve.Service, mux *http.ServeMux) {
	s := front{service}
	mux.HandleFunc("POST /api/generate", s.generate)
	mux.HandleFunc("POST /api/chat", s.chat)
	mux.HandleFunc("GET /api/tags", s.tags)
	mux.HandleFunc("POST /api/show", s.show)
	mux.HandleFunc("GET /api/ps", s.running)
	mux.HandleFunc("GET /api/version", func(w http.ResponseWriter, _ *http.Request) {
		serve.WriteJSON(w, http.StatusOK, ollama.Version{Version: version})
	})
	mux.HandleFunc("POST /api/embed", s.embed)
	mux.HandleFunc("POST /api/embeddings", s.embed)
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("Ollama is running")) // the client may be gone
	})
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, &wire.Failure{Status: http.StatusNotFound, Message: fmt.Sprintf("this server has no %s %s", r.Method, r.URL.Path)})
	})
}

// version is a version that clients with a least one accept; 0.17.4 was released
// in 2026.
const version = "0.17.4"

func refuse(w http.ResponseWriter, e *wire.Failure) { serve.WriteJSON(w, e.Status, newError(e)) }

// find returns the model of that name, whether it has a tag or not: the tag of
// one without is "latest". Case does not matter.
func (s front) find(name string) (*serve.Model, *wire.Failure) {
	for _, m := range s.Config.Models {
		if strings.EqualFold(tagged(m.Name), tagged(name)) {
			return s.Lookup(m.Name), nil
		}
	}
	if m := s.Asked(name); m != nil {
		return m, nil
	}
	return nil, &wire.Failure{Status: http.StatusNotFound, Message: fmt.Sprintf("model '%s' not found", name)}
}

// tagged returns the name of a model with its tag.
func tagged(name string) string {
	if strings.Contains(name[strings.LastIndexByte(name, '/')+1:], ":") {
		return name
	}
	return name + ":latest"
}

// checkThinking reports a request for reasoning that no model here can fulfil.
func (s front) checkThinking(model string, c *ollama.Common) *wire.Failure {
	if c.Think == nil || !c.Think.On || s.Config.ThinkingTokens != (dist.Count{}) || c.MockThinking != "" {
		return nil
	}
	return serve.BadRequest("think", "", "%q does not support thinking", model)
}

// understand copies what a request says beside its prompt into an order. A model that
// reasons does so unless it is told not to.
func understand(o *serve.Order, c *ollama.Common) *wire.Failure {
	o.Dictate(c.Mock)
	o.Stop, o.Thinks = c.Options.Stop, c.Think == nil || c.Think.On
	if !o.Thinks {
		o.Thought = ""
	}
	if c.Options.Seed != nil {
		o.Seed = *c.Options.Seed
	}
	switch text := string(c.Format); {
	case text == "" || text == `""` || text == "null":
	case text == `"json"`:
		o.Format = sample.AnyObject
	case strings.HasPrefix(text, "{"):
		o.Format = c.Format
	default:
		return serve.BadRequest("format", "", `invalid format: %s; expected "json" or a valid JSON Schema object`, text)
	}
	return nil
}

// fit cuts prompt and answer to the context, as Ollama does: that of the model, or less
// where the client wants less. Of a prompt that is too long it drops tokens after the
// first few. A limit of 0 lets one token out, as llama.cpp has it, which runs inside.
func fit(o *serve.Order, m *serve.Model, c *ollama.Common) *wire.Failure {
	context := m.Context
	if n := c.Options.NumCtx; n > 0 {
		context = min(context, max(2, n))
	}
	n := max(1, serve.CountAll(o.ToolTexts())+serve.CountAll(o.Prompt))
	if over := n - (context - 1); over > 0 {
		if c.Truncate != nil && !*c.Truncate {
			return serve.BadRequest("prompt", "", "the input length exceeds the context length")
		}
		o.Prompt = drop(o.Prompt, min(numKeep(c), max(0, context-2)), over)
		n -= over
	}
	limit := context - n
	if p := c.Options.NumPredict; p != nil && *p >= 0 {
		limit = min(limit, max(1, *p))
	}
	o.Limit, o.LimitedBy = &limit, "num_predict"
	return nil
}

// numKeep returns how many tokens at the start of a prompt stay when it is cut; source of
// the default: DefaultOptions in ollama/ollama api/types.go, read 2026-11-29.
func numKeep(c *ollama.Common) int {
	if c.Options.NumKeep == nil {
		return 4
	}
	return max(0, *c.Options.NumKeep)
}

// drop returns texts without n tokens after the first so many.
func drop(texts []string, keep, n int) []string {
	var left []string
	for _, text := range texts {
		head := token.Prefix(text, keep)
		keep -= token.Count(head)
		rest := text[len(head):]
		gone := token.Prefix(rest, n)
		n -= token.Count(gone)
		left = append(left, head, rest[len(gone):])
	}
	return left
}

// answer is one answer of Ollama's API.
type answer struct {
	g       *serve.Generation
	watch   *serve.Watch
	model   string // as the client wrote it
	chat    bool
	context []int // tokens of prompt and answer, for an answer that has them
}

// open turns an order into an answer, after which the model stays in memory as long as the
// request wants.
func (s front) open(r *http.Request, arrived time.Duration, o serve.Order, c *ollama.Common, model string) (*answer, *wire.Failure) {
	g, fault := s.Generation(api, r, arrived, o)
	if fault != nil {
		return nil, fault
	}
	a := &answer{g: g, watch: s.Watched(g), model: model, chat: o.Kind == serve.KindChat}
	a.watch.Tell = func(first bool) {
		if !first && g.Request.Scheduled != pipeline.Unknown {
			s.keep(g.Model, c.KeepAlive)
		}
	}
	return a, nil
}

// load has the engine bring the model into memory: it is asked for one token, which
// nobody sees, since only a request makes an engine load. It reports whether the model
// is there; if not, the client has been told.
func (s front) load(w http.ResponseWriter, r *http.Request, arrived time.Duration, m *serve.Model, c *ollama.Common) bool {
	one := 1
	a, fault := s.open(r, arrived, serve.Order{Model: m.Name, Kind: serve.KindCompletion, Limit: &one}, c, m.Name)
	if fault != nil {
		refuse(w, fault)
		return false
	}
	return s.Whole(w, r, a.g)
}

// nothing answers a request without a prompt, which loads the model or unloads it: it
// returns which, or "" when the client has been told why not.
func (s front) nothing(w http.ResponseWriter, r *http.Request, arrived time.Duration, m *serve.Model, c *ollama.Common) (reason string) {
	if c.KeepAlive != nil && *c.KeepAlive == 0 {
		s.Ask(func() { s.keep(m, c.KeepAlive) })
		return ollama.DoneUnload
	}
	if !s.load(w, r, arrived, m, c) {
		return ""
	}
	return ollama.DoneLoad
}

// keep has a model stay in memory for so long after its last request; nil for as long as
// the model does by itself. It runs on the loop.
func (s front) keep(m *serve.Model, k *ollama.KeepAlive) {
	cold := s.Cold(m)
	if cold == nil {
		return // it is always there
	}
	if k == nil {
		cold.Keep(nil)
		return
	}
	idle := time.Duration(*k)
	if idle == math.MaxInt64 {
		idle = -1
	}
	cold.Keep(&idle)
}

// metrics returns the figures of an answer that has ended.
func (a *answer) metrics() ollama.Metrics {
	n := a.watch.Out
	return ollama.Metrics{
		TotalDuration:   a.watch.At[n-1] - a.g.Arrived,
		PromptEvalCount: a.g.Request.Prompt, PromptEvalDuration: a.watch.Evaluated(),
		EvalCount: n, EvalDuration: max(time.Microsecond, a.watch.Predicted(n)), LoadDuration: a.g.Request.Loading,
	}
}

// reason returns why an answer is done.
func (a *answer) reason() string {
	if a.g.Finish() == ollama.DoneLength {
		return ollama.DoneLength
	}
	return ollama.DoneStop
}

// calls returns the calls that the answer makes.
func (a *answer) calls() []ollama.ToolCall {
	var calls []ollama.ToolCall
	for i := range a.g.Parts {
		if p := &a.g.Parts[i]; a.complete(p) {
			calls = append(calls, callOf(p, len(calls)))
		}
	}
	return calls
}

// complete reports whether a part is a call that no limit has cut: of one that is cut
// nothing is told.
func (a *answer) complete(p *serve.Part) bool {
	return p.Kind == serve.ToolCall && a.g.TextOf(p) == p.Call.Arguments
}

func callOf(p *serve.Part, index int) ollama.ToolCall {
	return ollama.ToolCall{ID: p.Call.ID, Function: ollama.CallFunction{Index: index, Name: p.Call.Name, Arguments: []byte(p.Call.Arguments)}}
}

// newError returns the body of an error, in Ollama's own words for a server without room.
func newError(e *wire.Failure) ollama.ErrorBody {
	f := *e
	if f.Code == serve.CodeRefused {
		f.Message = ollama.Busy
	}
	return ollama.NewError(&f)
}

type front struct{ *serve.Service }
