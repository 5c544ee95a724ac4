// Package mock starts the mock servers from other people's tests, in Go:
//
//	func TestMyBot(t *testing.T) {
//		m := mock.Start(t, mock.Says("Hello there."), mock.Faults("stall at 3 for 2s"))
//		bot := mybot.New(m.URL + "/v1")
//		...
//		if got := m.Requests(); len(got) != 1 || got[0].Left == pipeline.Unknown { ... }
//	}
//
// It answers on a real socket of the loopback, at the real pace of its models.
package mock

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"math"
	"net"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"halfsecond/mockllm/answer"
	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/fault"
	"halfsecond/mockllm/roofline"
	"halfsecond/mockllm/server"
	"halfsecond/mockllm/server/ledger"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// Mock is a running mock. It stops when the test ends.
type Mock struct {
	URL string // "http://127.0.0.1:PORT", or https; protocols add their own paths
	// CertFile is the certificate that clients must trust; "" without TLS.
	CertFile string

	t      testing.TB
	server *server.Server
	client *http.Client
}

// options are what Options set.
type options struct {
	config server.Config
	faults []string
	tls    bool
}

// Option changes what is started.
type Option func(t testing.TB, o *options)

// Fixed serves, to whatever model is asked for, so long to the first token and so long
// between tokens, to any number at once. It is the default, with 50 and 10 ms.
func Fixed(first, between time.Duration) Option {
	return func(_ testing.TB, o *options) {
		o.config.AnyModel = true
		o.config.Models = append(o.config.Models, server.Model{
			Name: "mock", Context: math.MaxInt32, Build: func(loop pipeline.Scheduler) engine.Engine {
				return engine.NewHosted(loop, engine.HostedConfig{First: func() time.Duration { return first }, Next: between})
			},
		})
	}
}

// Modelled serves a model of the catalogue on hardware of the catalogue, by an engine
// family such as "vllm" or "llama.cpp". It ends the test when there is none of that name
// or the model does not fit.
func Modelled(model, hardware, family string) Option {
	return func(t testing.TB, o *options) {
		t.Helper()
		r, err := replica(model, hardware, family)
		if err != nil {
			t.Fatalf("mock: %v", err)
		}
		c := r.Config()
		o.config.Models = append(o.config.Models, server.Model{
			Name: model, Context: r.Context(), Shares: c.PrefixCache || c.SlotCache, Family: family, Slots: c.Slots, Build: r.Build,
			Weights: r.Plan.WeightBytes(), Parameters: r.Plan.Deployment().Model.TotalParams(),
		})
	}
}

func replica(model, hardware, family string) (r engine.Replica, err error) {
	d := roofline.Deployment{GPUs: 1, Stages: 1}
	if d.Model, err = catalog.FindModel(model); err != nil {
		return r, err
	}
	if d.Hardware, err = catalog.FindHardware(hardware); err != nil {
		return r, err
	}
	if d.Engine, err = catalog.FindEngine(family); err != nil {
		return r, err
	}
	r.Plan, err = roofline.New(d)
	return r, err
}

// Says makes every answer that text.
func Says(text string) Option {
	return func(t testing.TB, o *options) {
		t.Helper()
		f, err := answer.ReadFixture("answer", []byte(text))
		if err != nil {
			t.Fatalf("mock: %v", err)
		}
		o.config.Answers = f
	}
}

// Tokens makes every answer that long, where nobody limits or dictates it.
func Tokens(n int) Option {
	return func(_ testing.TB, o *options) { o.config.ReplyTokens = dist.ConstantCount(n) }
}

// Hears is what speech to text hears, an utterance each.
func Hears(utterances ...string) Option {
	return func(_ testing.TB, o *options) { o.config.Transcript = utterances }
}

// Faults makes requests go wrong, as package fault describes it: "stall at 10 for 5s",
// or the name of a built-in rule.
func Faults(rules ...string) Option {
	return func(_ testing.TB, o *options) { o.faults = append(o.faults, rules...) }
}

// TLS makes it speak https and wss.
func TLS() Option { return func(_ testing.TB, o *options) { o.tls = true } }

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
	var err error
	if m.server, err = server.New(o.config); err != nil {
		t.Fatalf("mock: %v", err)
	}
	m.Fault(o.faults...)
	m.run()
	return m
}

// secure makes a certificate, and a client that trusts it.
func (m *Mock) secure(o *options) {
	m.t.Helper()
	c, err := server.NewCertificate(m.t.TempDir(), "")
	if err != nil {
		m.t.Fatalf("mock: %v", err)
	}
	text, err := os.ReadFile(c.Path)
	if err != nil {
		m.t.Fatalf("mock: %v", err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(text)
	m.client.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}
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

// Requests returns the requests that have ended so far, oldest first.
func (m *Mock) Requests() []ledger.Entry {
	all, _ := m.server.Ledger.Latest(ledger.Kept)
	return all
}

// Fault sets what goes wrong from now on, in place of what was set before; nothing when
// called with nothing.
func (m *Mock) Fault(rules ...string) {
	m.t.Helper()
	var all []fault.Rule
	for _, text := range rules {
		r, err := fault.ParsePhrase(text)
		if err != nil {
			m.t.Fatalf("mock: %v", err)
		}
		all = append(all, r)
	}
	if err := m.server.Faults.Replace(all...); err != nil {
		m.t.Fatalf("mock: %v", err)
	}
}
