package text

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"halfsecond/mockllm/token"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/wire/ollama"
)

// ollamaAPI is the protocol of Ollama's own API.
var ollamaAPI = &protocol{name: "ollama", callPrefix: "call_", refuse: refuseOllama}

// handleOllama adds the routes of Ollama's own API.
func (s *Service) handleOllama(mux *http.ServeMux) {
	mux.HandleFunc("POST /api/generate", s.ollamaGenerate)
	mux.HandleFunc("POST /api/chat", s.ollamaChat)
	mux.HandleFunc("GET /api/tags", s.ollamaTags)
	mux.HandleFunc("POST /api/show", s.ollamaShow)
	mux.HandleFunc("GET /api/ps", s.ollamaRunning)
	mux.HandleFunc("GET /api/version", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, ollama.Version{Version: ollamaVersion})
	})
	mux.HandleFunc("POST /api/embed", s.ollamaEmbed)
	mux.HandleFunc("POST /api/embeddings", s.ollamaEmbed)
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("Ollama is running")) // the client may be gone
	})
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		refuseOllama(w, &apiError{status: http.StatusNotFound, message: fmt.Sprintf("this server has no %s %s", r.Method, r.URL.Path)})
	})
}

// ollamaVersion is a version that clients with a least one accept; 0.17.4 was released
// in 2026.
const ollamaVersion = "0.17.4"

// ollamaBusy is what Ollama says when it takes no more; source: ollama/ollama
// server/sched.go (2026-08-21, commit fb30760), read 2026-11-29.
const ollamaBusy = "server busy, please try again.  maximum pending requests exceeded"

func refuseOllama(w http.ResponseWriter, e *apiError) { writeJSON(w, e.status, e.ollama()) }

// ollama returns the body of an error of Ollama's API.
func (e *apiError) ollama() ollama.ErrorBody {
	if e.code == "engine_refused" {
		return ollama.ErrorBody{Error: ollamaBusy}
	}
	return ollama.ErrorBody{Error: e.message}
}

// ollamaModel returns the model of that name, whether it has a tag or not: the tag of
// one without is "latest". Case does not matter.
func (s *Service) ollamaModel(name string) (*model, *apiError) {
	for _, m := range s.config.Models {
		if strings.EqualFold(tagged(m.Name), tagged(name)) {
			return s.models[m.Name], nil
		}
	}
	if m := s.lookup(name); m != nil {
		return m, nil
	}
	return nil, &apiError{status: http.StatusNotFound, message: fmt.Sprintf("model '%s' not found", name)}
}

// tagged returns the name of a model with its tag.
func tagged(name string) string {
	if strings.Contains(name[strings.LastIndexByte(name, '/')+1:], ":") {
		return name
	}
	return name + ":latest"
}

// checkThinking reports a request for reasoning that no model here can fulfil.
func (s *Service) checkThinking(model string, c *ollama.Common) *apiError {
	if c.Think == nil || !c.Think.On || s.config.ThinkingTokens != (dist.Count{}) || c.MockThinking != "" {
		return nil
	}
	return badRequest("think", "", "%q does not support thinking", model)
}

// ollama copies what a request says beside its prompt into an order. A model that
// reasons does so unless it is told not to.
func (o *order) ollama(c *ollama.Common) *apiError {
	o.dictate(c.Mock)
	o.stop, o.thinks = c.Options.Stop, c.Think == nil || c.Think.On
	if !o.thinks {
		o.thought = ""
	}
	if c.Options.Seed != nil {
		o.seed = *c.Options.Seed
	}
	switch text := string(c.Format); {
	case text == "" || text == `""` || text == "null":
	case text == `"json"`:
		o.format = anyObject
	case strings.HasPrefix(text, "{"):
		o.format = c.Format
	default:
		return badRequest("format", "", `invalid format: %s; expected "json" or a valid JSON Schema object`, text)
	}
	return nil
}

// fit cuts prompt and answer to the context, as Ollama does: that of the model, or less
// where the client wants less. Of a prompt that is too long it drops tokens after the
// first few. A limit of 0 lets one token out, as llama.cpp has it, which runs inside.
func (o *order) fit(m *model, c *ollama.Common) *apiError {
	context := m.Context
	if n := c.Options.NumCtx; n > 0 {
		context = min(context, max(2, n))
	}
	n := max(1, countAll(o.toolTexts())+countAll(o.prompt))
	if over := n - (context - 1); over > 0 {
		if c.Truncate != nil && !*c.Truncate {
			return badRequest("prompt", "", "the input length exceeds the context length")
		}
		o.prompt = drop(o.prompt, min(numKeep(c), max(0, context-2)), over)
		n -= over
	}
	limit := context - n
	if p := c.Options.NumPredict; p != nil && *p >= 0 {
		limit = min(limit, max(1, *p))
	}
	o.limit, o.limitedBy = &limit, "num_predict"
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

// ollamaAnswer is one answer of Ollama's API.
type ollamaAnswer struct {
	g       *generation
	watch   *watch
	model   string // as the client wrote it
	chat    bool
	context []int // tokens of prompt and answer, for an answer that has them
}

// openOllama turns an order into an answer.
func (s *Service) openOllama(r *http.Request, arrived time.Duration, o order, kind, model string) (*ollamaAnswer, *apiError) {
	g, fault := s.generation(ollamaAPI, o)
	if fault != nil {
		return nil, fault
	}
	g.arrived, g.path, g.request.Kind = arrived, r.URL.Path, kind
	return &ollamaAnswer{g: g, watch: s.watched(g), model: model, chat: kind == kindChat}, nil
}

// load has the engine bring the model into memory: it is asked for one token, which
// nobody sees, since only a request makes an engine load. It reports whether the model
// is there; if not, the client has been told.
func (s *Service) load(w http.ResponseWriter, r *http.Request, arrived time.Duration, m *model, model string) bool {
	one := 1
	a, fault := s.openOllama(r, arrived, order{model: m.Name, limit: &one}, kindCompletion, model)
	if fault != nil {
		refuseOllama(w, fault)
		return false
	}
	return s.whole(w, r, a.g)
}

// unloads reports whether a request without a prompt asks to unload the model. The mock's
// engines decide for themselves when they do.
func unloads(c *ollama.Common) bool { return c.KeepAlive != nil && *c.KeepAlive == 0 }

// metrics returns the figures of an answer that has ended. The load is part of them only
// when it began after the request came: an engine does not tell of one that was under way.
func (a *ollamaAnswer) metrics() ollama.Metrics {
	n := a.watch.out
	m := ollama.Metrics{
		TotalDuration:   a.watch.at[n-1] - a.g.arrived,
		PromptEvalCount: a.g.request.Prompt, PromptEvalDuration: a.watch.evaluated(),
		EvalCount: n, EvalDuration: max(time.Microsecond, a.watch.predicted(n)),
	}
	if a.watch.loaded {
		m.LoadDuration = a.watch.began - a.g.arrived
	}
	return m
}

// reason returns why an answer is done.
func (a *ollamaAnswer) reason() string {
	if a.g.finish() == ollama.DoneLength {
		return ollama.DoneLength
	}
	return ollama.DoneStop
}

// calls returns the calls that the answer makes.
func (a *ollamaAnswer) calls() []ollama.ToolCall {
	var calls []ollama.ToolCall
	for i := range a.g.parts {
		if p := &a.g.parts[i]; a.complete(p) {
			calls = append(calls, ollamaCall(p, len(calls)))
		}
	}
	return calls
}

// complete reports whether a part is a call that no limit has cut: of one that is cut
// nothing is told.
func (a *ollamaAnswer) complete(p *part) bool {
	return p.kind == toolCall && a.g.textOf(p) == p.call.arguments
}

func ollamaCall(p *part, index int) ollama.ToolCall {
	return ollama.ToolCall{ID: p.call.id, Function: ollama.CallFunction{Index: index, Name: p.call.name, Arguments: []byte(p.call.arguments)}}
}
