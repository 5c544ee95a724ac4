package fault

import (
	"context"
	"net/http"
	"time"

	"halfsecond/pipeline"
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
	plan    *Plan   // nil when nothing goes wrong
	said    *Answer // what a rule answered in a front's place; nil for nothing
	read    bool    // the body has been looked into
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
	if model, tokens := v.set.wants(v.query); model || tokens {
		v.look(tokens)
	}
	v.plan = v.set.plan(v.query, own)
	return true
}

// look looks into the body, if there is one and it was not.
func (v *visit) look(tokens bool) {
	if !v.read && v.r.Body != nil && v.r.ContentLength != 0 {
		v.read = true
		v.query.read(v.w, v.r, v.set.config.MaxBody, tokens)
	}
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
	if p.wait > 0 || p.effects.SlowHeaders > 0 {
		v.look(false) // a server notices that its client has left when it has read all of a request
	}
	if p.effects.HTTP10 {
		// The server looks at the request when it writes the status line, so the request
		// itself is changed and no copy.
		v.r.Proto, v.r.ProtoMajor, v.r.ProtoMinor = "HTTP/1.0", 1, 0
	}
	ctx, cancel := context.WithCancel(context.WithValue(v.r.Context(), planKey{}, p))
	defer cancel()
	if !v.load(ctx) {
		v.tell(Answer{Message: "hung up while the model was loaded", Left: true})
		panic(http.ErrAbortHandler) // no answer, rather than an empty one
	}
	out := newWriter(ctx, cancel, p, v)
	defer v.settle(out) // when it is closed
	defer out.close()
	switch {
	case p.effects.Refuse != nil:
		v.set.refuseFor(p.effects.Refuse.For)
		out.reset()
		v.said = &Answer{Message: "connections are refused"}
	case p.effects.Reset != "":
		out.reset()
		v.said = &Answer{Message: "the connection was reset"}
	case p.refusal != nil:
		p.refusal.write(out, v.query.Protocol, time.Now())
		v.said = &Answer{Status: p.refusal.status, Message: p.refusal.said()}
	default:
		v.r.Header.Del("Sec-Websocket-Extensions") // messages are changed, so none is compressed
		out.serve(next, v.r.WithContext(ctx))
	}
}

// load waits for the model, where a rule has it loaded, and reports whether the client
// did too.
func (v *visit) load(ctx context.Context) bool {
	if v.plan.wait == 0 {
		return true
	}
	if waits := v.set.config.Waits; waits != nil {
		defer waits(v.about(Answer{Message: "the model is loaded"}))()
	}
	return sleep(ctx, v.plan.wait)
}

// settle tells those who want to know what the client saw.
func (v *visit) settle(out *writer) {
	d := out.delivery(v.set.config.Now())
	v.plan.settle(d)
	if v.said != nil {
		v.said.Left = d.Left != pipeline.Unknown
		v.tell(*v.said)
	}
}

// tell tells of a request that no front saw, and of which the rest is known.
func (v *visit) tell(a Answer) {
	if tell := v.set.config.Answered; tell != nil {
		tell(v.about(a))
	}
}

// about adds what is known of the request.
func (v *visit) about(a Answer) Answer {
	a.Query, a.Rules, a.Arrived, a.Ended = *v.query, v.plan.Rules(), v.arrived, v.set.config.Now()
	return a
}

// refuseFor has connections refused for a while.
func (s *Set) refuseFor(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse(d)
}
