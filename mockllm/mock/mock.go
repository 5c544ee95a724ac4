// Package mock starts the mock servers from other people's tests, in Go:
//
//	func TestMyBotGivesUp(t *testing.T) {
//		m := mock.Start(t, mock.Says("Hello there."), mock.Faults("stall at 3 for 2s"))
//		bot := mybot.New(m.URL + "/v1")
//		... // which gives up after half a second
//		if got := m.Wait(1, 5*time.Second); got[0].Outcome != pipeline.Cancelled { ... }
//	}
//
// It answers on a real socket of the loopback, at the real pace of its models. A module of
// yours gets at it by its folder, the version being one that is never asked for:
//
//	go mod edit -require halfsecond@v0.0.0 -replace halfsecond=/path/to/halfsecond
//	go mod tidy
//
// Read mock.go for what is started and what it tells, option.go and hosted.go for what it
// can be.
package mock

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"halfsecond/mockllm/fault"
	"halfsecond/mockllm/server"
	"halfsecond/mockllm/server/ledger"
	"halfsecond/pipeline"
)

// Mock is a running mock. It stops when the test ends.
type Mock struct {
	URL string // "http://127.0.0.1:PORT", or https; protocols add their own paths
	WS  string // the same for WebSockets, "ws://127.0.0.1:PORT" or wss
	// CertFile is the certificate that clients must trust; "" without TLS.
	CertFile string

	t      testing.TB
	server *server.Server
	client *http.Client
	roots  *x509.CertPool // nil without TLS
}

// Start runs a mock until the test ends.
func Start(t testing.TB, opts ...Option) *Mock {
	t.Helper()
	o := options{config: server.Config{Loop: pipeline.NewPreciseWall(), Seed: 1}}
	for _, set := range opts {
		set(t, &o)
	}
	if len(o.config.Models) == 0 {
		Fixed(50*time.Millisecond, 10*time.Millisecond)(t, &o)
	}
	m := &Mock{t: t, URL: "http://", client: &http.Client{}}
	if o.tls {
		m.secure(&o)
	}
	for i := range o.config.Models {
		o.watch(&o.config.Models[i])
	}
	for _, change := range o.changes {
		change(&o.config)
	}
	var err error
	if m.server, err = server.New(o.config); err != nil {
		t.Fatalf("mock: %v", err)
	}
	m.Fault(o.faults...)
	m.run()
	m.WS = "ws" + strings.TrimPrefix(m.URL, "http")
	return m
}

// secure makes a certificate, and a client that trusts it.
func (m *Mock) secure(o *options) {
	m.t.Helper()
	c, err := server.NewCertificate(m.t.TempDir(), "", o.names...)
	if err != nil {
		m.t.Fatalf("mock: %v", err)
	}
	text, err := os.ReadFile(c.Path)
	if err != nil {
		m.t.Fatalf("mock: %v", err)
	}
	m.roots = x509.NewCertPool()
	m.roots.AppendCertsFromPEM(text)
	m.client.Transport = &http.Transport{TLSClientConfig: m.TLSConfig(), ForceAttemptHTTP2: true}
	m.URL, m.CertFile, o.config.Certificate = "https://", c.Path, c
}

func (m *Mock) run() {
	m.t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		m.t.Fatalf("mock: %v", err)
	}
	m.URL += ln.Addr().String()
	ctx, stop := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		if err := m.server.Run(ctx, ln); err != nil {
			m.t.Errorf("mock: %v", err)
		}
	})
	m.t.Cleanup(func() {
		m.client.CloseIdleConnections()
		stop()
		done.Wait()
	})
}

// Client returns a client that reaches it, by TLS too.
func (m *Mock) Client() *http.Client { return m.client }

// TLSConfig returns a new configuration for clients other than Client that trusts the
// mock's certificate, such as the TLSClientConfig of a websocket.Dialer.
func (m *Mock) TLSConfig() *tls.Config { return &tls.Config{RootCAs: m.roots} }

// Requests returns the requests that arrived: first those that have ended, in that order,
// then those under way to language models, of which Running is true.
func (m *Mock) Requests() []ledger.Entry {
	ended, running := m.server.Ledger.Arrived()
	return append(ended, running...)
}

// Wait waits until n requests have ended since the start, and returns all that have. It
// ends the test, and says what there is, when that takes longer than within.
func (m *Mock) Wait(n int, within time.Duration) []ledger.Entry {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), within)
	defer cancel()
	enough := m.server.Ledger.Wait(ctx, n)
	ended, running := m.server.Ledger.Arrived()
	if !enough {
		m.t.Fatalf("mock: after %s %d of %d requests have ended; under way are %d", within, len(ended), n, len(running))
	}
	return ended
}

// Fault sets what goes wrong from now on, in place of what was set before; nothing when
// called with nothing. Each text is as Faults takes it.
func (m *Mock) Fault(rules ...string) {
	m.t.Helper()
	var all []fault.Rule
	for _, text := range rules {
		r, err := fault.ParseText(text)
		if err != nil {
			m.t.Fatalf("mock: %v", err)
		}
		all = append(all, r...)
	}
	if err := m.server.Faults.Replace(all...); err != nil {
		m.t.Fatalf("mock: %v", err)
	}
}
