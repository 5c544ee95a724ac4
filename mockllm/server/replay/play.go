package replay

import (
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/exchange"
)

// play is an answer on its way. Its steps are the headers, each read of whom it was
// recorded from, and the end. The loop counts the steps that are due and kicks; the handler
// takes all that are.
type play struct {
	x    *exchange.Exchange
	due  []time.Duration // instants of the steps, on the loop's clock
	come atomic.Int64    // steps that are due by now
	gone atomic.Bool     // nobody takes them any more
	wake chan struct{}   // holds one kick
	rest []byte          // of the body, that the handler has not written
}

// newPlay returns the answer to a request that arrived at that instant: each step is as
// long after it as it was after the recorded one was sent.
func newPlay(x *exchange.Exchange, arrived time.Duration) *play {
	p := &play{x: x, rest: x.Body, wake: make(chan struct{}, 1), due: make([]time.Duration, 0, len(x.Reads)+2)}
	add := func(at time.Duration) {
		due := arrived
		if at != pipeline.Unknown {
			due += max(0, at-x.Sent)
		}
		if n := len(p.due); n > 0 {
			due = max(due, p.due[n-1])
		}
		p.due = append(p.due, due)
	}
	add(x.Answered)
	for _, r := range x.Reads {
		add(r.At)
	}
	if x.How == exchange.Open { // its client knew enough then
		add(pipeline.Unknown)
	} else {
		add(x.End)
	}
	return p
}

// tick runs on the loop when a step is due, and has itself run at the next.
func (p *play) tick(loop *pipeline.Wall) {
	n := int(p.come.Load())
	for n < len(p.due) && p.due[n] <= loop.Now() {
		n++
	}
	p.come.Store(int64(n))
	select {
	case p.wake <- struct{}{}:
	default:
	}
	if n < len(p.due) && !p.gone.Load() {
		loop.At(p.due[n], pipeline.RankOutput, func() { p.tick(loop) })
	}
}

// play writes the answer to a request that arrived at that instant.
func (s *Server) play(w http.ResponseWriter, r *http.Request, x *exchange.Exchange, arrived time.Duration) {
	p, loop := newPlay(x, arrived), s.config.Loop
	defer p.gone.Store(true)
	if !loop.Post(arrived, func() { p.tick(loop) }) {
		panic(http.ErrAbortHandler) // the server ends
	}
	out := http.NewResponseController(w)
	for done := 0; done < len(p.due); {
		select {
		case <-p.wake:
		case <-r.Context().Done():
			panic(http.ErrAbortHandler)
		}
		for ; done < int(p.come.Load()); done++ {
			if !p.step(w, done) || out.Flush() != nil {
				return
			}
			s.Writes.Add(loop.Elapsed() - p.due[done])
		}
	}
}

// step takes the step of that number. It reports false when there is nothing more to write.
func (p *play) step(w http.ResponseWriter, n int) bool {
	x := p.x
	switch read := n - 1; {
	case n == 0:
		setHeaders(w.Header(), x)
		w.WriteHeader(x.Status)
		return true
	case read < len(x.Reads):
		now := p.rest[:x.Reads[read].Bytes]
		p.rest = p.rest[len(now):]
		_, err := w.Write(now)
		return err == nil
	case x.How == exchange.Reset:
		panic(http.ErrAbortHandler)
	}
	return false
}

// hopByHop are headers of one connection, which a server sets itself.
var hopByHop = []string{"Connection", "Keep-Alive", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// setHeaders sets the recorded headers and no others. A length that the body does not have
// is left out, unless the body broke off for want of it.
func setHeaders(h http.Header, x *exchange.Exchange) {
	h["Date"], h["Content-Type"] = nil, nil
	for _, f := range x.Headers {
		h[http.CanonicalHeaderKey(f[0])] = append(h[http.CanonicalHeaderKey(f[0])], f[1])
	}
	for _, name := range hopByHop {
		h.Del(name)
	}
	if n := strings.TrimSpace(h.Get("Content-Length")); n != "" && x.How != exchange.Reset && n != strconv.Itoa(len(x.Body)) {
		h.Del("Content-Length")
	}
}
