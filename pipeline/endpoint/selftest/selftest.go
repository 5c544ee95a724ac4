// Package selftest tests the tester. A server in the process streams answers whose every
// chunk says when it was written; a client such as that of the run, on a loop such as that
// of the run, reads them over the loopback interface. What it reports is held against
// what is known, on the one clock of both.
//
// Read selftest.go for the course of a test, server.go for the streams, stream.go for
// what is held against what.
package selftest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/pipeline/exchange"
	"halfsecond/pipeline/quantile"
	"halfsecond/pipeline/trace"
)

// The streams. Their gaps are 100 in all, the fewest that have a 99th percentile.
const (
	Streams = 4
	Chunks  = 26                    // of each
	Pace    = 20 * time.Millisecond // from the request to the first chunk, and from one to the next
	apart   = Pace / Streams        // from one request to the next
)

// longest is how long a test may take; on a machine that is not too busy it takes
// Chunks * Pace and a little.
const longest = 5 * time.Second

// Config says what is tested; the zero Config does for a client and a loop as they are by
// default.
type Config struct {
	// Client is the client of the run. That of the test has another address, model and
	// protocol (chat completions of OpenAI), no key and no caps, and keeps what goes over
	// the wire when that of the run does, to throw it away.
	Client endpoint.Config
	// Wall makes a loop such as that of the run; nil means NewPreciseWall of pipeline.
	Wall func() *pipeline.Wall
	// Listen and Dial are the two ends of the way to the server; nil means a free port of
	// the loopback interface, and TCP.
	Listen func() (net.Listener, error)
	Dial   func(ctx context.Context, network, addr string) (net.Conn, error)
}

// Run tests the tester, which takes about half a second and at most five. A test that
// cannot be made says why in its Failed; nothing of it stays behind.
func Run(ctx context.Context, c Config) trace.SelfTest {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	t := newTest()
	err := t.run(ctx, c)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("it was not through after %s", longest)
	}
	if err != nil {
		none := trace.LatenessOf(quantile.NewHistogram())
		return trace.SelfTest{Streams: Streams, Read: none, TTFT: none, Gap: none, Failed: err.Error()}
	}
	return trace.SelfTest{Streams: Streams, Read: trace.LatenessOf(t.read), TTFT: trace.LatenessOf(t.first), Gap: trace.LatenessOf(t.gap)}
}

// test is a test under way. It is owned by its loop.
type test struct {
	wall             *pipeline.Wall
	client           *endpoint.Client
	read, first, gap *quantile.Histogram
	open             int // streams that have not ended
	failed           error
}

func newTest() *test {
	return &test{read: quantile.NewHistogram(), first: quantile.NewHistogram(), gap: quantile.NewHistogram(), open: Streams}
}

func (t *test) run(ctx context.Context, c Config) error {
	listen, wall := c.Listen, c.Wall
	if listen == nil {
		listen = func() (net.Listener, error) { return net.Listen("tcp", "127.0.0.1:0") }
	}
	if wall == nil {
		wall = pipeline.NewPreciseWall
	}
	ln, err := listen()
	if err != nil {
		return err
	}
	t.wall = wall()
	s := serve(ln, t.wall.Elapsed)
	defer s.close()
	if t.client, err = endpoint.NewClient(clientOf(&c, ln), t.wall); err != nil {
		return errors.Join(err, t.runNothing())
	}
	defer t.client.Close()
	if err := t.client.WarmUp(ctx, warm(c.Client.Cold)); err != nil {
		return errors.Join(err, t.runNothing())
	}
	begun := t.wall.Elapsed()
	for i := range Streams {
		t.wall.At(begun+time.Duration(i)*apart, pipeline.RankTimer, func() { t.begin(int64(i + 1)) })
	}
	return errors.Join(t.wall.Run(ctx), t.failed)
}

// runNothing ends the loop of a test that asks nothing: only its end gives its timer back.
func (t *test) runNothing() error {
	t.wall.Stop()
	return t.wall.Run(context.Background())
}

// clientOf returns the client of a test: that of the run but for what it asks, and whom.
func clientOf(c *Config, ln net.Listener) endpoint.Config {
	own := endpoint.Config{
		URL: "http://" + ln.Addr().String(), Protocol: dialect.OpenAIChat, Model: "known",
		HashTexts: c.Client.HashTexts, Codings: c.Client.Codings, Cold: c.Client.Cold, DialContext: c.Dial,
	}
	if c.Client.Keep != nil {
		own.Keep = func(*exchange.Exchange) {}
	}
	return own
}

// warm returns how many connections are opened before the streams.
func warm(cold bool) int {
	if cold {
		return 1
	}
	return Streams
}
