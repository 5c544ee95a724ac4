// Package server is an OpenAI-compatible HTTP server whose answers come at the
// speed of a modelled engine on the wall clock.
//
// Read server.go for the server and its loop, chat.go and completions.go for the
// two endpoints, generation.go for how a token gets from the loop to the socket
// at its instant, and apierror.go for what clients are told.
package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"halfsecond/mockllm/engine"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// Model is one model that the server offers.
type Model struct {
	Name    string
	Context int // most tokens of prompt and output together
	// Shares says that the engine reuses what prompts have in common, or that a
	// router before it looks at that.
	Shares bool
	// Build makes the engine that serves it, on the server's loop.
	Build func(loop pipeline.Scheduler) engine.Engine
}

// Config sets up a Server.
type Config struct {
	Models []Model
	// Loop is the clock that the engines run on; the server runs it.
	Loop *pipeline.Wall
	// ReplyTokens is the length of an answer that the client neither dictates nor
	// limits; the zero Count means DefaultReplyTokens.
	ReplyTokens dist.Count
	// Seed picks the words and lengths of answers, beside the prompt.
	Seed uint64
	// MaxBody is the largest request body in bytes; 0 means DefaultMaxBody.
	MaxBody int64
}

// DefaultMaxBody is the largest request body when none is set, in bytes. It holds
// a prompt of far more than 100,000 tokens.
const DefaultMaxBody = 8 << 20

// DefaultReplyTokens returns the length of an answer when none is set: the median
// and p95 of a chat answer, from the median and p90 of the generated tokens of the
// Azure LLM inference trace 2023, conversation (Azure/AzurePublicDataset, commit
// b469a11, CC-BY 4.0, Patel et al., ISCA 2024), read 2026-11-29: 129 and 424, the
// latter taken as p95 is a little short.
func DefaultReplyTokens() dist.Count {
	c, err := dist.CountFromQuantiles(129, 424)
	if err != nil {
		panic(err)
	}
	return c
}

const (
	readLimit     = time.Minute      // of a request's body
	writeLimit    = 30 * time.Second // of one write to a client that does not read
	shutdownLimit = 5 * time.Second  // of the handlers' way out
)

// Server serves models. Make one with New, and Run it once.
type Server struct {
	config  Config
	models  map[string]*model
	metrics *metrics
	started time.Time
	nextID  atomic.Int64
	stopped chan struct{} // closed when the loop has ended
}

// model is a Model with its engine.
type model struct {
	Model
	engine engine.Engine
}

// New returns a server of the given models. The error names what is wrong.
func New(c Config) (*Server, error) {
	if len(c.Models) == 0 {
		return nil, errors.New("a server needs at least one model")
	}
	if c.MaxBody == 0 {
		c.MaxBody = DefaultMaxBody
	}
	if c.ReplyTokens == (dist.Count{}) {
		c.ReplyTokens = DefaultReplyTokens()
	}
	s := &Server{config: c, models: map[string]*model{}, started: time.Now(), stopped: make(chan struct{})}
	for _, m := range c.Models {
		if m.Name == "" || s.models[m.Name] != nil {
			return nil, fmt.Errorf("model name %q is empty or given twice", m.Name)
		}
		s.models[m.Name] = &model{Model: m, engine: m.Build(c.Loop)}
	}
	s.metrics = newMetrics(s)
	c.Loop.Lateness = s.metrics.lateness.Observe
	return s, nil
}

// Handler returns the server's routes. They answer only while Run runs the loop.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.chat)
	mux.HandleFunc("POST /v1/completions", s.completions)
	mux.HandleFunc("GET /v1/models", s.list)
	mux.HandleFunc("GET /v1/models/{model...}", s.show)
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, r *http.Request) {
		writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
	})
	mux.Handle("GET /metrics", s.metrics.handler())
	mux.HandleFunc("/", s.unknown)
	return mux
}

// Run serves on the listener until ctx ends, then cancels what is under way and
// returns nil. It closes the listener.
func (s *Server) Run(ctx context.Context, ln net.Listener) error {
	// The loop outlives the handlers: they wait on it for the end of their
	// generations.
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
		if err := s.config.Loop.Run(loop); !errors.Is(err, context.Canceled) {
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
	return g.Wait()
}
