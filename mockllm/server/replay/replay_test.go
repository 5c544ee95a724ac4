package replay

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/server"
	"halfsecond/mockllm/server/memnet"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/pipeline/endpoint/streamcase"
	"halfsecond/pipeline/exchange"
)

const ms = time.Millisecond

// runner is a server that runs until ctx ends.
type runner interface {
	Run(ctx context.Context, ln net.Listener) error
}

// serving runs a server over a network in memory while f asks it.
func serving(t *testing.T, s runner, f func(ln *memnet.Listener)) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	ln := memnet.Listen()
	ended := make(chan error)
	go func() { ended <- s.Run(ctx, ln) }()
	f(ln)
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// asked is a record with what was kept of it.
type asked struct {
	pipeline.Request
	kept *exchange.Exchange
}

// ask sends questions, each a second after the end of the one before.
func ask(t *testing.T, ln *memnet.Listener, p dialect.Protocol, questions ...string) (all []asked) {
	t.Helper()
	loop := pipeline.NewWall()
	var kept *exchange.Exchange
	client, err := endpoint.NewClient(endpoint.Config{
		URL: "http://llm.test", Protocol: p, Model: "m", DialContext: ln.DialContext, Keep: func(x *exchange.Exchange) { kept = x },
	}, loop)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- loop.Run(context.Background()) }()
	for i, q := range questions {
		time.Sleep(time.Second)
		done := make(chan struct{})
		c := &pipeline.Call{
			PromptTokens: 3, MaxTokens: 6, Prompt: func() pipeline.Prompt { return pipeline.Prompt{Chat: true, Text: q} },
			Record: pipeline.NewRequest(int64(i+1), loop.Elapsed()), Done: func() { close(done) },
		}
		loop.Post(loop.Elapsed(), func() { client.Start(c) })
		<-done
		synctest.Wait()
		all = append(all, asked{c.Record, kept})
	}
	client.Close()
	loop.Stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	return all
}

// sameAs compares what two requests saw, each since it was sent.
func sameAs(t *testing.T, what string, got, want asked) {
	t.Helper()
	since := func(a asked) pipeline.Request {
		r := a.Request
		for _, at := range []*time.Duration{&r.FirstByte, &r.FirstOutput, &r.FirstText, &r.FirstSeen, &r.LastOutput, &r.End} {
			*at = pipeline.Since(r.Sent, *at)
		}
		r.ID, r.Due, r.Sent, r.Transport.Reused = 0, 0, 0, false
		r.Transport.Connect = pipeline.Unknown
		return r
	}
	if g, w := since(got), since(want); !reflect.DeepEqual(g, w) {
		t.Errorf("%s:\n got %+v\nwant %+v", what, g, w)
	}
	reads := func(x *exchange.Exchange) (all []exchange.Read) {
		for _, r := range x.Reads {
			all = append(all, exchange.Read{At: r.At - x.Sent, Bytes: r.Bytes})
		}
		return all
	}
	if g, w := reads(got.kept), reads(want.kept); !slices.Equal(g, w) {
		t.Errorf("%s: reads %v, want %v", what, g, w)
	}
	if g, w := got.kept.Answered-got.kept.Sent, want.kept.Answered-want.kept.Sent; g != w {
		t.Errorf("%s: headers after %s, want %s", what, g, w)
	}
	if !slices.Equal(got.kept.Headers, want.kept.Headers) {
		t.Errorf("%s: headers %v, want %v", what, got.kept.Headers, want.kept.Headers)
	}
}

// throughFile writes exchanges and reads them back.
func throughFile(t *testing.T, hashed bool, all []asked) (again []*exchange.Exchange) {
	t.Helper()
	var b bytes.Buffer
	w, err := exchange.NewWriter(&b, exchange.Header{Hashed: hashed, Cassette: true})
	for _, a := range all {
		if err == nil {
			err = w.Write(a.kept)
		}
	}
	if err == nil {
		err = w.Close()
	}
	r, bad := exchange.NewReader(&b)
	if err != nil || bad != nil {
		t.Fatal(err, bad)
	}
	for {
		x, err := r.Next()
		if err == io.EOF {
			return again
		}
		if err != nil {
			t.Fatal(err)
		}
		again = append(again, x)
	}
}

func newServer(t *testing.T, all []*exchange.Exchange) *Server {
	t.Helper()
	s, err := New(Config{Exchanges: all, Loop: pipeline.NewWall()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSamePace records a mock in each protocol, serves that and asks again: all instants,
// reads, headers and numbers are the same, also where no text was kept.
func TestSamePace(t *testing.T) {
	for _, name := range dialect.Names() {
		for _, hashed := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := dialect.Protocol(name)
					n := 0
					mock, err := server.New(server.Config{Loop: pipeline.NewWall(), Models: []server.Model{{
						Name: "m", Context: 4096, Build: func(l pipeline.Scheduler) engine.Engine {
							return engine.NewHosted(l, engine.HostedConfig{
								First: func(uint64) time.Duration { n++; return time.Duration(n)*100*ms + 7 }, Next: 20*ms + 1,
							})
						},
					}}})
					if err != nil {
						t.Fatal(err)
					}
					var recorded, again []asked
					serving(t, mock, func(ln *memnet.Listener) { recorded = ask(t, ln, p, "one", "two", "three") })
					s := newServer(t, throughFile(t, hashed, recorded))
					serving(t, s, func(ln *memnet.Listener) { again = ask(t, ln, p, "three", "new", "one", "other") })
					// Those that were asked before are known by their words, the others come in order.
					for i, want := range []int{2, 0, 0, 1} {
						sameAs(t, again[i].kept.Protocol, again[i], recorded[want])
						if again[i].Outcome != pipeline.OK || again[i].End-again[i].Sent < 100*ms {
							t.Errorf("%s: %s after %s", name, again[i].Outcome, again[i].End-again[i].Sent)
						}
					}
					if r := s.Writes.Report(); r.N < 8 || r.Max != 0 {
						t.Errorf("%d writes, at most %s late; want some, none late", r.N, r.Max)
					}
				})
			})
		}
	}
}

// TestStreamCases serves again what a client saw of each stream case: failures, broken
// connections, content codings, odd line ends.
func TestStreamCases(t *testing.T) {
	played := 0
	for _, c := range streamcase.Load(t, "") {
		if _, err := dialect.Of(dialect.Protocol(c.Protocol)); err != nil {
			continue // it is no language model's
		}
		played++
		t.Run(c.ID, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var recorded, again []asked
				origin := host{&c.Exchanges[0]}
				serving(t, origin, func(ln *memnet.Listener) { recorded = ask(t, ln, dialect.Protocol(c.Protocol), "q") })
				s := newServer(t, throughFile(t, false, recorded))
				serving(t, s, func(ln *memnet.Listener) { again = ask(t, ln, dialect.Protocol(c.Protocol), "q") })
				sameAs(t, c.ID, again[0], recorded[0])
			})
		})
	}
	if played < 20 {
		t.Errorf("%d cases were played", played)
	}
}

// host runs the player of a stream case.
type host struct{ http.Handler }

func (h host) Run(ctx context.Context, ln net.Listener) error {
	s := &server.Host{Handler: http.HandlerFunc(h.readFirst), Loop: pipeline.NewWall()}
	return s.Run(ctx, ln)
}

// readFirst reads the request before it is answered.
func (h host) readFirst(w http.ResponseWriter, r *http.Request) {
	if _, err := io.ReadAll(r.Body); err == nil {
		h.ServeHTTP(w, r)
	}
}

// TestUnknown: what was not recorded is refused, with the names of what was.
func TestUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := answer()
		y := answer()
		y.Path, y.Protocol, y.Model = "/api/chat", "ollama-chat", "n"
		serving(t, newServer(t, []*exchange.Exchange{x, y, answer()}), func(ln *memnet.Listener) {
			client := &http.Client{Transport: &http.Transport{DialContext: ln.DialContext, DisableKeepAlives: true}}
			for path, want := range map[string]string{
				"/v1/models": `{"object":"list","data":[{"id":"m","object":"model","type":"model"}],"models":[{"name":"m","model":"m"}]}`,
				"/api/tags":  `{"object":"list","data":[{"id":"n","object":"model","type":"model"}],"models":[{"name":"n","model":"n"}]}`,
				"/v1/chat/completions": `{"error":{"code":404,"message":"nothing is recorded of GET /v1/chat/completions, but of ` +
					`POST /v1/chat/completions, POST /api/chat","type":"not_recorded"}}`,
			} {
				resp, err := client.Get("http://llm.test" + path)
				if err != nil {
					t.Fatal(err)
				}
				text, err := io.ReadAll(resp.Body)
				if err != nil || string(text) != want || (resp.StatusCode == 404) != strings.HasPrefix(want, `{"error"`) {
					t.Errorf("%s: HTTP %d, error %v\n%s, want\n%s", path, resp.StatusCode, err, text, want)
				}
			}
		})
	})
}

func answer() *exchange.Exchange {
	x := &exchange.Exchange{
		Protocol: "openai-chat", Model: "m", Method: "POST", Path: "/v1/chat/completions", Sent: 10, Answered: 20, Status: 200,
		Headers: [][2]string{{"Content-Type", "text/event-stream"}, {"Content-Length", "5"}}, How: exchange.Open, End: 40,
	}
	x.Add(30, []byte("data: "))
	x.Add(40, []byte("[DONE]\n\n"))
	return x
}

func TestPaths(t *testing.T) {
	x, y := answer(), answer()
	y.Reads[0].At, y.Model = 31, "n"
	z := answer()
	z.Path, z.Reads, z.Body = "/other", nil, nil
	got := newServer(t, []*exchange.Exchange{x, y, z}).Paths()
	want := []Path{
		{"POST /v1/chat/completions", []string{"openai-chat"}, []string{"m", "n"}, 2, 20},
		{"POST /other", []string{"openai-chat"}, []string{"m"}, 1, pipeline.Unknown},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("paths %+v, want %+v", got, want)
	}
}

func TestNewRefuses(t *testing.T) {
	x := answer()
	x.Stop = exchange.TimedOut
	if _, err := New(Config{Exchanges: []*exchange.Exchange{answer(), x}}); err == nil || err.Error() != "replay: exchange 2: the client gave it up before the end" {
		t.Errorf("error %v", err)
	}
	if _, err := New(Config{}); err == nil || err.Error() != "replay: there is no exchange" {
		t.Errorf("error %v", err)
	}
}

// TestTLS is a smoke test over a real socket, TLS and HTTP/2.
func TestTLS(t *testing.T) {
	c, err := server.NewCertificate(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	pem, err := os.ReadFile(c.Path)
	if err != nil {
		t.Fatal(err)
	}
	x := answer()
	x.Reads[1].At += 100 * ms
	s, err := New(Config{Exchanges: []*exchange.Exchange{x}, Loop: pipeline.NewPreciseWall(), Certificate: c})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- s.Run(ctx, ln) }()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}}
	from := time.Now()
	resp, err := client.Post("https://"+ln.Addr().String()+"/v1/chat/completions", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	if took := time.Since(from); err != nil || string(text) != string(x.Body) || resp.ProtoMajor != 2 || took < 100*ms || took > 30*time.Second {
		t.Errorf("HTTP/%d, %q after %s, error %v", resp.ProtoMajor, text, took, err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
