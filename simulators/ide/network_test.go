package ide_test

import (
	"context"
	"crypto/x509"
	"math"
	"net"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"halfsecond/mockllm/server"
	"halfsecond/mockllm/server/memnet"
	"halfsecond/pipeline"
	"halfsecond/simulators/ide/cases"
)

// network is that of a case, in memory. A byte takes half a round trip; to dial takes what
// the case says, of which a handshake of TLS is one round trip of its own.
type network struct {
	*memnet.Listener
	config      *cases.Network
	certificate *server.Certificate // nil for HTTP/1.1, which is plain
	dialled     atomic.Int64
	begun       atomic.Bool
}

func newNetwork(t *testing.T, config *cases.Network) *network {
	n := &network{Listener: memnet.ListenFar(), config: config}
	if config.HTTP == "2" {
		var err error
		if n.certificate, err = server.NewCertificate(t.TempDir(), "mock"); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

func (n *network) url() string {
	if n.certificate != nil {
		return "https://mock"
	}
	return "http://mock"
}

// roots are the authorities that the client trusts.
func (n *network) roots(t *testing.T) *x509.CertPool {
	if n.certificate == nil {
		return nil
	}
	text, err := os.ReadFile(n.certificate.Path)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(text)
	return roots
}

// trips returns so many round trips.
func (n *network) trips(count float64) time.Duration {
	return time.Duration(math.Round(n.config.RTT * count * float64(time.Millisecond)))
}

// way is how long a byte takes.
func (n *network) way() pipeline.Way {
	return pipeline.Way{Out: n.trips(1) / 2, Back: n.trips(1) / 2}
}

// begin has distance count from now on, and dials.
func (n *network) begin() {
	n.SetWay(n.way().Out)
	n.begun.Store(true)
}

// dials returns how many connections were opened for requests.
func (n *network) dials() int { return int(n.dialled.Load()) }

// dial opens a connection.
func (n *network) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if n.begun.Load() {
		n.dialled.Add(1)
		count := n.config.TCPRTTs + n.config.TLSRTTs
		if n.certificate != nil {
			count-- // the handshake itself
		}
		time.Sleep(max(0, n.trips(count)))
	}
	return n.DialContext(ctx, network, address)
}
