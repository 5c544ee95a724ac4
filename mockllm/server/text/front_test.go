package text

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/server/memnet"
	"halfsecond/pipeline"
)

// front is a service on a network in memory, with a client, inside a bubble.
type front struct {
	t       *testing.T
	service *Service
	ledger  *ledger.Ledger
	client  *http.Client
}

const unit = time.Millisecond

// fixed is a model with one slot: first token after 100 ms, the others every 10 ms.
func fixed(name string, context int) Model {
	return Model{Name: name, Context: context, Build: func(l pipeline.Scheduler) engine.Engine {
		return engine.NewSlots(l, engine.SlotsConfig{Service: engine.Fixed{TTFT: 100 * unit, TPOT: 10 * unit}, Slots: 1, MaxContext: 1 << 20})
	}}
}

// serve runs f against a service of the configuration, in a bubble.
func serve(t *testing.T, c Config, f func(r *front)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &front{t: t}
		c.Loop = pipeline.NewWall()
		stopped := make(chan struct{})
		c.Stopped = stopped
		c.Ledger = ledger.New(ledger.Config{State: func() map[string]engine.Stats { return r.service.State() }, Began: time.Now()})
		r.ledger = c.Ledger
		var err error
		if r.service, err = New(c); err != nil {
			t.Fatal(err)
		}
		mux := http.NewServeMux()
		r.service.Handle(mux)
		mux.HandleFunc("/", r.service.Unknown)
		ln := memnet.Listen()
		loop, stopLoop := context.WithCancel(t.Context())
		server := &http.Server{Handler: r.service.Shown(mux)}
		var done sync.WaitGroup
		done.Go(func() { _ = server.Serve(ln) }) // it ends when it is closed
		done.Go(func() { _ = c.Loop.Run(loop); close(stopped) })
		transport := &http.Transport{DialContext: ln.DialContext}
		r.client = &http.Client{Transport: transport}
		defer func() {
			transport.CloseIdleConnections()
			if err := server.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
			stopLoop()
			done.Wait()
		}()
		f(r)
	})
}

// do sends a request; a method is POST where there is a body.
func (r *front) do(path, body string) *http.Response {
	r.t.Helper()
	method := "GET"
	if body != "" {
		method = "POST"
	}
	q, err := http.NewRequestWithContext(r.t.Context(), method, "http://mock"+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	a, err := r.client.Do(q)
	if err != nil {
		r.t.Fatal(err)
	}
	return a
}

// lines returns the lines of an answer that are not empty, each with the ms since the
// request was sent.
func (r *front) lines(path, body string) []string {
	r.t.Helper()
	from := time.Now()
	a := r.do(path, body)
	defer a.Body.Close()
	var got []string
	for lines := bufio.NewScanner(a.Body); lines.Scan(); {
		if text := strings.TrimPrefix(lines.Text(), "data: "); text != "" {
			got = append(got, fmt.Sprintf("%d %s", time.Since(from)/unit, text))
		}
	}
	return got
}

// whole returns an answer with its status and the ms it took.
func (r *front) whole(path, body string) string {
	r.t.Helper()
	from := time.Now()
	a := r.do(path, body)
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil {
		r.t.Error(err)
	}
	return fmt.Sprintf("%d %d %s", time.Since(from)/unit, a.StatusCode, strings.TrimSpace(string(text)))
}

// decode is whole for an answer that is read into v.
func (r *front) decode(path, body string, v any) {
	r.t.Helper()
	a := r.do(path, body)
	defer a.Body.Close()
	if err := json.NewDecoder(a.Body).Decode(v); err != nil {
		r.t.Fatalf("%s with status %d: %v", path, a.StatusCode, err)
	}
}

// same reports lists that differ.
func (r *front) same(what string, got, want []string) {
	r.t.Helper()
	if g, w := strings.Join(got, "\n     "), strings.Join(want, "\n     "); g != w {
		r.t.Errorf("%s\n got %s\nwant %s", what, g, w)
	}
}
