package replay

import (
	"slices"
	"sync"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/exchange"
	"halfsecond/pipeline/quantile"
)

// shelf holds exchanges for requests to take.
type shelf struct {
	mu    sync.Mutex         // guards the places of the rings
	paths map[string]*ring   // by method and path
	asks  map[question]*ring // by what was asked there
	order []string           // of paths, as they come in the file
}

// question is a request, its headers aside.
type question struct{ path, hash string }

// ring gives exchanges in order, round and round.
type ring struct {
	all  []*exchange.Exchange
	next int
}

func (r *ring) take() *exchange.Exchange {
	x := r.all[r.next]
	r.next = (r.next + 1) % len(r.all)
	return x
}

func newShelf(all []*exchange.Exchange) *shelf {
	s := &shelf{paths: map[string]*ring{}, asks: map[question]*ring{}}
	for _, x := range all {
		path := x.Method + " " + x.Path
		if s.paths[path] == nil {
			s.paths[path] = &ring{}
			s.order = append(s.order, path)
		}
		s.paths[path].all = append(s.paths[path].all, x)
		a := question{path, x.AskHash()}
		if s.asks[a] == nil {
			s.asks[a] = &ring{}
		}
		s.asks[a].all = append(s.asks[a].all, x)
	}
	return s
}

// take returns the exchange that answers a request: the next of those that asked the very
// same there, or else the next of that path; nil when there is none.
func (s *shelf) take(method, path string, body []byte) *exchange.Exchange {
	path = method + " " + path
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.asks[question{path, exchange.Hash(body)}]; r != nil {
		return r.take()
	}
	if r := s.paths[path]; r != nil {
		return r.take()
	}
	return nil
}

// names returns the methods and paths that have exchanges.
func (s *shelf) names() []string { return slices.Clone(s.order) }

// Path is what is recorded of one method and path.
type Path struct {
	Name      string // "POST /v1/chat/completions"
	Protocols []string
	Models    []string
	N         int
	FirstByte time.Duration // median since the request was sent; Unknown when there are too few
}

// Paths returns what is recorded, in the order of its first coming.
func (s *Server) Paths() []Path {
	var all []Path
	for _, name := range s.shelf.order {
		p := Path{Name: name, FirstByte: pipeline.Unknown}
		var waits []float64
		for _, x := range s.shelf.paths[name].all {
			p.N++
			p.Protocols, p.Models = with(p.Protocols, x.Protocol), with(p.Models, x.Model)
			if len(x.Reads) > 0 {
				waits = append(waits, float64(x.Reads[0].At-x.Sent))
			}
		}
		if v, ok := quantile.Of(waits, quantile.P50); ok {
			p.FirstByte = time.Duration(v)
		}
		all = append(all, p)
	}
	return all
}

// with returns a list with a name, which it has at most once.
func with(names []string, name string) []string {
	if name == "" || slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}
