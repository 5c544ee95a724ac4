package endpoint

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"sync"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/pipeline/endpoint/reply"
)

// Loop is what a Client needs of the loop that it runs on; pipeline.Wall is one.
type Loop interface {
	// Now returns the due instant of the work in hand. It is called on the loop.
	Now() time.Duration
	// Elapsed returns the time since the loop's instant zero, from any goroutine.
	Elapsed() time.Duration
	// Post has f run on the loop as something observed at stamp, from any
	// goroutine and without blocking. It reports false when the loop has ended.
	Post(stamp time.Duration, f func()) bool
}

// Client is an endpoint as a pipeline.LLM. Start and Cancel run on the loop, as
// do the callbacks of a call. Each request has a goroutine of its own, which
// takes the instant right after each read and posts it.
//
// A request goes out once: it is never repeated behind the caller's back, not
// even on a connection that the server had closed, and no redirect is followed.
//
// A Client asks for plain bytes (identity) unless it is told otherwise, keeps
// connections open unless it is to measure cold ones, and obeys no proxy setting of the
// environment.
type Client struct {
	config    Config
	dialect   *dialect.Dialect
	address   address
	loop      Loop
	transport *http.Transport
	lines     *lines

	ctx     context.Context // of all requests; ended by Close
	stop    context.CancelCauseFunc
	flights sync.WaitGroup

	account account // owned by the loop
}

var (
	errCancelled = errors.New("cancelled by the asker")
	errClosed    = errors.New("the client was closed")
)

// NewClient returns a Client of the endpoint that config describes. The error
// names everything that is wrong with config.
func NewClient(config Config, loop Loop) (*Client, error) {
	d, at, err := config.resolve()
	if err == nil && config.MaxCost > 0 && !config.Price.Known() {
		err = fmt.Errorf("cap of %s, and no price is known", config.MaxCost)
	}
	if err != nil {
		return nil, fmt.Errorf("endpoint: %w", err)
	}
	config.Limits, config.Key = config.Limits.WithDefaults(), config.Key.For(config.URL)
	// A dial goes on after the request that wanted it has met its limit, since a later one may
	// use the connection; it gets twice the time.
	longest := 2 * config.Limits.Connect
	l := newLines(config.DialContext, longest)
	c := &Client{config: config, dialect: d, address: at, loop: loop, lines: l, transport: newTransport(config, l, longest), account: newAccount(&config)}
	c.ctx, c.stop = context.WithCancelCause(context.Background())
	return c, nil
}

// newTransport returns the transport of a client, whose handshakes take no longer than that.
func newTransport(config Config, l *lines, longest time.Duration) *http.Transport {
	return &http.Transport{
		DialContext:            l.connect,
		TLSClientConfig:        &tls.Config{RootCAs: config.Roots},
		TLSHandshakeTimeout:    longest,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		DisableKeepAlives:      config.Cold,
		MaxIdleConnsPerHost:    math.MaxInt32, // as many as were in use at once
		MaxResponseHeaderBytes: 1 << 20,
		ReadBufferSize:         reply.ReadBytes,
	}
}

// Start implements pipeline.LLM. A call over a cap of the client, or one that the
// protocol cannot carry, ends as Dropped and nothing is sent.
func (c *Client) Start(call *pipeline.Call) {
	f := &flight{client: c, call: call, connection: NewConnection(c.loop.Elapsed), landed: make(chan pipeline.Outcome, 1)}
	call.State = f
	body, err := c.admit(f)
	if err != nil {
		c.loop.Post(c.loop.Now(), func() { f.drop(err) })
		return
	}
	ctx, cancel := context.WithCancelCause(c.ctx)
	f.cancel = cancel
	c.flights.Go(func() { f.fly(ctx, body) })
}

// admit counts a call against the caps and returns the body of its request.
func (c *Client) admit(f *flight) ([]byte, error) {
	body, err := c.ask(f.call)
	if err != nil {
		return nil, err
	}
	f.reserved = c.account.stands(f.call)
	return body, c.account.admit(f.reserved)
}

// Cancel implements pipeline.LLM: it closes the request on the wire.
func (c *Client) Cancel(call *pipeline.Call) {
	f, ok := call.State.(*flight)
	if !ok || f.ended || f.cancel == nil {
		return
	}
	f.cancelled = true
	f.cancel(errCancelled)
}

// Close ends all requests, waits for their goroutines and closes the connections.
// Calls under way end as Cancelled if the loop still runs. Start must not be
// called during or after Close.
func (c *Client) Close() {
	c.stop(errClosed)
	c.flights.Wait()
	c.transport.CloseIdleConnections()
	c.lines.close()
}

// WarmUp opens n connections, so that the first n requests that run at once find
// one. It asks for the list of models on each and does not care what the server
// answers. Over HTTP/2 one connection serves all.
func (c *Client) WarmUp(ctx context.Context, n int) error {
	limits := c.config.Limits
	ctx, cancel := context.WithTimeout(ctx, limits.Connect+limits.FirstByte)
	defer cancel()
	responses := make([]*http.Response, n)
	errs := make([]error, n)
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() { responses[i], errs[i] = c.models(ctx) })
	}
	group.Wait()
	// A connection is free again when its body is read: only now, so that no two
	// requests shared one.
	for _, resp := range responses {
		if resp != nil {
			_, err := io.Copy(io.Discard, io.LimitReader(resp.Body, reply.DefaultMaxBytes))
			errs = append(errs, err, resp.Body.Close())
		}
	}
	for _, err := range errs {
		if err != nil {
			return fmt.Errorf("warm up endpoint %s: %s", c.address.shown, c.tidy(err.Error()))
		}
	}
	return nil
}

func (c *Client) models(ctx context.Context) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.address.models, nil)
	if err != nil {
		return nil, err
	}
	c.sign(req, "application/json")
	return c.transport.RoundTrip(req)
}

// sign sets the headers that every request has.
func (c *Client) sign(req *http.Request, accept string) {
	req.Header.Set("Accept", accept)
	req.Header.Set("Accept-Encoding", cmp.Or(c.config.Codings, "identity"))
	req.Header.Set("User-Agent", "halfsecond")
	for _, h := range c.dialect.Headers {
		req.Header.Set(h[0], h[1])
	}
	c.config.Key.Sign(req.Header, c.dialect.KeyHeader, c.dialect.KeyPrefix)
}
