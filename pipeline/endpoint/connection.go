package endpoint

import (
	"crypto/tls"
	"net/http/httptrace"
	"sync"
	"time"

	"halfsecond/pipeline"
)

// Connection is what is known of a request's way to its server. The transport tells of
// it from goroutines of its own, and goes on to tell of a connection that it opens when the
// request has taken another that became free: that is none of the request's.
type Connection struct {
	clock func() time.Duration

	mu     sync.Mutex // guards what follows
	phases Phases
	// When each phase began; Unknown when it has not, or has ended.
	dnsFrom, connectFrom, tlsFrom time.Duration
}

// Phases are the instants and spans of a connection. They are Unknown where the request
// did not get so far, or did not wait for that.
type Phases struct {
	Sent              time.Duration // it has its connection and goes out
	Reused            bool          // the connection was open before
	DNS, Connect, TLS time.Duration
}

// NewConnection returns one of which nothing is known yet.
func NewConnection(clock func() time.Duration) *Connection {
	return &Connection{
		clock:  clock,
		phases: Phases{Sent: pipeline.Unknown, DNS: pipeline.Unknown, Connect: pipeline.Unknown, TLS: pipeline.Unknown},

		dnsFrom: pipeline.Unknown, connectFrom: pipeline.Unknown, tlsFrom: pipeline.Unknown,
	}
}

// Known returns what is known so far.
func (c *Connection) Known() Phases {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.phases
}

// begin notes that a phase begins, unless it has.
func (c *Connection) begin(from *time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if *from == pipeline.Unknown && c.phases.Sent == pipeline.Unknown {
		*from = c.clock()
	}
}

// end notes that a phase has ended well.
func (c *Connection) end(span *time.Duration, from time.Duration) {
	if from != pipeline.Unknown {
		*span = c.clock() - from
	}
}

// Trace returns what has the transport tell of it. Sent is called when the request goes
// out. Of several addresses that are tried side by side, the first that answers counts.
func (c *Connection) Trace(sent func()) *httptrace.ClientTrace {
	finish := func(span, from *time.Duration, err error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if err == nil && *span == pipeline.Unknown && c.phases.Sent == pipeline.Unknown {
			c.end(span, *from)
		}
	}
	return &httptrace.ClientTrace{
		DNSStart:          func(httptrace.DNSStartInfo) { c.begin(&c.dnsFrom) },
		DNSDone:           func(i httptrace.DNSDoneInfo) { finish(&c.phases.DNS, &c.dnsFrom, i.Err) },
		ConnectStart:      func(_, _ string) { c.begin(&c.connectFrom) },
		ConnectDone:       func(_, _ string, err error) { finish(&c.phases.Connect, &c.connectFrom, err) },
		TLSHandshakeStart: func() { c.begin(&c.tlsFrom) },
		TLSHandshakeDone:  func(_ tls.ConnectionState, err error) { finish(&c.phases.TLS, &c.tlsFrom, err) },
		GotConn: func(i httptrace.GotConnInfo) {
			c.mu.Lock()
			c.phases.Sent, c.phases.Reused = c.clock(), i.Reused
			if i.Reused {
				c.phases.DNS, c.phases.Connect, c.phases.TLS = pipeline.Unknown, pipeline.Unknown, pipeline.Unknown
			}
			c.mu.Unlock()
			sent()
		},
	}
}
