package probe

import (
	"context"
	"net/http"
	"strings"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/pipeline/endpoint/probe/seen"
	"halfsecond/pipeline/endpoint/reply"
)

// lookFor is how long the first byte of an answer is waited for that needs no model.
const lookFor = 10 * time.Second

// finder finds out what the user did not say of an endpoint. It asks nothing twice, and no
// more once the server says that this was too much, or says nothing.
type finder struct {
	ctx    context.Context
	config endpoint.Config // as far as it is known
	seen   *seen.Endpoint
	lists  map[string]endpoint.Look // what came for lists of models, by where they are
	places map[dialect.Protocol]endpoint.Look
	looked bool          // at the other places of the server
	enough bool          // the server was asked too much, or did not answer:
	stop   endpoint.Look // this is what says so
}

// find sets protocol and model. Where no model can be found because the endpoint does not
// answer as it should, it sets none; the error says what the user must add.
func (f *finder) find() error {
	f.lists, f.places = map[string]endpoint.Look{}, map[dialect.Protocol]endpoint.Look{}
	f.config.Limits = f.config.Limits.WithDefaults()
	f.config.Limits.FirstByte = min(f.config.Limits.FirstByte, lookFor)
	by, err := f.protocol()
	if err != nil {
		return err
	}
	f.seen.Protocol, f.seen.ProtocolBy = f.config.Protocol, by
	return f.model()
}

// protocol finds the protocol and returns how.
func (f *finder) protocol() (by string, err error) {
	if f.config.Protocol != "" {
		return seen.Told, nil
	}
	if p, ok := pathProtocol(f.config.URL); ok {
		f.config.Protocol = p
		f.cutModel()
		return seen.Path, nil
	}
	candidates, listed, err := f.byLists()
	if err != nil {
		return "", err
	}
	return f.byPlaces(candidates, listed)
}

// byPlaces finds the first of the candidates whose place answers. One that refuses
// everybody, or fails, is as likely as any.
func (f *finder) byPlaces(candidates []dialect.Protocol, listed bool) (by string, err error) {
	by = seen.Assumed
	if listed {
		by = seen.List
	}
	for i, p := range candidates {
		if f.enough {
			break
		}
		answer, _, err := f.place(p)
		if err != nil {
			return "", err
		}
		if answer == absent {
			if i == 0 && !listed && f.misplaced(p) {
				break
			}
			continue
		}
		f.config.Protocol = p
		if answer == present && (i > 0 || !listed) {
			by = seen.Answer
		}
		return by, nil
	}
	f.config.Protocol = candidates[0]
	return by, nil
}

// misplaced reports whether the server has neither a list of models nor completions here,
// and its APIs elsewhere, so that no more need be looked for here.
func (f *finder) misplaced(p dialect.Protocol) bool {
	f.config.Protocol = p
	if l, err := f.list(p); err == nil && answerOf(l) == absent {
		f.around()
	}
	f.config.Protocol = ""
	return f.seen.Elsewhere != nil
}

// around looks at the other places of the server.
func (f *finder) around() {
	f.looked = true
	here, err := f.list(f.config.Protocol)
	if err != nil || f.enough {
		return // it has no list, or the server has had enough
	}
	found, asked := endpoint.Elsewhere(f.ctx, f.config, here)
	for _, l := range asked {
		f.note(l)
	}
	f.seen.Elsewhere = found
}

// families are the protocols that a server with such a list of models may speak, the
// likeliest first. Tabby has no list.
var families = map[dialect.Protocol][]dialect.Protocol{
	dialect.OpenAIChat: {dialect.OpenAIChat, dialect.OpenAICompletions, dialect.OpenAIResponses, dialect.MistralFIM, dialect.LlamaCompletion, dialect.LlamaInfill},
	dialect.Anthropic:  {dialect.Anthropic},
	dialect.Gemini:     {dialect.Gemini},
	dialect.OllamaChat: {dialect.OllamaChat, dialect.OllamaGenerate},
}

// byLists asks for the lists of models and returns the protocols that fit the first that
// comes; where none does, all that there are. A server that fails, or refuses, would do so
// for each.
func (f *finder) byLists() (candidates []dialect.Protocol, listed bool, err error) {
	for _, p := range []dialect.Protocol{dialect.OpenAIChat, dialect.OllamaChat, dialect.Gemini} {
		l, err := f.list(p)
		if err != nil {
			return nil, false, err
		}
		if shape := shape(l.Body); shape != "" {
			return families[shape], true, nil
		}
		if f.enough || answerOf(l) == unsure {
			break
		}
	}
	return others(), false, nil
}

// others are all protocols but Tabby's, which is asked where OpenAI's completions are.
func others() []dialect.Protocol {
	var all []dialect.Protocol
	for _, name := range dialect.Names() {
		if p := dialect.Protocol(name); p != dialect.Tabby {
			all = append(all, p)
		}
	}
	return all
}

// list asks for the list of models of a protocol, unless that place was asked before by the
// same header for the key.
func (f *finder) list(p dialect.Protocol) (endpoint.Look, error) {
	c := f.config
	c.Protocol = p
	at, err := endpoint.ModelsURL(c)
	if err != nil {
		return endpoint.Look{}, err
	}
	if d, err := dialect.Of(p); err == nil && f.seen.KeyGiven {
		at += " " + d.KeyHeader
	}
	if l, asked := f.lists[at]; asked {
		return l, nil
	}
	l, err := endpoint.LookAtModels(f.ctx, c)
	if err != nil {
		return l, err
	}
	f.lists[at] = l
	f.note(l)
	return l, nil
}

// place asks whether the server has the place where completions of a protocol are asked
// for.
func (f *finder) place(p dialect.Protocol) (answer, endpoint.Look, error) {
	if l, asked := f.places[p]; asked {
		return answerOf(l), l, nil
	}
	c := f.config
	c.Protocol = p
	l, err := endpoint.LookAtCompletions(f.ctx, c)
	if err != nil {
		return unsure, l, err
	}
	f.places[p] = l
	f.note(l)
	return answerOf(l), l, nil
}

// answer is what a server's answer says of a place.
type answer int

const (
	unsure  answer = iota // it answers so wherever it is asked, as far as one can tell
	present               // there is something; it may refuse an empty request, and may not know the model
	absent                // there is nothing, or a web page
)

func answerOf(l endpoint.Look) answer {
	switch s := l.Status; {
	case s == http.StatusNotFound && seen.AboutModel(reply.StatusMessage(s, l.Body)):
		return present
	case s == http.StatusNotFound, s == http.StatusMethodNotAllowed, s == http.StatusNotImplemented:
		return absent
	case s >= 200 && s < 300 && l.Type == "text/html":
		return absent
	case s == 0, s >= 300 && s < 400, s == http.StatusUnauthorized, s == http.StatusForbidden, s == http.StatusTooManyRequests, s >= 500:
		return unsure
	}
	return present
}

// note keeps what was asked.
func (f *finder) note(l endpoint.Look) {
	if !f.enough && (l.Status == 0 || l.Status == http.StatusTooManyRequests) {
		f.enough, f.stop = true, l
	}
	f.seen.Looks = append(f.seen.Looks, noted(l))
}

func noted(l endpoint.Look) seen.Look {
	s := seen.Look{Method: l.Method, URL: l.URL, Status: l.Status, Type: l.Type, To: l.To, Wait: l.Wait, Headers: l.Headers, Failed: l.Failed}
	if l.Status < 200 || l.Status > 299 {
		s.Message = begins(pipeline.Printable(strings.Join(strings.Fields(reply.StatusMessage(l.Status, l.Body)), " ")), mostWords)
	}
	return s
}

// elsewhere looks for what the user may have meant, where the server has nothing at the
// place that was asked: the same API at another, or another protocol.
func (f *finder) elsewhere() {
	switch {
	case f.enough || f.seen.Elsewhere != nil || !f.lost():
	case f.seen.Models != nil:
		f.speaks()
	case !f.looked:
		f.around()
	}
}

// lost reports whether the server has nothing at the place where it was asked.
func (f *finder) lost() bool {
	if n := len(f.seen.Requests); n > 0 {
		r := &f.seen.Requests[n-1]
		return r.Missing() || r.Refused() && r.Reply.Failure.Kind == reply.BadType
	}
	h := f.seen.Hindrance
	return h != nil && (h.Status == http.StatusNotFound || h.Status == http.StatusMethodNotAllowed || h.Type == "text/html")
}

// speaks looks for other protocols at the same place.
func (f *finder) speaks() {
	if n := len(f.seen.Requests); n == 0 || !f.seen.Requests[n-1].Missing() {
		return
	}
	for _, p := range others() {
		if p == f.config.Protocol || f.enough {
			continue
		}
		if answer, _, err := f.place(p); err == nil && answer == present {
			f.seen.Elsewhere = append(f.seen.Elsewhere, dialect.Place{URL: f.seen.URL, Protocol: p})
		}
	}
}
