package fault

import (
	"context"
	"net/http"
	"time"
)

// Middleware returns a handler that serves by next and lets requests go wrong as the
// rules say, whatever protocol they speak. The server's own pages under the path of the
// admin API never do.
func (s *Set) Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		phrase := r.Header.Get(Header)
		if phrase == "" && !s.armed.Load() || isAdmin(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		v := &visit{set: s, w: w, r: r, query: look(r), arrived: s.config.Now()}
		if v.open(phrase) {
			v.serve(next)
		}
	})
}

// visit is one request on its way through the rules.
type visit struct {
	set     *Set
	w       http.ResponseWriter
	r       *http.Request
	query   *Query
	arrived time.Duration
	plan    *Plan // nil when nothing goes wrong
}

// open makes the plan. It reports false when the phrase of the request's header is none
// and the client has been told so.
func (v *visit) open(phrase string) bool {
	var own *Rule
	if phrase != "" {
		rule, err := forRequest(phrase)
		if err != nil {
			answer := &refusal{failure: failure{status: http.StatusBadRequest, message: err.Error(), id: "00000000-0000-4000-8000-000000000000"}}
			answer.write(v.w, v.query.Protocol, time.Now())
			return false
		}
		own = &rule
	}
	if model, tokens := v.set.wants(v.query); (model || tokens) && v.r.Body != nil && v.r.ContentLength != 0 {
		v.query.read(v.w, v.r, v.set.config.MaxBody, tokens)
	}
	v.plan = v.set.plan(v.query, own)
	return true
}

// wants reports what the rules need that only a request's body tells.
func (s *Set) wants(q *Query) (model, tokens bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.models && q.Model == "", s.tokens
}

// serve lets the request go wrong.
func (v *visit) serve(next http.Handler) {
	p := v.plan
	if p == nil {
		next.ServeHTTP(v.w, v.r)
		return
	}
	defer v.set.end(p)
	if p.effects.HTTP10 {
		// The server looks at the request when it writes the status line, so the request
		// itself is changed and no copy.
		v.r.Proto, v.r.ProtoMajor, v.r.ProtoMinor = "HTTP/1.0", 1, 0
	}
	ctx, cancel := context.WithCancel(context.WithValue(v.r.Context(), planKey{}, p))
	defer cancel()
	if !sleep(ctx, p.wait) {
		v.tell(Answer{Message: "hung up while the model was loaded", Left: true})
		panic(http.ErrAbortHandler) // no answer, rather than an empty one
	}
	out := newWriter(ctx, cancel, p, v.w, v.r)
	defer out.close()
	switch {
	case p.effects.Refuse != nil:
		v.set.refuseFor(p.effects.Refuse.For)
		out.reset()
		v.tell(Answer{Message: "connections are refused"})
	case p.effects.Reset != "":
		out.reset()
		v.tell(Answer{Message: "the connection was reset"})
	case p.refusal != nil:
		p.refusal.write(out, v.query.Protocol, time.Now())
		v.tell(Answer{Status: p.refusal.status, Message: p.refusal.said()})
	default:
		v.r.Header.Del("Sec-Websocket-Extensions") // messages are changed, so none is compressed
		out.serve(next, v.r.WithContext(ctx))
	}
}

// tell tells of a request that no front saw, and of which the rest is known.
func (v *visit) tell(a Answer) {
	if tell := v.set.config.Answered; tell != nil {
		a.Query, a.Rules, a.Arrived, a.Ended = *v.query, v.plan.Rules(), v.arrived, v.set.config.Now()
		tell(a)
	}
}

// refuseFor has connections refused for a while.
func (s *Set) refuseFor(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse(d)
}
