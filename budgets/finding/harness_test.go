package finding

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/fault"
	"halfsecond/mockllm/server"
	"halfsecond/mockllm/server/memnet"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/pipeline/endpoint/probe"
	"halfsecond/pipeline/endpoint/probe/seen"
)

// examine probes a server of h in a bubble and returns what was seen and found. The
// config may be changed before.
func examine(t *testing.T, h http.Handler, change func(*probe.Config)) (e *seen.Endpoint, found []Finding) {
	t.Helper()
	return examineFor(t, h, time.Hour, change)
}

// examineFor is examine for a user who has enough after a while.
func examineFor(t *testing.T, h http.Handler, while time.Duration, change func(*probe.Config)) (e *seen.Endpoint, found []Finding) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), while)
		defer cancel()
		ln := memnet.Listen()
		var group sync.WaitGroup
		s := &http.Server{Handler: readFirst(h, &group)}
		group.Go(func() { _ = s.Serve(ln) }) // ends with Close
		e, found = ask(ctx, t, ln, change)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		group.Wait()
	})
	return e, found
}

// readFirst reads the body of a request before h sees it: only then does the server
// notice that a client hangs up. The group waits for the handlers.
func readFirst(h http.Handler, group *sync.WaitGroup) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		group.Add(1)
		defer group.Done()
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		h.ServeHTTP(w, r)
	})
}

// examineMock probes a mock with these faults: first token after 100 ms, then one every
// 20 ms, and 60 of them.
func examineMock(t *testing.T, p dialect.Protocol, change func(*probe.Config), faults ...string) (e *seen.Endpoint, found []Finding) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		ln := memnet.Listen()
		s := newMock(t, faults)
		ended := make(chan error)
		go func() { ended <- s.Run(ctx, ln) }()
		e, found = ask(t.Context(), t, ln, func(c *probe.Config) {
			c.Endpoint.Protocol = p
			if change != nil {
				change(c)
			}
		})
		stop()
		if err := <-ended; err != nil && !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return e, found
}

func newMock(t *testing.T, faults []string) *server.Server {
	t.Helper()
	s, err := server.New(server.Config{Loop: pipeline.NewWall(), Seed: 1, Models: []server.Model{{
		Name: "m", Context: 4096, Build: func(l pipeline.Scheduler) engine.Engine {
			return engine.NewSlots(l, engine.SlotsConfig{Service: engine.Fixed{TTFT: 100 * time.Millisecond, TPOT: 20 * time.Millisecond}, Slots: 1, MaxContext: 4096})
		},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	var rules []fault.Rule
	for _, text := range faults {
		r, err := fault.ParsePhrase(text)
		if err != nil {
			t.Fatal(err)
		}
		rules = append(rules, r)
	}
	if err := s.Faults.Replace(rules...); err != nil {
		t.Fatal(err)
	}
	return s
}

func ask(ctx context.Context, t *testing.T, ln *memnet.Listener, change func(*probe.Config)) (*seen.Endpoint, []Finding) {
	t.Helper()
	c := probe.Config{
		Endpoint: endpoint.Config{URL: "http://llm.test", Protocol: dialect.OpenAIChat, DialContext: ln.DialContext},
		Requests: 4, Answer: 60, Salt: 7,
	}
	if change != nil {
		change(&c)
	}
	e, err := probe.Run(ctx, c)
	if err != nil {
		t.Error(err)
		return &seen.Endpoint{}, nil
	}
	return e, Of(e)
}

// render writes findings as a reader sees them.
func render(found []Finding) string {
	var b strings.Builder
	for _, f := range found {
		fmt.Fprintf(&b, "%s, %s, costs %s\n  %s\n", f.ID, f.Severity, ms(f.Cost), f.Title)
		for _, e := range f.Evidence {
			fmt.Fprintf(&b, "  seen: %s\n", e)
		}
		fmt.Fprintf(&b, "  fix: %s\n", f.Fix)
	}
	return b.String()
}

// ids returns the names of findings, in order.
func ids(found []Finding) string {
	var all []string
	for _, f := range found {
		all = append(all, f.ID)
	}
	return strings.Join(all, " ")
}

// script is a server of the OpenAI chat API that answers alike each time, with what the
// n-th request, from 1, has of it.
type script struct {
	header map[string]string
	body   func(n int, r *http.Request) []any // pauses and pieces
	gzip   bool                               // compress for those who accept it, without flushing
	zip    bool                               // compress for everybody, flushing

	flushed bool // compress for those who accept it, flushing
	cut     bool // close the connection behind it, without the last chunk

	mu sync.Mutex // guards n
	n  int
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodGet:
		models(w, r)
		return
	case r.URL.Path != "/v1/chat/completions":
		http.NotFound(w, r)
		return
	}
	s.mu.Lock()
	s.n++
	n := s.n
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	for name, value := range s.header {
		w.Header().Set(name, value)
	}
	write, flush := io.Writer(w), w.(http.Flusher).Flush
	if s.zip || (s.gzip || s.flushed) && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		defer z.Close()
		write = z
		flush = func() {
			if s.zip || s.flushed {
				_ = z.Flush()
				w.(http.Flusher).Flush()
			}
		}
	}
	for _, p := range s.body(n, r) {
		switch p := p.(type) {
		case time.Duration:
			if !wait(r, p) {
				return
			}
		case string:
			if _, err := io.WriteString(write, p); err != nil {
				return
			}
			flush()
		}
	}
	if s.cut {
		panic(http.ErrAbortHandler)
	}
}

// endless says a word each so often, after its first words, and never ends.
type endless struct {
	begin string
	every time.Duration
	word  string
}

func (e endless) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		models(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if !wait(r, begin) {
		return
	}
	for text := e.begin + e.word; ; text = e.word {
		if _, err := io.WriteString(w, text); err != nil {
			return
		}
		w.(http.Flusher).Flush()
		if !wait(r, e.every) {
			return
		}
	}
}

// wait reports whether the client is still there after a while.
func wait(r *http.Request, while time.Duration) bool {
	select {
	case <-time.After(while):
		return true
	case <-r.Context().Done():
		return false
	}
}

// listing answers a list of models in a way of its own, and everything else as a server
// that does well.
type listing struct {
	script
	list http.HandlerFunc
}

func (l *listing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		l.list(w, r)
		return
	}
	if body, _ := io.ReadAll(r.Body); string(body) == "{}" {
		status(http.StatusBadRequest, `{"error":{"message":"Missing required parameter: 'messages'."}}`).ServeHTTP(w, r)
		return
	}
	l.script.ServeHTTP(w, r)
}

// fails is a list of models that is not given.
func fails(code int, header ...string) *listing {
	return &listing{script: script{body: always(good(20))}, list: func(w http.ResponseWriter, r *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		status(code, `{"error":{"message":"Not now."}}`).ServeHTTP(w, r)
	}}
}

// models answers with the list of one model.
func models(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/v1/models" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"m","object":"model"}]}`)
}

const (
	begin = 100 * time.Millisecond
	gap   = 20 * time.Millisecond
	role  = "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\"}}]}\n\n"
	stop  = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
	done  = "data: [DONE]\n\n"

	broken = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\x1b[31mred\"}}\n\n"
)

func delta(text string) string {
	return fmt.Sprintf("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", text)
}

func usage(prompt, cached, completion, reasoning int) string {
	return fmt.Sprintf("data: {\"choices\":[],\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":%d,\"prompt_tokens_details\":{\"cached_tokens\":%d},\"completion_tokens_details\":{\"reasoning_tokens\":%d}}}\n\n",
		prompt, completion, cached, reasoning)
}

// odd is a usage object as some servers write it, and others do not.
func odd(members string) string { return "data: {\"choices\":[],\"usage\":{" + members + "}}\n\n" }

// chunks are n deltas, one a gap.
func chunks(n int) (p []any) {
	for i := range n {
		if i > 0 {
			p = append(p, gap)
		}
		p = append(p, delta(" word"))
	}
	return p
}

// good is a stream of n tokens in which nothing is wrong.
func good(n int) []any { return join(begin, role, chunks(n), stop, usage(200, 0, n, 0), done) }

// join puts pauses, pieces and lists of them into one list.
func join(parts ...any) (all []any) {
	for _, p := range parts {
		if list, ok := p.([]any); ok {
			all = append(all, list...)
		} else {
			all = append(all, p)
		}
	}
	return all
}

// always answers every request alike.
func always(p ...any) func(int, *http.Request) []any {
	body := join(p...)
	return func(int, *http.Request) []any { return body }
}
