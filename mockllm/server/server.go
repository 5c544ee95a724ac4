// Package server is a mock server whose answers come at the speed of modelled
// engines on the wall clock.
//
// Read server.go for the server and its loop; the protocols are in text and voice,
// and ledger keeps what was asked.
package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/server/text"
	"halfsecond/mockllm/server/voice"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// Model is one model that the server offers.
type Model = text.Model

// Config sets up a Server. What it leaves out is as text.Config has it.
type Config struct {
	Models []Model
	// Loop is the clock that the engines run on; the server runs it.
	Loop *pipeline.Wall
	// ReplyTokens is the length of an answer that the client neither dictates nor
	// limits.
	ReplyTokens dist.Count
	// Seed picks the words and lengths of answers, beside the prompt.
	Seed uint64
	// MaxBody is the largest request body in bytes.
	MaxBody int64
	// Transcript is what speech to text hears, an utterance each.
	Transcript []string
	// Certificate makes the server speak TLS; nil leaves it plain.
	Certificate *Certificate
	// Key is what a client must send, in any of the places where clients send keys;
	// "" checks nothing.
	Key string
	// Limit is the p99 of the write error above which the server calls itself unfit; 0
	// means ledger.DefaultLimit.
	Limit time.Duration
}

// shutdownLimit is how long the handlers have to find their way out.
const shutdownLimit = 5 * time.Second

// Server serves models. Make one with New, and Run it once.
type Server struct {
	// Ledger is what was asked and how late the answers were written.
	Ledger *ledger.Ledger

	config  Config
	loop    *pipeline.Wall
	text    *text.Service
	voice   *voice.Service
	stopped chan struct{} // closed when the loop has ended
}

// New returns a server of the given models. The error names what is wrong.
func New(c Config) (*Server, error) {
	s := &Server{config: c, loop: c.Loop, stopped: make(chan struct{})}
	s.Ledger = ledger.New(ledger.Config{Limit: c.Limit, State: s.state, Began: time.Now().Add(-c.Loop.Elapsed())})
	var err error
	s.text, err = text.New(text.Config{
		Models: c.Models, Loop: c.Loop, ReplyTokens: c.ReplyTokens, Seed: c.Seed, MaxBody: c.MaxBody,
		Ledger: s.Ledger, Stopped: s.stopped,
	})
	if err != nil {
		return nil, err
	}
	s.voice = voice.New(voice.Config{Loop: c.Loop, Seed: c.Seed, Transcript: c.Transcript, Ledger: s.Ledger, Stopped: s.stopped})
	c.Loop.Lateness = s.Ledger.Late
	return s, nil
}

func (s *Server) state() map[string]engine.Stats { return s.text.State() }

// Handler returns the server's routes. They answer only while Run runs the loop.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	s.text.Handle(mux)
	s.voice.Handle(mux)
	mux.HandleFunc("GET /v1/halfsecond/requests", s.Ledger.Show)
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"status":"ok"}`)) // the client may be gone
	})
	mux.Handle("GET /metrics", s.Ledger.Metrics())
	mux.HandleFunc("/", s.text.Unknown)
	return mux
}

// Run serves on the listener until ctx ends, then cancels what is under way and
// returns nil. It closes the listener.
func (s *Server) Run(ctx context.Context, ln net.Listener) error {
	// The loop outlives the handlers: they wait on it for the end of their
	// generations.
	if s.config.Certificate != nil {
		ln = s.config.Certificate.listen(ln)
	}
	loop, stopLoop := context.WithCancel(context.WithoutCancel(ctx))
	g, ctx := errgroup.WithContext(ctx)
	h := &http.Server{
		Handler:           s.Handler(),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	g.Go(func() error {
		defer close(s.stopped)
		if err := s.loop.Run(loop); !errors.Is(err, context.Canceled) {
			return err
		}
		return nil
	})
	g.Go(func() error {
		if err := h.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve %s: %w", ln.Addr(), err)
		}
		return nil
	})
	g.Go(func() error {
		defer stopLoop()
		<-ctx.Done()
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownLimit)
		defer cancel()
		if h.Shutdown(grace) != nil {
			return h.Close()
		}
		return nil
	})
	defer s.voice.Wait()
	return g.Wait()
}
