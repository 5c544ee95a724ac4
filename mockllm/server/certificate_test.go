package server

import (
	"crypto/x509"
	"net"
	"path/filepath"
	"testing"
)

// TestCertificate: who reaches a server by any of its names finds it in the certificate,
// and two servers on a machine have two files.
func TestCertificate(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		addr, file string
		names      []string
	}{
		{"", "halfsecond-cert.pem", []string{"localhost", "127.0.0.1", "::1"}},
		{"127.0.0.1:8090", "halfsecond-cert-8090.pem", []string{"localhost", "127.0.0.1", "::1"}},
		{"mock.example:443", "halfsecond-cert-443.pem", []string{"localhost", "mock.example"}},
		{"192.0.2.7:8091", "halfsecond-cert-8091.pem", []string{"127.0.0.1", "192.0.2.7"}},
		{"[::]:8092", "halfsecond-cert-8092.pem", append([]string{"127.0.0.1", "::"}, interfaces(t)...)},
	} {
		made, err := NewCertificate(dir, c.addr, "further.example", "192.0.2.9")
		if err != nil {
			t.Fatal(err)
		}
		if want := filepath.Join(dir, c.file); made.Path != want {
			t.Errorf("%s: in %s, want %s", c.addr, made.Path, want)
		}
		cert, err := x509.ParseCertificate(made.tls.Certificate[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range append(c.names, "further.example", "192.0.2.9") {
			if err := cert.VerifyHostname(name); err != nil {
				t.Errorf("%s: %v", c.addr, err)
			}
		}
	}
}

// interfaces returns the addresses of this machine.
func interfaces(t *testing.T) (out []string) {
	all, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		out = append(out, a.(*net.IPNet).IP.String())
	}
	return out
}
