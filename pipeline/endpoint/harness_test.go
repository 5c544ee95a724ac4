package endpoint

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/dialect"
)

var (
	_ Loop         = (*pipeline.Wall)(nil)
	_ pipeline.LLM = (*Client)(nil)
)

// memory is a net.Listener whose connections never leave the process.
type memory struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newMemory() *memory {
	return &memory{conns: make(chan net.Conn), closed: make(chan struct{})}
}

func (m *memory) Accept() (net.Conn, error) {
	select {
	case c := <-m.conns:
		return c, nil
	case <-m.closed:
		return nil, net.ErrClosed
	}
}

func (m *memory) Close() error {
	m.once.Do(func() { close(m.closed) })
	return nil
}

func (m *memory) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "unix"} }

// dial has the signature of Config.DialContext.
func (m *memory) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case m.conns <- server:
		return client, nil
	case <-m.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// testLoop is a Loop that runs what is posted, in order, on one goroutine.
type testLoop struct {
	origin time.Time
	posts  chan func()
	ended  chan struct{}
}

func newTestLoop() *testLoop {
	return &testLoop{origin: time.Now(), posts: make(chan func(), 1024), ended: make(chan struct{})}
}

func (l *testLoop) Now() time.Duration     { return l.Elapsed() }
func (l *testLoop) Elapsed() time.Duration { return time.Since(l.origin) }

func (l *testLoop) Post(_ time.Duration, f func()) bool {
	select {
	case <-l.ended:
		return false
	case l.posts <- f:
		return true
	}
}

func (l *testLoop) run() {
	for {
		select {
		case f := <-l.posts:
			f()
		case <-l.ended:
			return
		}
	}
}

// do runs f on the loop and waits for it.
func (l *testLoop) do(f func()) {
	ran := make(chan struct{})
	l.Post(0, func() { f(); close(ran) })
	<-ran
}

// bench is a client with its loop.
type bench struct {
	loop   *testLoop
	client *Client
	memory *memory
}

// bubble runs f in a synctest bubble with a client of a server that serves h. The
// config may be changed before the client is made.
func bubble(t *testing.T, h http.HandlerFunc, change func(*Config), f func(t *testing.T, b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &bench{loop: newTestLoop(), memory: newMemory()}
		var group sync.WaitGroup
		server := &http.Server{Handler: readFirst(h, &group)}
		group.Go(func() { _ = server.Serve(b.memory) }) // ends with Close
		group.Go(b.loop.run)
		b.client = newTestClient(t, b.loop, b.memory, change)
		f(t, b)
		b.client.Close()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		close(b.loop.ended)
		group.Wait()
	})
}

// readFirst reads the body of a request before h sees it: only then does the server
// notice that a client hangs up. The group waits for the handlers.
func readFirst(h http.HandlerFunc, group *sync.WaitGroup) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		group.Add(1)
		defer group.Done()
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		h(w, r)
	}
}

func newTestClient(t *testing.T, l Loop, m *memory, change func(*Config)) *Client {
	t.Helper()
	config := Config{URL: "http://llm.test/v1", Protocol: dialect.OpenAIChat, Model: "m", DialContext: m.dial}
	if change != nil {
		change(&config)
	}
	c, err := NewClient(config, l)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// asked is a call and what its callbacks told.
type asked struct {
	pipeline.Call
	notes  []string
	done   chan struct{} // closed by Done
	doneAt time.Duration
}

// ask starts a call on the loop.
func (b *bench) ask() *asked {
	a := &asked{done: make(chan struct{})}
	a.Call = pipeline.Call{
		PromptTokens: 10, OutputTokens: 4, MaxTokens: 8,
		Prompt: func() pipeline.Prompt { return pipeline.Prompt{Chat: true, Text: "Hello"} },
		Answer: func() string { return "Good day" },
		Notify: func(p pipeline.Progress) {
			a.notes = append(a.notes, fmt.Sprintf("%d %q at %s", p.Tokens, p.Text, b.loop.Elapsed()))
		},
		Done:   func() { a.doneAt = b.loop.Elapsed(); close(a.done) }, // panics when called twice
		Record: pipeline.NewRequest(1, b.loop.Elapsed()),
	}
	b.loop.do(func() { b.client.Start(&a.Call) })
	return a
}

// wait waits for the end of a call.
func (a *asked) wait() *pipeline.Request {
	<-a.done
	return &a.Record
}

// cancel cancels a call on the loop.
func (b *bench) cancel(a *asked) {
	b.loop.do(func() { b.client.Cancel(&a.Call) })
}

// stream is a handler that streams the texts, each after the pause before it.
func stream(pieces ...any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, p := range pieces {
			switch p := p.(type) {
			case time.Duration:
				select {
				case <-time.After(p):
				case <-r.Context().Done():
					return
				}
			case string:
				if _, err := w.Write([]byte(p)); err != nil {
					return
				}
				w.(http.Flusher).Flush()
			}
		}
	}
}

// event returns an event with that data.
func event(data string) string { return "data: " + data + "\n\n" }

// delta returns an event with one choice that has these members in its delta.
func delta(members string) string {
	return event(`{"choices":[{"index":0,"delta":{` + members + `},"finish_reason":null}]}`)
}

const (
	stop = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
	done = "data: [DONE]\n\n"
)
