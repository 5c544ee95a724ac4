package main

import (
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/spf13/pflag"

	"halfsecond/mockllm/server"
)

// mockAccess says how clients reach the mock, as typed.
type mockAccess struct {
	tls     bool
	certDir string
	keyEnv  string
	wyoming string // address, or ""
	calls   bool
}

func (o *mockAccess) addFlags(f *pflag.FlagSet) {
	f.BoolVar(&o.tls, "tls", false, "speak https and wss, with a certificate made now, whose path is printed")
	f.StringVar(&o.certDir, "tls-dir", os.TempDir(), "`folder` that the certificate is written to")
	f.StringVar(&o.keyEnv, "api-key-env", "", "environment `variable` with the key that clients must send (default: none is asked for)")
	f.StringVar(&o.wyoming, "wyoming", "", "`address` for the Wyoming protocol, such as 127.0.0.1:10300 (default: not served)")
	f.BoolVar(&o.calls, "call-anywhere", false, "let Twilio's calls dial servers that are not on this machine")
}

// fill sets how the server is reached at an address.
func (o *mockAccess) fill(c *server.Config, addr string) error {
	c.DialAnywhere = o.calls
	var errs [2]error
	if o.tls {
		host, _, err := net.SplitHostPort(addr)
		if err == nil {
			c.Certificate, err = server.NewCertificate(o.certDir, host)
		}
		if err != nil {
			errs[0] = fmt.Errorf("--tls: %w", err)
		}
	}
	if o.keyEnv != "" {
		if c.Key = os.Getenv(o.keyEnv); c.Key == "" {
			errs[1] = fmt.Errorf("--api-key-env %s: the variable is empty or not set", o.keyEnv)
		}
	}
	return errors.Join(errs[:]...)
}

// listen opens what is served beside HTTP.
func (o *mockAccess) listen(s *server.Server) error {
	if o.wyoming == "" {
		return nil
	}
	ln, err := net.Listen("tcp", o.wyoming)
	if err != nil {
		return fmt.Errorf("--wyoming %s: %w", o.wyoming, err)
	}
	s.Wyoming(ln)
	return nil
}
