package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"halfsecond/mockllm/server/text"
	"halfsecond/pipeline"
)

// Host runs a handler, and the loop that its answers come from.
type Host struct {
	Handler http.Handler
	Loop    *pipeline.Wall
	// Certificate makes it speak TLS; nil leaves it plain.
	Certificate *Certificate
	// Warn is told, in words, what the user should do something about; nil tells nobody. It
	// may be called from any goroutine.
	Warn func(text string)
	// Idle is how long a connection stays open that no request is on; 0 means two minutes.
	Idle time.Duration
	// Beside, when set, runs beside it until its ctx ends.
	Beside func(ctx context.Context) error
	// Stopped, when set, is called once the loop has ended.
	Stopped func()
}

// shutdownLimit is how long the handlers have to find their way out, and shutdownSilence
// how long before the user is told what that takes.
const (
	shutdownLimit   = 5 * time.Second
	shutdownSilence = 500 * time.Millisecond
)

// Run serves on the listener until ctx ends, then cancels what is under way and
// returns nil. It closes the listener.
func (h *Host) Run(ctx context.Context, ln net.Listener) error {
	// The loop outlives the handlers: they wait on it for the end of their answers.
	ln = &door{Listener: ln, warn: h.Warn}
	if h.Certificate != nil {
		ln = h.Certificate.listen(ln)
	}
	loop, stopLoop := context.WithCancel(context.WithoutCancel(ctx))
	g, ctx := errgroup.WithContext(ctx)
	clients := &connections{busy: map[net.Conn]bool{}}
	front := h.front(ctx, clients)
	g.Go(func() error { return h.runLoop(loop) })
	g.Go(func() error {
		if err := front.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve %s: %w", ln.Addr(), err)
		}
		return nil
	})
	if h.Beside != nil {
		g.Go(func() error { return h.Beside(ctx) })
	}
	g.Go(func() error {
		defer stopLoop()
		<-ctx.Done()
		return h.shutDown(front, clients)
	})
	return g.Wait()
}

func (h *Host) runLoop(ctx context.Context) error {
	if h.Stopped != nil {
		defer h.Stopped()
	}
	if err := h.Loop.Run(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// warn tells the user of the server something.
func (h *Host) warn(text string) {
	if h.Warn != nil {
		h.Warn(text)
	}
}

// front returns the server of HTTP, whose requests end with ctx.
func (h *Host) front(ctx context.Context, clients *connections) *http.Server {
	s := &http.Server{
		Handler:           h.Handler,
		ConnState:         clients.track,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       cmp.Or(h.Idle, 2*time.Minute),
		MaxHeaderBytes:    64 << 10,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ConnContext:       text.Connected,
	}
	if h.Warn != nil {
		s.ErrorLog = log.New(complaints{ctx, h.Warn}, "", 0)
	}
	return s
}

// complaints is what net/http has to say of connections, such as those that failed to
// agree on TLS: something to warn of, until the server itself ends them.
type complaints struct {
	ctx  context.Context
	warn func(text string)
}

// Write implements io.Writer.
func (c complaints) Write(p []byte) (int, error) {
	text := strings.TrimSpace(string(p))
	switch {
	case strings.HasSuffix(text, "client sent an HTTP request to an HTTPS server"):
		text += " (use https://)"
	case strings.Contains(text, "TLS handshake error"):
		text += " (a client that does not trust the certificate ends so)"
	}
	if c.ctx.Err() == nil {
		c.warn(text)
	}
	return len(p), nil
}

// shutDown ends a server once its handlers have ended, or have had their time.
func (h *Host) shutDown(front *http.Server, clients *connections) error {
	clients.end()
	grace, cancel := context.WithTimeout(context.Background(), shutdownLimit)
	defer cancel()
	told := time.AfterFunc(shutdownSilence, func() {
		h.warn(fmt.Sprintf("waiting for clients to take the rest of their answers, %s at most; connections that wait: %d; Ctrl-C ends it at once", shutdownLimit, clients.open()))
	})
	defer told.Stop()
	if front.Shutdown(grace) != nil {
		return front.Close()
	}
	return nil
}
