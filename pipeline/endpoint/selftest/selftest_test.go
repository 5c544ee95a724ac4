package selftest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"halfsecond/mockllm/server/memnet"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/exchange"
	"halfsecond/pipeline/trace"
)

const ms = time.Millisecond

// Nothing of a test stays behind, whatever became of it.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// inMemory is a way to the server on which a byte takes no time, for use inside a bubble.
func inMemory(c endpoint.Config) Config {
	ln := memnet.Listen()
	return Config{Client: c, Wall: pipeline.NewWall, Listen: func() (net.Listener, error) { return ln, nil }, Dial: ln.DialContext}
}

// exact is what a tester that is never late makes of n values.
func exact(n int) trace.Lateness {
	l := trace.Lateness{N: n, P99: pipeline.Unknown}
	if n >= 100 {
		l.P99 = 0
	}
	return l
}

// TestExact: where a byte takes no time every number is exact, warm and cold, with the raw
// log and without, and the test takes as long as its streams do.
func TestExact(t *testing.T) {
	kept := func(*exchange.Exchange) { t.Error("the exchanges of a self test are kept") }
	for name, c := range map[string]endpoint.Config{
		"warm": {}, "cold": {Cold: true}, "raw log": {Keep: kept},
		"of a run": {URL: "http://rented.test", Protocol: "gemini", Model: "m", MaxRequests: 1, MaxTokens: 1, MaxBytes: 10},
	} {
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			got := Run(t.Context(), inMemory(c))
			want := trace.SelfTest{Streams: 4, Read: exact(104), TTFT: exact(4), Gap: exact(100)}
			if got != want {
				t.Errorf("%s: %+v, want %+v", name, got, want)
			}
			if took := time.Since(begun); took != 535*ms { // 26 chunks every 20 ms, of streams 5 ms apart
				t.Errorf("%s: it took %s, want 535 ms", name, took)
			}
		})
	}
}

// slow is a connection whose reader gets the bytes of the n-th read late by n times so
// much: a reader that falls behind.
type slow struct {
	net.Conn
	by    time.Duration
	reads int
}

func (s *slow) Read(b []byte) (int, error) {
	n, err := s.Conn.Read(b)
	time.Sleep(time.Duration(s.reads) * s.by)
	s.reads++
	return n, err
}

// TestLate: a reader that is later by 0.1 ms with every read shows it in each number,
// exactly. Its first read is that of the list of models.
func TestLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := inMemory(endpoint.Config{})
		dial := c.Dial
		c.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := dial(ctx, network, addr)
			return &slow{Conn: conn, by: 100 * time.Microsecond}, err
		}
		got := Run(t.Context(), c)
		time.Sleep(time.Second) // the connections' last reads
		const us = time.Microsecond
		want := trace.SelfTest{
			Streams: 4,
			// Chunk i of each of the four is read 0.1 ms * i late, i from 1 to 26: of 104 the
			// 52nd and the 103rd are the 13th and the last.
			Read: trace.Lateness{N: 104, P50: 1300 * us, P99: 2600 * us, Max: 2600 * us},
			TTFT: trace.Lateness{N: 4, P50: 100 * us, P99: pipeline.Unknown, Max: 100 * us},
			Gap:  trace.Lateness{N: 100, P50: 100 * us, P99: 100 * us, Max: 100 * us},
		}
		near := func(a, b trace.Lateness) bool { // classes of a histogram are a thousandth wide
			close := func(x, y time.Duration) bool { return x == y || (x-y).Abs() <= y/1000 }
			return a.N == b.N && close(a.P50, b.P50) && close(a.P99, b.P99) && a.Max == b.Max
		}
		if got.Failed != "" || got.Streams != 4 || !near(got.Read, want.Read) || !near(got.TTFT, want.TTFT) || !near(got.Gap, want.Gap) {
			t.Errorf("%+v, want %+v", got, want)
		}
	})
}

// TestLoopback is a smoke test over real sockets: all is read, and not after the end of
// the test.
func TestLoopback(t *testing.T) {
	got := Run(t.Context(), Config{})
	if got.Failed != "" || got.Read.N != 104 || got.TTFT.N != 4 || got.Gap.N != 100 {
		t.Fatalf("%+v, want 4 streams of 26 chunks", got)
	}
	if got.Read.Max == 0 || got.Read.Max > longest || got.TTFT.Max > longest || got.Gap.Max > longest {
		t.Errorf("%+v: a byte takes some time, and less than the test", got)
	}
}

// TestFailed: a test that cannot be made says why, and nothing is known of the tester.
func TestFailed(t *testing.T) {
	refuse := func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("cannot assign requested address")
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx    context.Context
		config Config
		want   string
	}{
		"no port":     {t.Context(), Config{Listen: func() (net.Listener, error) { return nil, errors.New("listen tcp 127.0.0.1:0: no port") }}, "no port"},
		"no way":      {t.Context(), Config{Dial: refuse}, "cannot assign requested address"},
		"interrupted": {cancelled, Config{}, "context canceled"},
		"bad client":  {t.Context(), Config{Listen: func() (net.Listener, error) { return nowhere{memnet.Listen()}, nil }}, "endpoint"},
	} {
		got := Run(c.ctx, c.config)
		none := trace.Lateness{P50: pipeline.Unknown, P99: pipeline.Unknown, Max: pipeline.Unknown}
		if !strings.Contains(got.Failed, c.want) || got.Streams != 4 || got.Read != none || got.TTFT != none || got.Gap != none {
			t.Errorf("%s: %+v, want it failed with %q", name, got, c.want)
		}
	}
}

// nowhere is a listener whose address is none.
type nowhere struct{ net.Listener }

func (nowhere) Addr() net.Addr { return &net.UnixAddr{Name: " ", Net: "unix"} }

// stuck is a connection from which nothing comes after some reads, until it is closed.
type stuck struct {
	net.Conn
	reads  int
	closed chan struct{}
	once   sync.Once
}

func (s *stuck) Read(b []byte) (int, error) {
	if s.reads--; s.reads < 0 {
		<-s.closed
		return 0, net.ErrClosed
	}
	return s.Conn.Read(b)
}

func (s *stuck) Close() error {
	s.once.Do(func() { close(s.closed) })
	return s.Conn.Close()
}

// TestStuck: a test that does not get on is given up after five seconds, wherever it is.
func TestStuck(t *testing.T) {
	for reads, want := range map[int]string{
		0: `warm up endpoint "http://memory": context deadline exceeded`,
		7: "it was not through after 5s",
	} {
		synctest.Test(t, func(t *testing.T) {
			c := inMemory(endpoint.Config{})
			dial := c.Dial
			c.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
				conn, err := dial(ctx, network, addr)
				return &stuck{Conn: conn, reads: reads, closed: make(chan struct{})}, err
			}
			begun := time.Now()
			got := Run(t.Context(), c)
			if got.Failed != want || got.Read.N != 0 {
				t.Errorf("after %d reads: %+v, want %s", reads, got, want)
			}
			if took := time.Since(begun); took != 5*time.Second {
				t.Errorf("after %d reads it took %s, want 5 s", reads, took)
			}
		})
	}
}

// TestBadStream: what is no stream of known timing is said, and not measured.
func TestBadStream(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"no instants": {"hello", `a chunk says "hello", which is no two instants`},
		"too few":     {"1 2.", "of a stream of 26 chunks 1 were reported"},
	} {
		s := &stream{test: newTest()}
		s.test.wall = pipeline.NewWall()
		s.notify(pipeline.Progress{Text: c.text})
		s.done()
		if err := s.test.failed; err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// TestServer: what is asked otherwise gets no stream.
func TestServer(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := serve(ln, func() time.Duration { return 0 })
	resp, err := http.Get(fmt.Sprintf("http://%s/v1/models", ln.Addr()))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	s.close()
	if resp.StatusCode != http.StatusNotFound {
		t.Errorf("HTTP %d, want 404", resp.StatusCode)
	}
	if conn, err := net.Dial("tcp", ln.Addr().String()); err == nil {
		conn.Close()
		t.Error("the port is open after the end")
	}
}
