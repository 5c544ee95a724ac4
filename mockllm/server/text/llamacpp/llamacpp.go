// Package llamacpp is the front of what only llama.cpp's server has.
//
// Read llamacpp.go first; infill.go is its way to fill in the middle, state.go what it tells
// of its slots.
package llamacpp

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"halfsecond/mockllm/observe"
	"halfsecond/mockllm/server/text/fim"
	"halfsecond/mockllm/server/text/serve"
	"halfsecond/mockllm/server/text/tokenid"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/llamacpp"
)

// Front answers the requests that only llama.cpp's server takes.
type Front struct {
	*serve.Service
	slots  map[string]*slotTable // by the name of the model
	totals map[string]*totals    // too
	tasks  atomic.Int64
}

// api is the protocol of those requests.
var api = &serve.Protocol{
	Name: "llama.cpp", Early: true, // source: ggml-org/llama.cpp pull request 23884, 2026-05-29, read 2026-11-29
	Refuse: func(w http.ResponseWriter, e *wire.Failure) { serve.WriteJSON(w, e.Status, llamacpp.NewError(e)) },
}

// New returns the front of a service.
func New(s *serve.Service) *Front {
	a := &Front{Service: s, slots: map[string]*slotTable{}, totals: map[string]*totals{}}
	for _, m := range s.Config.Models {
		a.slots[m.Name] = &slotTable{busy: make([]*answer, m.Slots)}
		a.totals[m.Name] = &totals{}
	}
	s.OnEnd(func(g *serve.Generation) { a.totals[g.Model.Name].add(g) })
	return a
}

// Handle adds the routes of llama.cpp's server that are not those of others.
func (a *Front) Handle(mux *http.ServeMux) {
	mux.HandleFunc("POST /completion", a.completion)
	mux.HandleFunc("POST /completions", a.completion) // the older name
	mux.HandleFunc("POST /infill", a.infill)
	mux.HandleFunc("GET /slots", a.showSlots)
	mux.HandleFunc("POST /slots/{id}", a.unsupported)
	mux.HandleFunc("GET /props", a.showProps)
	mux.HandleFunc("POST /props", a.unsupported)
}

// pick returns the model of that name. Where there is one, it takes every request,
// whatever the name, as a server with one model does; where there are several, one that
// names none goes to the first of llama.cpp's family, or to the first.
func (a *Front) pick(name string) (*serve.Model, *wire.Failure) {
	if m := a.Lookup(name); m != nil {
		return m, nil
	}
	first := a.Config.Models[0].Name
	if len(a.Config.Models) == 1 {
		return a.Lookup(first), nil
	}
	if name != "" {
		return a.Find(name)
	}
	for i := range a.Config.Models {
		if m := &a.Config.Models[i]; m.Software().LlamaCPP {
			return m, nil
		}
	}
	return a.Lookup(first), nil
}

// unsupported answers what a server does only when it is started with a flag for it.
func (a *Front) unsupported(w http.ResponseWriter, r *http.Request) {
	api.Refuse(w, &wire.Failure{
		Status:  http.StatusNotImplemented,
		Message: fmt.Sprintf("This server does not support %s %s: it keeps no files and no settings.", r.Method, r.URL.Path),
	})
}

// prompt is a prompt as the model reads it.
type prompt struct {
	texts []string        // special tokens are one private character each
	shown string          // special tokens are written out
	asked *observe.Prompt // what the client sent of its document; nil where the texts are that
}

// completion answers POST /completion.
func (a *Front) completion(w http.ResponseWriter, r *http.Request) {
	var q llamacpp.CompletionRequest
	arrived, fault := a.Read(w, r, &q)
	var p prompt
	if fault == nil {
		p, fault = plainPrompt(q.Prompt)
	}
	if fault != nil {
		a.Refuse(w, r, api, q.Model, fault)
		return
	}
	a.answer(w, r, arrived, &q.Options, func(*serve.Model) prompt { return p })
}

// plainPrompt returns the prompt of a completion.
func plainPrompt(q *llamacpp.Prompt) (p prompt, fault *wire.Failure) {
	if q == nil {
		return p, serve.BadRequest("prompt", "", `"prompt" is required`)
	}
	for _, piece := range *q {
		if piece.Text != "" || len(*q) == 1 && piece.Token == 0 {
			p.texts, p.shown = append(p.texts, fim.Mark(piece.Text)), p.shown+piece.Text
			continue
		}
		text, ok := tokenid.Text(piece.Token)
		if !ok {
			return p, serve.BadRequest("prompt", "", "Prompt contains invalid tokens: %d is none", piece.Token)
		}
		p.texts, p.shown = append(p.texts, text), p.shown+fmt.Sprintf("<%d>", piece.Token)
	}
	return p, nil
}

// answer is one answer of llama.cpp's server.
type answer struct {
	g     *serve.Generation
	watch *serve.Watch
	q     *llamacpp.Options
	shown string // the prompt

	task   int
	slot   int  // from the first token on
	indent bool // a line that is indented too little ends it
}

// answer answers a request whose prompt is made for the model.
func (a *Front) answer(w http.ResponseWriter, r *http.Request, arrived time.Duration, q *llamacpp.Options, prompt func(m *serve.Model) prompt) {
	m, fault := a.pick(q.Model)
	if fault == nil && q.NCompletion > 1 {
		fault = serve.BadRequest("n_cmpl", "", "n_cmpl cannot be greater than 1: this server generates one completion a request, but %d are asked for", q.NCompletion)
	}
	if fault != nil {
		a.Refuse(w, r, api, q.Model, fault)
		return
	}
	p := prompt(m)
	o := orderOf(m, q, p.texts)
	o.Asked = p.asked
	g, fault := a.Generation(api, r, arrived, o)
	if fault != nil {
		a.Refuse(w, r, api, q.Model, fault)
		return
	}
	g.ID = a.NewID("cmpl-")
	a.write(w, r, a.prepare(g, m, q, p.shown))
}

// orderOf turns a request into an order. A limit of 0 lets one token out, since it is
// looked at after each: it serves to bring a prompt into the cache.
func orderOf(m *serve.Model, q *llamacpp.Options, texts []string) serve.Order {
	o := serve.Order{
		Model: m.Name, Kind: serve.KindCompletion, Prompt: texts, In: "prompt", LimitedBy: "n_predict", TooLong: llamacpp.TooLong,
		Uncached: q.CachePrompt != nil && !*q.CachePrompt,
		Stop:     q.Stop, IgnoreEOS: q.IgnoreEOS, Answer: q.MockAnswer,
	}
	if n, limited := q.Limit(); limited {
		n = max(1, n)
		o.Limit = &n
	}
	if q.Seed != nil {
		o.Seed = *q.Seed
	}
	o.Clip(m)
	return o
}

// prepare makes a generation answer as llama.cpp's server does.
func (a *Front) prepare(g *serve.Generation, m *serve.Model, q *llamacpp.Options, shown string) *answer {
	l := &answer{g: g, q: q, shown: shown, task: int(a.tasks.Add(1))}
	l.indent = q.NIndent > 0 && cutIndent(g, q.NIndent)
	l.watch = a.Watched(g)
	l.watch.Longest = time.Duration(max(0, q.MaxPredictMS)) * time.Millisecond
	table := a.slots[m.Name]
	l.watch.Tell = func(first bool) {
		if first {
			table.take(l)
		} else {
			table.leave(l)
		}
	}
	return l
}

func (a *Front) write(w http.ResponseWriter, r *http.Request, l *answer) {
	if l.q.Stream {
		p := newPinger(w, r, l.q.PingInterval)
		defer p.stop()
		a.Stream(p, r, l.g, &form{answer: l})
		return
	}
	if a.Whole(w, r, l.g) {
		f := l.final()
		l.g.End(l.watch.Out)
		f.Content = l.g.Text
		if l.q.ReturnTokens {
			f.Tokens = tokenid.Append(f.Tokens, f.Content)
		}
		serve.WriteJSON(w, http.StatusOK, l.pick(f))
	}
}

// cutIndent ends the answer before the text of the first later line that is indented by
// less than n blanks; it reports whether there is one. The token that holds the text is
// the last.
func cutIndent(g *serve.Generation, n int) bool {
	for at := strings.IndexByte(g.Text, '\n'); at >= 0; {
		from := at + 1
		text := from + len(g.Text[from:]) - len(strings.TrimLeft(g.Text[from:], " \t"))
		if text < len(g.Text) && text-from < n {
			g.Cut(text, text+1)
			return true
		}
		next := strings.IndexByte(g.Text[from:], '\n')
		if next < 0 {
			return false
		}
		at = from + next
	}
	return false
}
