package fault

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"halfsecond/pipeline/dist"
)

// Plan is what goes wrong with one request. A nil Plan is one with which nothing does.
// It belongs to the request's handler.
type Plan struct {
	effects Effects
	query   *Query
	id      int      // the number of the request among those with a plan
	rules   []string // the names of those that apply
	refusal *refusal // the answer in place of the front's, or nil
	quotas  []quota  // to be told of in the headers
	wait    time.Duration
	warmed  []*warmth // models that this request keeps loaded
	drops   dist.Rand // draws of messages to drop
	doubles dist.Rand // and to send twice

	steps
	next int // the token that the next write ends with, as Advance was told; 0 before

	held atomic.Bool // bytes were held back

	mu       sync.Mutex       // guards what follows
	told     []func(Delivery) // to be told of the delivery
	delivery *Delivery        // nil until the request has ended
}

// steps are the effects that wait for a token; one whose number is 0 is none.
type steps struct {
	stall     Stall
	cut       Cut
	malformed Malformed
	oversized Oversized
	failing   Error
	end       End

	tokens []int // that something happens at, ascending
}

func newSteps(e *Effects) steps {
	s := steps{value(e.Stall), value(e.Cut), value(e.Malformed), value(e.Oversized), value(e.Error), value(e.End), nil}
	for _, at := range []int{s.stall.At, s.cut.At, s.malformed.At, s.oversized.At, s.failing.At, s.end.At} {
		if at > 0 {
			s.tokens = append(s.tokens, at)
		}
	}
	slices.Sort(s.tokens)
	return s
}

// value returns what a pointer points to, or zero.
func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

type planKey struct{}

// From returns the plan of a request's context, nil when nothing goes wrong with it.
func From(ctx context.Context) *Plan {
	p, _ := ctx.Value(planKey{}).(*Plan)
	return p
}

// Rules returns the names of the rules that apply to the request, "" for none.
func (p *Plan) Rules() string {
	if p == nil {
		return ""
	}
	return strings.Join(p.rules, ", ")
}

// Holds reports whether rules have held back bytes of the answer. When those and the ones
// behind them leave says nothing of how exact the server is.
func (p *Plan) Holds() bool { return p != nil && p.held.Load() }

// hold says that bytes are held back from now on.
func (p *Plan) hold() { p.held.Store(true) }

// Advance is for fronts that count tokens. Of those up to due, which may be written in
// events of chunk tokens, written ones have been. It returns how many shall be when the
// next write is through, so that whatever goes wrong at a token goes wrong with a write
// of its own, and takes that write to end with this token. Writes of which it is not
// told count as one token each.
func (p *Plan) Advance(written, due, chunk int) int {
	if p == nil || len(p.tokens) == 0 {
		return due
	}
	p.next = due
	for _, k := range p.tokens {
		if k <= written || k > due {
			continue
		}
		before := written + (k-1-written)/chunk*chunk // the end of the event before k's
		if p.next = before; before == written {
			p.next = min(written+chunk, due)
		}
		break
	}
	return p.next
}

// failure returns the error that comes in place of a token.
func (p *Plan) failure() failure {
	return failure{status: 500, kind: p.failing.Kind, message: p.failing.Message, id: p.requestID()}
}

// requestID returns an id in the form that services give requests.
func (p *Plan) requestID() string { return fmt.Sprintf("00000000-0000-4000-8000-%012x", p.id) }

// sleep waits, and reports whether it did for all of the time.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
