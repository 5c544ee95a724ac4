package main

import (
	"fmt"
	"net"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"halfsecond/mockllm/server"
)

// mockAccess says how clients reach the mock, as typed.
type mockAccess struct {
	tls     bool
	certDir string
	names   []string // of the certificate, beside its own
	keyEnv  string
	wyoming string // address, or ""
	calls   bool

	certificate *server.Certificate // once it is made
	wyomingAddr net.Addr            // once it is open
}

func (o *mockAccess) addFlags(f *pflag.FlagSet) {
	o.addTLSFlags(f)
	f.StringVar(&o.keyEnv, "api-key-env", "", "environment `variable` with the key that clients must send, as Bearer, x-api-key or their other ways (default: any key or none will do)")
	f.StringVar(&o.wyoming, "wyoming", "", "`address` for the Wyoming protocol, such as 127.0.0.1:10300 (default: not served)")
	f.BoolVar(&o.calls, "call-anywhere", false, "let Twilio's calls dial servers that are not on this machine")
}

func (o *mockAccess) addTLSFlags(f *pflag.FlagSet) {
	f.BoolVar(&o.tls, "tls", false, "speak https and wss, with a self-signed certificate made at the start, whose path is printed")
	f.StringVar(&o.certDir, "tls-dir", os.TempDir(), "`folder` for that certificate")
	f.StringArrayVar(&o.names, "tls-name", nil, "a further `host` name or IP address for that certificate, such as that of a container; may be repeated")
}

// checkTLS refuses what only a certificate needs.
func (o *mockAccess) checkTLS(given func(flag string) bool) error {
	if flags := typed(given, "tls-dir", "tls-name"); len(flags) > 0 && !o.tls {
		return fmt.Errorf("%s: that goes with --tls", strings.Join(flags, ", "))
	}
	return nil
}

// fill sets who is let in, and where calls may go.
func (o *mockAccess) fill(c *server.Config, given func(flag string) bool) error {
	c.DialAnywhere = o.calls
	if err := o.checkTLS(given); err != nil {
		return err
	}
	if !given("api-key-env") {
		return nil
	}
	if c.Key = os.Getenv(o.keyEnv); c.Key == "" {
		return fmt.Errorf("--api-key-env %s: the variable is empty or not set", shownVariable(o.keyEnv))
	}
	return nil
}

// reachable returns the address under which clients on this machine find a server: that of
// the loopback for one on all addresses.
func reachable(addr net.Addr) string {
	if a, ok := addr.(*net.TCPAddr); ok && a.IP.IsUnspecified() {
		return (&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: a.Port}).String()
	}
	return addr.String()
}

// exposed says who else reaches a server that is not on the loopback alone, "" for nobody.
func (o *mockAccess) exposed(addr net.Addr) string {
	a, ok := addr.(*net.TCPAddr)
	switch {
	case !ok || a.IP.IsLoopback():
		return ""
	case o.keyEnv == "":
		return fmt.Sprintf("other machines reach it at %s, and it asks them for no key (--api-key-env does)", addr)
	}
	return fmt.Sprintf("other machines reach it at %s", addr)
}

// certify makes the certificate of a server at an address, nil if it is to have none.
func (o *mockAccess) certify(addr net.Addr) (c *server.Certificate, err error) {
	if !o.tls {
		return nil, nil
	}
	if o.certificate, err = server.NewCertificate(o.certDir, addr.String(), o.names...); err != nil {
		return nil, fmt.Errorf("--tls: %w", err)
	}
	return o.certificate, nil
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
	o.wyomingAddr = ln.Addr()
	s.Wyoming(ln)
	return nil
}
