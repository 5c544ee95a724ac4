package talk

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/exchange"
)

// Loop is what a Client needs of the loop that it runs on; pipeline.Wall is one.
type Loop interface {
	pipeline.Scheduler
	// Elapsed returns the time since the loop's instant zero, from any goroutine.
	Elapsed() time.Duration
	// Post has f run on the loop as something observed at stamp, from any goroutine and
	// without blocking. It reports false when the loop has ended.
	Post(stamp time.Duration, f func()) bool
}

// Config says where speech endpoints are, and how they are asked.
type Config struct {
	// URL is the base of the API: with no path, or with one that the protocol's path
	// begins with or goes on from. http and ws, https and wss stand for each other.
	URL string
	Key endpoint.Key
	// Limits are the longest times that are waited. Connect is for an open connection,
	// FirstByte from the request to the response's headers, or that of a handshake, and from
	// there to the word that a session is ready. Gap is for something to come or go after
	// that, or to come while the server is to speak; and Whole for all of it, the time before
	// there is anything to be said and the time that the audio plays aside.
	Limits endpoint.Limits
	// MaxBytes limits what one turn of a conversation receives; 0 means DefaultMaxBytes.
	MaxBytes int64
	// SendStream tells a mock of ours what to draw its delays from; never a rented endpoint.
	SendStream bool
	// Cold has each post open a connection; otherwise one is kept for the next.
	Cold bool

	// Keep, when set, is handed what went over the wire in each conversation, without the
	// key, once it has ended. It is called from a goroutine of the conversation. All of it is
	// kept until then, and a conversation that gets too long to be read again is ended.
	Keep func(*exchange.Exchange)

	// Roots are the authorities that sign servers' certificates; nil means those of the
	// machine.
	Roots *x509.CertPool
	// DialContext opens connections; nil means TCP.
	DialContext func(ctx context.Context, network, addr string) (net.Conn, error)
}

const (
	// DefaultMaxBytes limits a conversation: some 20 minutes of speech in base64.
	DefaultMaxBytes = 128 << 20
	// messagesBeside and bytesPerMessage say how many messages, or reads of a response, one
	// turn receives at most: so many, and one for each so many bytes of MaxBytes. What is kept
	// of one takes as much memory beside its bytes.
	messagesBeside  = 65_536
	bytesPerMessage = 128
	// MaxMessage is the longest message of a WebSocket that is taken, in bytes.
	MaxMessage = 16 << 20
	// maxUnsent is how many bytes may wait for a server that does not read.
	maxUnsent = 16 << 20
	// farewell is how long the server's answer to our close frame is waited for.
	farewell = time.Second
)

// Check reports everything that is wrong.
func (c Config) Check() error {
	var errs []error
	errs = append(errs, c.Key.Check())
	if c.MaxBytes < 0 {
		errs = append(errs, fmt.Errorf("limit of %d bytes a conversation is negative", c.MaxBytes))
	}
	for _, l := range []struct {
		name string
		d    time.Duration
	}{
		{"connect", c.Limits.Connect}, {"first byte", c.Limits.FirstByte}, {"gap", c.Limits.Gap}, {"whole", c.Limits.Whole},
	} {
		if l.d < 0 {
			errs = append(errs, fmt.Errorf("time limit %q is negative: %s", l.name, l.d))
		}
	}
	_, err := parse(c.URL)
	return errors.Join(append(errs, err)...)
}

// Client opens conversations with one endpoint. Its methods run on the loop.
type Client struct {
	Config
	Loop      Loop
	transport *http.Transport
	mostKept  int64 // bytes of a conversation's messages in the raw log

	ctx   context.Context // of all conversations; ended by Close
	stop  context.CancelCauseFunc
	lines sync.WaitGroup
}

// New returns a Client. The error names everything that is wrong with config.
func New(config Config, loop Loop) (*Client, error) {
	if err := config.Check(); err != nil {
		return nil, err
	}
	config.Limits, config.Key = config.Limits.WithDefaults(), config.Key.For(config.URL)
	config.MaxBytes = cmp.Or(config.MaxBytes, DefaultMaxBytes)
	if config.DialContext == nil {
		config.DialContext = (&net.Dialer{}).DialContext
	}
	c := &Client{Config: config, Loop: loop, mostKept: exchange.MostMessages}
	c.transport = &http.Transport{
		DialContext:            config.DialContext,
		TLSClientConfig:        &tls.Config{RootCAs: config.Roots},
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		DisableKeepAlives:      config.Cold,
		MaxIdleConnsPerHost:    64,
		MaxResponseHeaderBytes: 1 << 20,
	}
	c.ctx, c.stop = context.WithCancelCause(context.Background())
	return c, nil
}

// Reasons why the client itself ended a conversation.
var (
	ErrCancelled = errors.New("cancelled by the asker")
	ErrClosed    = errors.New("the client was closed")
)

// Close ends all conversations, waits for their goroutines and closes the connections.
// None must be opened during or after it.
func (c *Client) Close() {
	c.stop(ErrClosed)
	c.lines.Wait()
	c.transport.CloseIdleConnections()
}

// mostMessages returns how many messages one turn receives at most.
func mostMessages(bytes int64) int64 { return messagesBeside + bytes/bytesPerMessage }
