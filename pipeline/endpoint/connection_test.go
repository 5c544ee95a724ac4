package endpoint

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/dialect"
)

// TestConnectionPhases plays what a transport tells of connections.
func TestConnectionPhases(t *testing.T) {
	const none = pipeline.Unknown
	refused := errors.New("refused")
	for name, c := range map[string]struct {
		play func(at func(time.Duration), x *httptrace.ClientTrace)
		want Phases
	}{
		"nothing": {func(func(time.Duration), *httptrace.ClientTrace) {}, Phases{none, false, none, none, none}},
		"open before": {func(at func(time.Duration), x *httptrace.ClientTrace) {
			at(7)
			x.GotConn(httptrace.GotConnInfo{Reused: true})
		}, Phases{7, true, none, none, none}},
		"all": {func(at func(time.Duration), x *httptrace.ClientTrace) {
			at(1)
			x.DNSStart(httptrace.DNSStartInfo{})
			at(3)
			x.DNSDone(httptrace.DNSDoneInfo{})
			x.ConnectStart("tcp", "a")
			at(7)
			x.ConnectDone("tcp", "a", nil)
			x.TLSHandshakeStart()
			at(15)
			x.TLSHandshakeDone(tls.ConnectionState{}, nil)
			x.GotConn(httptrace.GotConnInfo{})
		}, Phases{15, false, 2, 4, 8}},
		"another became free first": {func(at func(time.Duration), x *httptrace.ClientTrace) {
			at(1)
			x.DNSStart(httptrace.DNSStartInfo{})
			at(2)
			x.DNSDone(httptrace.DNSDoneInfo{})
			x.ConnectStart("tcp", "a")
			at(4)
			x.ConnectDone("tcp", "a", nil)
			at(7)
			x.GotConn(httptrace.GotConnInfo{Reused: true})
			x.TLSHandshakeStart()
			at(9)
			x.TLSHandshakeDone(tls.ConnectionState{}, nil)
		}, Phases{7, true, none, none, none}},
		"the second address answers": {func(at func(time.Duration), x *httptrace.ClientTrace) {
			at(1)
			x.ConnectStart("tcp", "a")
			at(2)
			x.ConnectStart("tcp", "b")
			at(3)
			x.ConnectDone("tcp", "a", refused)
			at(5)
			x.ConnectDone("tcp", "b", nil)
			at(9)
			x.ConnectDone("tcp", "a", nil)
		}, Phases{none, false, none, 4, none}},
		"refused": {func(at func(time.Duration), x *httptrace.ClientTrace) {
			x.ConnectStart("tcp", "a")
			at(3)
			x.ConnectDone("tcp", "a", refused)
		}, Phases{none, false, none, none, none}},
	} {
		now := time.Duration(0)
		k := NewConnection(func() time.Duration { return now })
		c.play(func(d time.Duration) { now = d }, k.Trace(func() {}))
		if got := k.Known(); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// TestColdConnections asks a server over TLS twice, on one connection and on two.
func TestColdConnections(t *testing.T) {
	// Not flushed: the end of the body comes with its bytes, however busy the machine is, and
	// the connection can be used again.
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, delta(`"content":"Hi"`)+stop+done)
	}))
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	for _, cold := range []bool{false, true} {
		loop := newTestLoop()
		go loop.run()
		client, err := NewClient(Config{URL: server.URL, Protocol: dialect.OpenAIChat, Model: "m", Roots: roots, Cold: cold}, loop)
		if err != nil {
			t.Fatal(err)
		}
		b := &bench{loop: loop, client: client}
		var got []string
		for range 2 {
			r := b.ask().wait()
			x := r.Transport
			got = append(got, fmt.Sprintf("%s: reused %t, DNS %t, connect %t, TLS %t", r.Outcome, x.Reused, x.DNS > 0, x.Connect > 0, x.TLS > 0))
		}
		first, second := "ok: reused false, DNS false, connect true, TLS true", "ok: reused true, DNS false, connect false, TLS false"
		if cold {
			second = first
		}
		if got[0] != first || got[1] != second {
			t.Errorf("cold %t: %q, want %q and %q", cold, got, first, second)
		}
		client.Close()
		close(loop.ended)
	}
}
