package server

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// Certificate is a self-signed certificate, which a client trusts when it is told of
// its file: by NODE_EXTRA_CA_CERTS, SSL_CERT_FILE and the like.
type Certificate struct {
	Path string // of the PEM file; it holds no key
	tls  tls.Certificate
}

// NewCertificate makes a certificate for this machine's loopback names, the host of an
// address and further names or IP addresses, valid for a week, and writes it into a
// directory. The address is a host, or HOST:PORT: the port is in the file's name then, so
// that servers on one machine do not write over each other's. The key stays in memory.
func NewCertificate(dir, addr string, names ...string) (*Certificate, error) {
	host, name := addr, "halfsecond-cert.pem"
	if h, port, err := net.SplitHostPort(addr); err == nil {
		host, name = h, "halfsecond-cert-"+port+".pem"
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	form := certificateForm(host, names)
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		return nil, fmt.Errorf("make a certificate: %w", err)
	}
	c := &Certificate{
		Path: filepath.Join(dir, name),
		tls:  tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key},
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	if err := os.WriteFile(c.Path, text, 0o644); err != nil {
		return nil, fmt.Errorf("write the certificate: %w", err)
	}
	return c, nil
}

func certificateForm(host string, names []string) *x509.Certificate {
	now := time.Now()
	form := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: "halfsecond mock"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(0, 0, 7),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true, IsCA: true,
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	for _, name := range append([]string{host}, names...) {
		switch ip := net.ParseIP(name); {
		case ip != nil && ip.IsUnspecified():
			form.IPAddresses = append(append(form.IPAddresses, ip), ownAddresses()...)
		case ip != nil:
			form.IPAddresses = append(form.IPAddresses, ip)
		case name != "" && name != "localhost":
			form.DNSNames = append(form.DNSNames, name)
		}
	}
	return form
}

// ownAddresses returns the addresses of this machine, as far as they are known.
func ownAddresses() (ips []net.IP) {
	all, _ := net.InterfaceAddrs() // without them the loopback is left
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok {
			ips = append(ips, n.IP)
		}
	}
	return ips
}

// listen puts TLS before a listener. HTTP/2 is offered, as hosted services do.
func (c *Certificate) listen(ln net.Listener) net.Listener {
	return tls.NewListener(ln, &tls.Config{
		Certificates: []tls.Certificate{c.tls}, NextProtos: []string{"h2", "http/1.1"}, MinVersion: tls.VersionTLS12,
	})
}
