package serve

import (
	"net"
	"net/http"
	"strings"

	"halfsecond/mockllm/observe"
	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/server/text/fim"
	"halfsecond/pipeline"
)

// watched is what an observer shall be told of a generation; nil when there is none, or
// nothing for it.
type watched struct {
	observer *observe.Observer
	request  observe.Request
	number   int
}

// observed returns what an observer shall be told of an order that became a generation.
func (s *Service) observed(p *Protocol, r *http.Request, g *Generation, o *Order) *watched {
	if s.Config.Observer == nil {
		return nil
	}
	prompt, ok := o.document()
	if !ok {
		s.Config.Observer.Other()
		return nil
	}
	w := &watched{observer: s.Config.Observer, request: observe.Request{
		Client: client(r), Protocol: p.Name, Model: g.Model.Name, Shared: r.ProtoMajor >= 2,
		Prompt: prompt, CanStream: !p.Whole, Arrived: g.Arrived,
	}}
	if o.Limit != nil {
		w.request.MaxTokens = *o.Limit
	}
	w.request.Connection, w.request.Use = use(r)
	return w
}

// document returns the document that an order is about, and false for one that is about
// none: a conversation, or the warming of a cache.
func (o *Order) document() (p observe.Prompt, ok bool) {
	switch {
	case o.Asked != nil:
		p = *o.Asked
	case o.Hole != nil:
		p = observe.Made(observe.Section{Name: observe.Prefix, Text: o.Hole.Before}, observe.Section{Name: observe.Suffix, Text: o.Hole.After})
	default:
		text := fim.Spell(strings.Join(o.Prompt, ""))
		if p, ok = observe.Split(text); !ok && o.Kind == KindCompletion {
			p = observe.Plain(text)
		}
	}
	return p, p.Before != "" || p.After != ""
}

// client names who asks: its address without the port, and its program.
func client(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	return host + " " + r.UserAgent()
}

// begin tells that the request has arrived.
func (w *watched) begin(streams bool) {
	if w != nil {
		w.request.Streams = streams
		w.number = w.observer.Begin(w.request)
	}
}

// end tells how the request ended.
func (w *watched) end(g *Generation, e ledger.Entry) {
	if w == nil {
		return
	}
	end := observe.End{
		First: e.First, Ended: e.Ended, Left: e.Left, PromptTokens: e.Prompt, Cached: e.Cached, Caches: g.Request.Blocks != nil,
		Generated: e.Generated, AfterLeft: e.AfterLeft, Refused: e.Outcome == pipeline.Refused, Limited: e.Outcome == pipeline.Refused && g.limited(),
	}
	if n := min(e.Generated-e.AfterLeft, len(g.ends)); n > 0 {
		end.Answer = strings.TrimPrefix(g.Between(0, n), g.TextOfKind(Thinking))
	}
	w.observer.Finish(w.number, end)
}
