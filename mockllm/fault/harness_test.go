package fault

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"halfsecond/mockllm/server/memnet"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tokens is the number of events of the test server's stream, and pace the time
// between them.
const (
	tokens = 10
	pace   = 5 * time.Millisecond
)

// event is event k of the test server's stream.
func event(k int) string { return fmt.Sprintf("data: {\"n\":%d}\n\n", k) }

// events are events from one to another.
func events(from, to int) string {
	var b strings.Builder
	for k := from; k <= to; k++ {
		b.WriteString(event(k))
	}
	return b.String()
}

const done = "data: [DONE]\n\n"

// front is a small server of streams as those before which faults are put. Any path
// streams; /whole answers at once.
func front(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if strings.HasSuffix(r.URL.Path, "/whole") {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"answer":"all of it"}`)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	control := http.NewResponseController(w)
	for k := 1; k <= tokens+1; k++ {
		if !sleep(r.Context(), pace) {
			return
		}
		text := done
		if k <= tokens {
			text = event(k)
		}
		_ = control.SetWriteDeadline(time.Now().Add(time.Second))
		if _, err := io.WriteString(w, text); err != nil {
			return
		}
		if control.Flush() != nil {
			return
		}
	}
}

// rig is a server with rules, and a client of it.
type rig struct {
	t      *testing.T
	set    *Set
	url    string
	client *http.Client
	stop   func()
}

// start runs the test server with rules on a real socket until the test ends.
func start(t *testing.T, rules string) *rig {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := newRig(t, rules, Config{}, ln, &http.Transport{})
	t.Cleanup(g.stop)
	return g
}

// inMemory is start without a socket, for a testing/synctest bubble: the caller stops it.
func inMemory(t *testing.T, rules string) *rig {
	t.Helper()
	ln := memnet.Listen()
	return newRig(t, rules, Config{}, ln, &http.Transport{DialContext: ln.DialContext})
}

func newRig(t *testing.T, rules string, c Config, ln net.Listener, transport *http.Transport) *rig {
	t.Helper()
	g := &rig{t: t, set: New(c), client: &http.Client{Transport: transport}}
	g.url = "http://" + ln.Addr().String()
	if rules != "" {
		g.replace(rules)
	}
	mux := http.NewServeMux()
	g.set.Handle(mux)
	mux.HandleFunc("/socket", chat)
	mux.HandleFunc("/", front)
	server := &http.Server{Handler: g.set.Middleware(mux), ErrorLog: log.New(complaints{t}, "", 0)}
	ended := make(chan error)
	listener := g.set.Listener(ln)
	go func() { ended <- server.Serve(listener) }()
	g.stop = func() {
		transport.CloseIdleConnections()
		_ = server.Close()
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("the server ended with %v", err)
		}
	}
	return g
}

// complaints is what a server has to say about its handlers: nothing, if all is well.
type complaints struct{ t *testing.T }

func (c complaints) Write(p []byte) (int, error) {
	c.t.Errorf("the server complains: %s", p)
	return len(p), nil
}

func (g *rig) replace(rules string) {
	g.t.Helper()
	list, err := Parse("test.yaml", []byte(rules))
	if err == nil {
		err = g.set.Replace(list...)
	}
	if err != nil {
		g.t.Fatal(err)
	}
}

// answer is what a client saw.
type answer struct {
	status  int
	proto   string
	header  http.Header
	body    string
	chunks  []chunk
	err     error         // of the connection, or of the body
	header0 time.Duration // until the headers
	took    time.Duration
}

// chunk is what one read brought, and when.
type chunk struct {
	text string
	at   time.Duration
}

// ask sends a request and reads all of the answer.
func (g *rig) ask(path, body string, header ...string) answer {
	g.t.Helper()
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(g.t.Context(), method, g.url+path, strings.NewReader(body))
	if err != nil {
		g.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return g.do(r)
}

func (g *rig) do(r *http.Request) answer {
	from := time.Now()
	response, err := g.client.Do(r)
	if err != nil {
		return answer{err: err, took: time.Since(from)}
	}
	defer response.Body.Close()
	a := answer{status: response.StatusCode, proto: response.Proto, header: response.Header, header0: time.Since(from)}
	buffer := make([]byte, 2<<20)
	for a.err == nil {
		var n int
		n, a.err = response.Body.Read(buffer)
		if n > 0 {
			a.body += string(buffer[:n])
			a.chunks = append(a.chunks, chunk{string(buffer[:n]), time.Since(from)})
		}
	}
	a.took = time.Since(from)
	if a.err == io.EOF {
		a.err = nil
	}
	return a
}

// at returns when the answer had that text.
func (a answer) at(t *testing.T, text string) time.Duration {
	t.Helper()
	var body string
	for _, c := range a.chunks {
		if body += c.text; strings.Contains(body, text) {
			return c.at
		}
	}
	t.Fatalf("the answer %q has no %q", a.body, text)
	return 0
}

// reset reports whether an error is that of a connection that was reset.
func reset(err error) bool { return errors.Is(err, syscall.ECONNRESET) }

// cut reports whether an error is that of a body that ended too early.
func cut(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }

// raw sends a request as it is and returns all that comes back.
func (g *rig) raw(request string) (string, error) {
	g.t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(g.url, "http://"))
	if err != nil {
		g.t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, request); err != nil {
		g.t.Fatal(err)
	}
	var b strings.Builder
	_, err = io.Copy(&b, bufio.NewReader(c))
	return b.String(), err
}

// bubble runs a test in a testing/synctest bubble with a server in it.
func bubble(t *testing.T, rules string, f func(t *testing.T, g *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		g := inMemory(t, rules)
		defer g.stop()
		f(t, g)
	})
}

// hits returns what became of a rule.
func (g *rig) hits(name string) Hits {
	_, all := g.set.Rules()
	for _, h := range all {
		if h.Rule == name {
			return h
		}
	}
	g.t.Fatalf("no rule %s", name)
	return Hits{}
}

// eventually waits for what happens on another goroutine.
func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for !f() {
		if !sleep(ctx, 2*time.Millisecond) {
			t.Fatalf("%s never came about", what)
		}
	}
}
