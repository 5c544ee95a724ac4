package text

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"halfsecond/mockllm/token"
	"halfsecond/pipeline/wire/llamacpp"
)

// llamaCPP answers the requests that only llama.cpp's server takes.
type llamaCPP struct {
	*Service
	slots map[string]*slotTable // by the name of the model
	tasks atomic.Int64
}

// llamaCPPAPI is the protocol of those requests.
var llamaCPPAPI = &protocol{
	name:   "llama.cpp",
	refuse: func(w http.ResponseWriter, e *apiError) { writeJSON(w, e.status, e.llamaCPP()) },
}

// handleLlamaCPP adds the routes of llama.cpp's server that are not those of others.
func (s *Service) handleLlamaCPP(mux *http.ServeMux) {
	a := &llamaCPP{Service: s, slots: map[string]*slotTable{}}
	for name, m := range s.models {
		a.slots[name] = &slotTable{busy: make([]*llamaAnswer, m.Slots)}
	}
	mux.HandleFunc("POST /completion", a.completion)
	mux.HandleFunc("POST /completions", a.completion) // the older name
	mux.HandleFunc("POST /infill", a.infill)
	mux.HandleFunc("GET /slots", a.showSlots)
	mux.HandleFunc("POST /slots/{id}", a.unsupported)
	mux.HandleFunc("GET /props", a.showProps)
	mux.HandleFunc("POST /props", a.unsupported)
}

// llamaCPP returns the body of an error of llama.cpp's server.
func (e *apiError) llamaCPP() llamacpp.ErrorBody {
	kind := llamacpp.ErrorServer
	switch e.status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType:
		kind = llamacpp.ErrorInvalidRequest
	case http.StatusUnauthorized:
		kind = llamacpp.ErrorAuthentication
	case http.StatusNotFound:
		kind = llamacpp.ErrorNotFound
	case http.StatusNotImplemented:
		kind = llamacpp.ErrorNotSupported
	case http.StatusServiceUnavailable:
		kind = llamacpp.ErrorServiceUnavailable
	}
	return llamacpp.ErrorBody{Error: llamacpp.Error{Code: e.status, Message: e.message, Type: kind}}
}

// pick returns the model of that name. Where there is one, it takes every request,
// whatever the name, as a server with one model does; where there are several, one that
// names none goes to the first of llama.cpp's family, or to the first.
func (a *llamaCPP) pick(name string) (*model, *apiError) {
	if m := a.lookup(name); m != nil {
		return m, nil
	}
	first := a.config.Models[0].Name
	if len(a.config.Models) == 1 {
		return a.models[first], nil
	}
	if name != "" {
		return a.find(name)
	}
	for i := range a.config.Models {
		if m := &a.config.Models[i]; m.software().timed {
			return a.models[m.Name], nil
		}
	}
	return a.models[first], nil
}

// unsupported answers what a server does only when it is started with a flag for it.
func (a *llamaCPP) unsupported(w http.ResponseWriter, r *http.Request) {
	llamaCPPAPI.refuse(w, &apiError{
		status:  http.StatusNotImplemented,
		message: fmt.Sprintf("This server does not support %s %s: it keeps no files and no settings.", r.Method, r.URL.Path),
	})
}

// llamaPrompt is a prompt as the model reads it.
type llamaPrompt struct {
	texts []string // special tokens are one private character each
	shown string   // special tokens are written out
}

// completion answers POST /completion.
func (a *llamaCPP) completion(w http.ResponseWriter, r *http.Request) {
	var q llamacpp.CompletionRequest
	arrived, fault := a.read(w, r, &q)
	var p llamaPrompt
	if fault == nil {
		p, fault = plainPrompt(q.Prompt)
	}
	if fault != nil {
		a.refuse(w, r, llamaCPPAPI, fault)
		return
	}
	a.answer(w, r, arrived, &q.Options, func(*model) llamaPrompt { return p })
}

// plainPrompt returns the prompt of a completion.
func plainPrompt(q *llamacpp.Prompt) (p llamaPrompt, fault *apiError) {
	if q == nil {
		return p, badRequest("prompt", "", `"prompt" is required`)
	}
	for _, piece := range *q {
		if piece.Text != "" || len(*q) == 1 && piece.Token == 0 {
			p.texts, p.shown = append(p.texts, specials.Replace(piece.Text)), p.shown+piece.Text
			continue
		}
		text, ok := numeral(piece.Token)
		if !ok {
			return p, badRequest("prompt", "", "Prompt contains invalid tokens: %d is none", piece.Token)
		}
		p.texts, p.shown = append(p.texts, text), p.shown+fmt.Sprintf("<%d>", piece.Token)
	}
	return p, nil
}

// llamaAnswer is one answer of llama.cpp's server.
type llamaAnswer struct {
	g     *generation
	watch *watch
	q     *llamacpp.Options
	shown string // the prompt

	task   int
	slot   int  // from the first token on
	indent bool // a line that is indented too little ends it
}

// answer answers a request whose prompt is made for the model.
func (a *llamaCPP) answer(w http.ResponseWriter, r *http.Request, arrived time.Duration, q *llamacpp.Options, prompt func(m *model) llamaPrompt) {
	m, fault := a.pick(q.Model)
	if fault == nil && q.NCompletion > 1 {
		fault = badRequest("n_cmpl", "", "n_cmpl cannot be greater than 1: this server generates one completion a request, but %d are asked for", q.NCompletion)
	}
	if fault != nil {
		a.refuse(w, r, llamaCPPAPI, fault)
		return
	}
	p := prompt(m)
	if n := countAll(p.texts); n >= m.Context {
		a.refuseContext(w, r, n, m.Context)
		return
	}
	g, fault := a.generation(llamaCPPAPI, llamaOrder(m, q, p.texts))
	if fault != nil {
		a.refuse(w, r, llamaCPPAPI, fault)
		return
	}
	g.arrived, g.path, g.id = arrived, r.URL.Path, a.newID("cmpl-")
	a.write(w, r, a.prepare(g, m, q, p.shown))
}

// llamaOrder turns a request into an order. A limit of 0 lets one token out, since it is
// looked at after each: it serves to bring a prompt into the cache.
func llamaOrder(m *model, q *llamacpp.Options, texts []string) order {
	o := order{
		model: m.Name, prompt: texts, in: "prompt", limitedBy: "n_predict",
		stop: q.Stop, ignoreEOS: q.IgnoreEOS, answer: q.MockAnswer,
	}
	if n, limited := q.Limit(); limited {
		n = max(1, n)
		o.limit = &n
	}
	if q.Seed != nil {
		o.seed = *q.Seed
	}
	o.clip(m)
	return o
}

// prepare makes a generation answer as llama.cpp's server does.
func (a *llamaCPP) prepare(g *generation, m *model, q *llamacpp.Options, shown string) *llamaAnswer {
	l := &llamaAnswer{g: g, q: q, shown: shown, task: int(a.tasks.Add(1))}
	g.request.Kind = kindCompletion
	if q.CachePrompt != nil && !*q.CachePrompt {
		g.request.Blocks = nil
	}
	l.indent = q.NIndent > 0 && g.cutIndent(q.NIndent)
	l.watch = a.watched(g)
	l.watch.longest = time.Duration(max(0, q.MaxPredictMS)) * time.Millisecond
	table := a.slots[m.Name]
	l.watch.tell = func(first bool) {
		if first {
			table.take(l)
		} else {
			table.leave(l)
		}
	}
	return l
}

func (a *llamaCPP) write(w http.ResponseWriter, r *http.Request, l *llamaAnswer) {
	if l.q.Stream {
		p := newPinger(w, r, l.q.PingInterval)
		defer p.stop()
		a.stream(p, r, l.g, &llamaForm{llamaAnswer: l})
		return
	}
	if a.whole(w, r, l.g) {
		f := l.final()
		l.g.end(l.watch.out)
		f.Content = l.g.text
		if l.q.ReturnTokens {
			f.Tokens = numbers(f.Tokens, f.Content)
		}
		writeJSON(w, http.StatusOK, l.pick(f))
	}
}

// refuseContext says that a prompt of n tokens does not fit.
func (a *llamaCPP) refuseContext(w http.ResponseWriter, r *http.Request, n, context int) {
	message := fmt.Sprintf("request (%d tokens) exceeds the available context size (%d tokens), try increasing it", n, context)
	a.keepRefusal(r, llamaCPPAPI, message)
	writeJSON(w, http.StatusBadRequest, llamacpp.ErrorBody{Error: llamacpp.Error{
		Code: http.StatusBadRequest, Type: llamacpp.ErrorExceedContextSize, NPromptTokens: n, NContext: context, Message: message,
	}})
}

// countAll returns the tokens of all texts.
func countAll(texts []string) int {
	n := 0
	for _, text := range texts {
		n += token.Count(text)
	}
	return n
}

// clip gives up a limit that the context does not hold: the answer ends with the
// context, as in all software that does not refuse such a limit.
func (o *order) clip(m *model) {
	texts := append(o.toolTexts(), o.prompt...)
	bytes := 0
	for _, text := range texts {
		bytes += len(text)
	}
	if o.limit == nil || *o.limit <= m.Context-bytes { // a token has at least one byte
		return
	}
	if *o.limit > m.Context-max(1, countAll(texts)) {
		o.limit = nil
	}
}

// cutIndent ends the answer before the text of the first later line that is indented by
// less than n blanks; it reports whether there is one. The token that holds the text is
// the last.
func (g *generation) cutIndent(n int) bool {
	for at := strings.IndexByte(g.text, '\n'); at >= 0; {
		from := at + 1
		text := from + len(g.text[from:]) - len(strings.TrimLeft(g.text[from:], " \t"))
		if text < len(g.text) && text-from < n {
			g.cut(text, text+1)
			return true
		}
		next := strings.IndexByte(g.text[from:], '\n')
		if next < 0 {
			return false
		}
		at = from + next
	}
	return false
}
