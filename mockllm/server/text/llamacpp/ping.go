package llamacpp

import (
	"net/http"
	"sync"
	"time"

	"halfsecond/mockllm/server/text/serve"
	"halfsecond/pipeline/wire/llamacpp"
)

// pinger is the response to a streamed answer, in which a comment goes out whenever
// nothing else did for long, so that clients and proxies keep the connection. Before the
// headers there is nothing to keep.
type pinger struct {
	http.ResponseWriter
	serve.Sender
	every time.Duration

	mu    sync.Mutex  // guards writing and what follows
	timer *time.Timer // nil before the headers and when all is said
}

// newPinger returns a pinger of so many seconds, or of as many as llama.cpp's server
// takes by itself; 0 or less sends none.
func newPinger(w http.ResponseWriter, r *http.Request, seconds *int) *pinger {
	every := llamacpp.DefaultPingInterval
	if seconds != nil {
		every = *seconds
	}
	return &pinger{ResponseWriter: w, Sender: serve.NewSender(w, r), every: time.Duration(every) * time.Second}
}

// Write implements io.Writer. It must not be called after stop.
func (p *pinger) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wait()
	return p.ResponseWriter.Write(b)
}

// WriteHeader implements http.ResponseWriter.
func (p *pinger) WriteHeader(status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wait()
	p.ResponseWriter.WriteHeader(status)
}

// wait begins to wait for silence anew; the caller holds the lock.
func (p *pinger) wait() {
	if p.timer == nil && p.every > 0 {
		p.timer = time.AfterFunc(p.every, p.ping)
	} else if p.timer != nil {
		p.timer.Reset(p.every)
	}
}

// FlushError sends what was written.
func (p *pinger) FlushError() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.Flush()
}

// Unwrap lets deadlines through; see http.ResponseController.
func (p *pinger) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// ping sends the comment, unless the answer has ended.
func (p *pinger) ping() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer == nil {
		return
	}
	p.timer.Reset(p.every)
	_ = p.Send(p.ResponseWriter, []byte(llamacpp.Ping)) // who writes the next token sees that a client is gone
}

// stop ends the comments: none is under way when it returns.
func (p *pinger) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
}
