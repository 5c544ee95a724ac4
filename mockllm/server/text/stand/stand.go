// Package stand is the fronts of language models on a network in memory, for tests.
package stand

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/server/memnet"
	"halfsecond/mockllm/server/text"
	"halfsecond/mockllm/server/text/serve"
	"halfsecond/pipeline"
)

const ms = time.Millisecond

// Stand is a service on a network in memory, with a client, inside a bubble.
type Stand struct {
	T       *testing.T
	service *text.Service
	Ledger  *ledger.Ledger
	Client  *http.Client
	IDs     map[string]string // of answers, as normal writes them
}

// Slow is a model "m" with one slot: first token after 100 ms, the others every 10 ms,
// 1000 tokens of context.
func Slow(l pipeline.Scheduler) engine.Engine {
	return engine.NewSlots(l, engine.SlotsConfig{Service: engine.Fixed{TTFT: 100 * ms, TPOT: 10 * ms}, Slots: 1, MaxContext: 1000})
}

// Run runs f against a service in a bubble. A model "m" is there, and a limit of the
// body, where the configuration leaves them out.
func Run(t *testing.T, c serve.Config, f func(r *Stand)) {
	t.Helper()
	if c.Models == nil {
		c.Models = []serve.Model{{Name: "m", Context: 1000, Build: Slow}}
	}
	if c.MaxBody == 0 {
		c.MaxBody = 10_000
	}
	synctest.Test(t, func(t *testing.T) {
		r := &Stand{T: t, IDs: map[string]string{}}
		c.Loop = pipeline.NewWall()
		stopped := make(chan struct{})
		c.Stopped = stopped
		c.Ledger = ledger.New(ledger.Config{State: func() map[string]engine.Stats { return r.service.State() }, Began: time.Now()})
		r.Ledger = c.Ledger
		var err error
		if r.service, err = text.New(c); err != nil {
			t.Fatal(err)
		}
		mux := http.NewServeMux()
		r.service.Handle(mux)
		mux.Handle("GET /metrics", r.service.Metrics(c.Ledger.Metrics()))
		mux.HandleFunc("/", r.service.Unknown)
		ln := memnet.Listen()
		loop, stopLoop := context.WithCancel(t.Context())
		server := &http.Server{Handler: r.service.Shown(mux), ConnContext: serve.Connected}
		var done sync.WaitGroup
		done.Go(func() { _ = server.Serve(ln) }) // it ends when it is closed
		done.Go(func() { _ = c.Loop.Run(loop); close(stopped) })
		transport := &http.Transport{DialContext: ln.DialContext}
		r.Client = &http.Client{Transport: transport}
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

// Send makes a request; headers are pairs of name and value.
func (s *Stand) Send(method, path, body string, headers ...string) *http.Response {
	s.T.Helper()
	q, err := http.NewRequestWithContext(s.T.Context(), method, "http://mock"+path, strings.NewReader(body))
	if err != nil {
		s.T.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		q.Header.Set(headers[i], headers[i+1])
	}
	answer, err := s.Client.Do(q)
	if err != nil {
		s.T.Fatal(err)
	}
	return answer
}

// Whole returns the status of an answer, its normal body and the time it took.
func (s *Stand) Whole(method, path, body string, headers ...string) (status int, text string, took time.Duration) {
	s.T.Helper()
	from := time.Now()
	answer := s.Send(method, path, body, headers...)
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		s.T.Fatal(err)
	}
	return answer.StatusCode, s.normal(strings.TrimSuffix(string(b), "\n")), time.Since(from)
}

// Stream returns the lines of a stream that are not empty, each with the time in ms at
// which it came.
func (s *Stand) Stream(path, body string) []string {
	s.T.Helper()
	from := time.Now()
	answer := s.Send("POST", path, body)
	defer answer.Body.Close()
	if got := answer.Header.Get("Content-Type"); got != serve.EventStream {
		s.T.Errorf("content type %q", got)
	}
	var got []string
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if lines.Text() != "" {
			got = append(got, fmt.Sprintf("%d %s", time.Since(from)/ms, s.normal(lines.Text())))
		}
	}
	if err := lines.Err(); err != nil {
		s.T.Error(err)
	}
	return got
}

var anyID = regexp.MustCompile(`\b(chatcmpl-|(?:cmpl|resp|msg|rs|fc|call|toolu|req)[-_])[0-9a-z]{8,}`)

// normal numbers the ids in a text, each kind from 1.
func (s *Stand) normal(text string) string {
	return anyID.ReplaceAllStringFunc(text, func(id string) string {
		if s.IDs[id] == "" {
			kind := anyID.FindStringSubmatch(id)[1]
			n := 1
			for _, known := range s.IDs {
				if strings.HasPrefix(known, kind) {
					n++
				}
			}
			s.IDs[id] = fmt.Sprintf("%s%d", kind, n)
		}
		return s.IDs[id]
	})
}

// CheckLines compares lines; want may leave out what follows an ellipsis.
func CheckLines(t *testing.T, what string, got, want []string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		g, w := "(none)", "(none)"
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		head, cut := strings.CutSuffix(w, "…")
		if g != w && !(cut && strings.HasPrefix(g, head)) {
			t.Errorf("%s, line %d\n got %s\nwant %s", what, i, g, w)
		}
	}
}

// Raw returns the id that a response really has.
func (s *Stand) Raw(id string) string {
	for raw, normal := range s.IDs {
		if normal == id {
			return raw
		}
	}
	s.T.Fatalf("no id %s", id)
	return ""
}
