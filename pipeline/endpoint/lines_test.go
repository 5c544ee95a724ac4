package endpoint

import (
	"context"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/pipeline/endpoint/dialect"
)

// TestCloseClosesAll: a closed client leaves no connection, whatever was on it: over HTTP/2 a
// request is on one for a moment after it was given up.
func TestCloseClosesAll(t *testing.T) {
	came := make(chan struct{}, 1)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		came <- struct{}{}
		<-r.Context().Done()
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	for range 20 { // what is closed last is for chance to say
		var open atomic.Int64
		loop := newTestLoop()
		go loop.run()
		client, err := NewClient(Config{
			URL: server.URL, Protocol: dialect.OpenAIChat, Model: "m", Roots: roots,
			DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
				c, err := (&net.Dialer{}).DialContext(ctx, network, addr)
				open.Add(1)
				return &counted{Conn: c, open: &open}, err
			},
		}, loop)
		if err != nil {
			t.Fatal(err)
		}
		a := (&bench{loop: loop, client: client}).ask()
		<-came
		client.Close()
		if n := open.Load(); n != 0 {
			t.Errorf("%d connections are open, want none", n)
		}
		a.wait()
		close(loop.ended)
	}
}

// counted is a connection that is counted as long as it is open.
type counted struct {
	net.Conn
	open   *atomic.Int64
	closed atomic.Bool
}

func (c *counted) Close() error {
	if c.closed.CompareAndSwap(false, true) {
		c.open.Add(-1)
	}
	return c.Conn.Close()
}

// TestCloseEndsDials: a dial goes on when its request is given up, and ends with the client,
// also where it does not look at its context.
func TestCloseEndsDials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, deaf := range []bool{false, true} {
			loop := newTestLoop()
			go loop.run()
			var ended time.Duration
			near, far := net.Pipe()
			client := newTestClient(t, loop, newMemory(), func(c *Config) {
				c.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
					if deaf {
						ctx = context.Background()
					}
					select {
					case <-time.After(time.Second):
						return near, nil
					case <-ctx.Done():
						ended = loop.Elapsed()
						return nil, ctx.Err()
					}
				}
			})
			b := &bench{loop: loop, client: client}
			a := b.ask()
			synctest.Wait() // it dials
			b.cancel(a)
			a.wait()
			time.Sleep(100 * time.Millisecond)
			client.Close()
			time.Sleep(2 * time.Second)
			synctest.Wait()
			if deaf {
				if _, err := far.Read(make([]byte, 1)); err == nil {
					t.Error("what was opened late is used")
				}
			} else if ended != 100*time.Millisecond {
				t.Errorf("the dial ended at %s, want 100ms", ended)
			}
			close(loop.ended)
		}
	})
}
