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

// NewCertificate makes a certificate for this machine's loopback names and the given
// host, valid for a week, and writes it into a directory. The key stays in memory.
func NewCertificate(dir, host string) (*Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	form := certificateForm(host)
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		return nil, fmt.Errorf("make a certificate: %w", err)
	}
	c := &Certificate{
		Path: filepath.Join(dir, "halfsecond-cert.pem"),
		tls:  tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key},
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	if err := os.WriteFile(c.Path, text, 0o644); err != nil {
		return nil, fmt.Errorf("write the certificate: %w", err)
	}
	return c, nil
}

func certificateForm(host string) *x509.Certificate {
	now := time.Now()
	form := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: "halfsecond mock"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(0, 0, 7),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true, IsCA: true,
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	if ip := net.ParseIP(host); ip != nil {
		form.IPAddresses = append(form.IPAddresses, ip)
	} else if host != "" && host != "localhost" {
		form.DNSNames = append(form.DNSNames, host)
	}
	return form
}

// listen puts TLS before a listener. HTTP/2 is offered, as hosted services do.
func (c *Certificate) listen(ln net.Listener) net.Listener {
	return tls.NewListener(ln, &tls.Config{
		Certificates: []tls.Certificate{c.tls}, NextProtos: []string{"h2", "http/1.1"}, MinVersion: tls.VersionTLS12,
	})
}
