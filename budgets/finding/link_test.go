package finding

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/mockllm/server/memnet"
	"halfsecond/pipeline/endpoint/probe"
)

// TestSlowTLS: what TLS costs is told when it is much, by HTTP/1.1 and 2, and that the
// connection is used again.
func TestSlowTLS(t *testing.T) {
	for _, c := range []struct {
		name  string
		takes time.Duration
		h2    bool
		want  string
	}{
		{"quick", 149 * time.Millisecond, false, ""},
		{"slow", 150 * time.Millisecond, false, "slow_connection"},
		{"slow, HTTP/2", 150 * time.Millisecond, true, "slow_connection"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				certificate, roots := signed(t)
				config := &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{"http/1.1"}}
				if c.h2 {
					config.NextProtos = []string{"h2", "http/1.1"}
				}
				config.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
					time.Sleep(c.takes)
					return nil, nil
				}
				ln := memnet.Listen()
				var group sync.WaitGroup
				s := &http.Server{Handler: readFirst(&script{body: always(good(20))}, &group), TLSConfig: config}
				group.Go(func() { _ = s.ServeTLS(ln, "", "") }) // ends with Close
				e, found := ask(t.Context(), t, ln, func(p *probe.Config) {
					p.Endpoint.URL, p.Endpoint.Roots, p.Requests = "https://llm.test", roots, 3
					named(p)
				})
				if got := ids(found); got != c.want {
					t.Errorf("found %q, want %q\n%s", got, c.want, render(found))
				}
				first, second := e.Requests[0].Record.Transport, e.Requests[1].Record.Transport
				if first.TLS != c.takes || first.Reused || !second.Reused || (first.HTTP == "2") != c.h2 {
					t.Errorf("connections %+v, %+v: want TLS to take %s, then the same connection", first, second, c.takes)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
				group.Wait()
			})
		})
	}
}

// signed returns a certificate for llm.test, and who signed it.
func signed(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"llm.test"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	text, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(text)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{text}, PrivateKey: key}, pool
}
