package probe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/pipeline/endpoint/probe/seen"
	"halfsecond/pipeline/endpoint/reply"
)

// finder finds out what the user did not say of an endpoint.
type finder struct {
	ctx    context.Context
	config endpoint.Config // as far as it is known
	seen   *seen.Endpoint
	lists  map[string]endpoint.Look // by URL, so that none is asked for twice
}

// find sets protocol and model. Where no model can be found because the endpoint does not
// answer as it should, it sets none; the error says what the user must add.
func (f *finder) find() error {
	f.lists = map[string]endpoint.Look{}
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
	if f.seen.Looks[0].Status == 0 {
		f.config.Protocol = candidates[0]
		return seen.Assumed, nil
	}
	for i, p := range candidates {
		there, err := f.there(p)
		if err != nil {
			return "", err
		}
		if there {
			f.config.Protocol = p
			if listed && i == 0 {
				return seen.List, nil
			}
			return seen.Answer, nil
		}
	}
	f.config.Protocol = candidates[0]
	if listed {
		return seen.List, nil
	}
	return seen.Assumed, nil
}

// pathProtocol returns the protocol whose place a URL names in full.
func pathProtocol(text string) (dialect.Protocol, bool) {
	u, err := url.Parse(text)
	if err != nil {
		return "", false
	}
	if _, ok := geminiModel(u.Path); ok {
		return dialect.Gemini, true
	}
	chat, err := dialect.Of(dialect.OpenAIChat)
	if err != nil {
		return "", false
	}
	_, p, ok := chat.AtPath(strings.TrimRight(u.Path, "/"))
	return p, ok
}

// geminiModel returns the name of the model in the path of a request to the Gemini API.
func geminiModel(path string) (string, bool) {
	_, last, ok := strings.Cut(path, "/models/")
	name, method, found := strings.Cut(last, ":")
	return name, ok && found && method == "streamGenerateContent"
}

// cutModel makes the URL of a request to the Gemini API that of the API, since the model
// is part of the former.
func (f *finder) cutModel() {
	u, err := url.Parse(f.config.URL)
	if err != nil {
		return
	}
	name, ok := geminiModel(u.Path)
	if !ok {
		return
	}
	if f.config.Model == "" {
		f.config.Model = name
	}
	u.Path, _, _ = strings.Cut(u.Path, "/models/")
	u.RawPath = ""
	f.config.URL = u.String()
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
// comes; where none does, all that there are.
func (f *finder) byLists() (candidates []dialect.Protocol, listed bool, err error) {
	for _, p := range []dialect.Protocol{dialect.OpenAIChat, dialect.OllamaChat, dialect.Gemini} {
		l, err := f.list(p)
		if err != nil {
			return nil, false, err
		}
		if l.Status == 0 {
			break
		}
		if shape := shape(l.Body); shape != "" {
			return families[shape], true, nil
		}
	}
	var all []dialect.Protocol
	for _, name := range dialect.Names() {
		all = append(all, dialect.Protocol(name))
	}
	return all, false, nil
}

// list asks for the list of models of a protocol, once.
func (f *finder) list(p dialect.Protocol) (endpoint.Look, error) {
	c := f.config
	c.Protocol = p
	key := string(p) + " " + c.URL
	if l, asked := f.lists[key]; asked {
		return l, nil
	}
	l, err := endpoint.LookAtModels(f.ctx, c)
	if err != nil {
		return l, err
	}
	f.lists[key] = l
	f.note(l)
	return l, nil
}

// there reports whether the server has the place where completions of a protocol are
// asked for.
func (f *finder) there(p dialect.Protocol) (bool, error) {
	c := f.config
	c.Protocol = p
	l, err := endpoint.LookAtCompletions(f.ctx, c)
	if err != nil {
		return false, err
	}
	f.note(l)
	return exists(l), nil
}

// exists reports whether a place answers as one that is there: it may refuse the request,
// and may not know the model.
func exists(l endpoint.Look) bool {
	switch l.Status {
	case http.StatusNotFound:
		return seen.AboutModel(reply.StatusMessage(l.Status, l.Body))
	case 0, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return false
	}
	return l.Status < 300 && l.Type != "text/html" || l.Status >= 400
}

// note keeps what was asked.
func (f *finder) note(l endpoint.Look) {
	s := seen.Look{Method: l.Method, URL: l.URL, Status: l.Status, Type: l.Type, To: l.To, Failed: l.Failed}
	if l.Status < 200 || l.Status > 299 {
		s.Message = excerpt(strings.TrimSpace(reply.StatusMessage(l.Status, l.Body)))
	}
	f.seen.Looks = append(f.seen.Looks, s)
}

// errSeveral is in the error of Run where the user must name one of several models.
var errSeveral = errors.New("the endpoint has several models")

// model finds the model.
func (f *finder) model() error {
	d, err := dialect.Of(f.config.Protocol)
	if err != nil {
		return err
	}
	if d.Models == "" && f.config.Model == "" {
		f.config.Model, f.seen.ModelBy = "default", seen.Ignored
	}
	if d.Models != "" {
		if err := f.listed(d); err != nil {
			return err
		}
	}
	f.seen.Model = f.config.Model
	if f.seen.ModelBy == "" && f.config.Model != "" {
		f.seen.ModelBy = seen.Told
	}
	return nil
}

// listed takes the model from the list, where it is needed and can be.
func (f *finder) listed(d *dialect.Dialect) error {
	l, err := f.list(d.Protocol)
	if err != nil {
		return err
	}
	names, wrong := d.ModelNames(l.Body)
	if l.Status == http.StatusOK && wrong == nil {
		f.seen.Models = append([]string{}, names...)
	}
	switch {
	case f.config.Model != "":
	case len(f.seen.Models) == 1:
		f.config.Model, f.seen.ModelBy = names[0], seen.Only
	case len(f.seen.Models) > 1:
		return fmt.Errorf("%w; name one of %s", errSeveral, few(names))
	case f.refuses(l):
	default:
		return errors.New("the endpoint lists no model; name one")
	}
	return nil
}

// refuses reports whether the endpoint fails in a way that a name would not cure.
func (f *finder) refuses(l endpoint.Look) bool {
	switch {
	case l.Status == http.StatusOK && l.Type == "application/json":
		return false
	case l.Status == http.StatusNotFound || l.Status == http.StatusMethodNotAllowed || l.Status > 0 && l.Status < 400:
		there, err := f.there(f.config.Protocol)
		return err == nil && !there
	case l.Status == http.StatusUnauthorized || l.Status == http.StatusForbidden:
		there, err := f.there(f.config.Protocol)
		return err == nil && (!there || f.last().Status == l.Status)
	}
	return true
}

// last returns what was asked last.
func (f *finder) last() seen.Look { return f.seen.Looks[len(f.seen.Looks)-1] }

// few returns names for a sentence, not too many.
func few(names []string) string {
	const most = 12
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d others", strings.Join(names[:most], ", "), len(names)-most)
}

// bases are where the APIs of language models usually are on their servers. Ollama's own
// has none.
var bases = []string{"/v1", "/api/v1", "/openai/v1", "/v1beta", ""}

// elsewhere looks for what the user may have meant, where the server has nothing at the
// place that was asked: the same API at another, or another protocol.
func (f *finder) elsewhere() {
	u, err := url.Parse(f.config.URL)
	if err != nil || !f.lost() {
		return
	}
	if f.seen.Models != nil {
		f.speaks()
		return
	}
	own := strings.TrimRight(u.Path, "/")
	for _, path := range append([]string{own + "/v1", strings.TrimSuffix(own, "/v1")}, bases...) {
		at := *u
		at.Path, at.RawPath = path, ""
		if place, ok := f.answersAt(&at); ok && path != own && !slices.Contains(f.seen.Elsewhere, place) {
			f.seen.Elsewhere = append(f.seen.Elsewhere, place)
		}
	}
}

// lost reports whether the server has nothing at the place where it was asked.
func (f *finder) lost() bool {
	if n := len(f.seen.Requests); n > 0 {
		r := &f.seen.Requests[n-1]
		return r.Missing() || r.Refused() && r.Reply.Failure.Kind == reply.BadType
	}
	last := f.last()
	return last.Status == http.StatusNotFound || last.Status == http.StatusMethodNotAllowed || last.Type == "text/html"
}

// speaks looks for other protocols at the same place.
func (f *finder) speaks() {
	if n := len(f.seen.Requests); n == 0 || !f.seen.Requests[n-1].Missing() {
		return
	}
	for _, name := range dialect.Names() {
		p := dialect.Protocol(name)
		if p == f.config.Protocol || p == dialect.Tabby {
			continue // Tabby is asked where OpenAI's completions are
		}
		if there, err := f.there(p); err == nil && there {
			f.seen.Elsewhere = append(f.seen.Elsewhere, seen.Place{URL: f.seen.URL, Protocol: p})
		}
	}
}

// answersAt returns the place of a URL if it answers with a list of models: that of the
// protocol that is meant, or of the commonest.
func (f *finder) answersAt(u *url.URL) (seen.Place, bool) {
	likely := []dialect.Protocol{f.config.Protocol, dialect.OpenAIChat}
	if u.Path == "" {
		likely = []dialect.Protocol{dialect.OllamaChat}
	}
	for _, p := range likely {
		c := f.config
		c.URL, c.Protocol = u.String(), p
		d, err := dialect.Of(p)
		if err != nil || d.Models == "" {
			continue
		}
		l, err := endpoint.LookAtModels(f.ctx, c)
		if err != nil || l.Status != http.StatusOK {
			continue
		}
		if _, err = d.ModelNames(l.Body); err == nil {
			return seen.Place{URL: shown(u), Protocol: p}, true
		}
	}
	return seen.Place{}, false
}

func shown(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
