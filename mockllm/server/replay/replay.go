// Package replay serves recorded exchanges again, with the pace that they had where they
// were recorded.
//
// Read replay.go for the server, shelf.go for which exchange answers which request, play.go
// for how it is written, and models.go for the list of models.
package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"halfsecond/mockllm/server"
	"halfsecond/mockllm/server/ledger"
	"halfsecond/pipeline"
	"halfsecond/pipeline/exchange"
)

// Config sets up a Server.
type Config struct {
	Exchanges []*exchange.Exchange // at least one, each of which is Playable
	// Loop is the clock that the answers run on; the server runs it.
	Loop *pipeline.Wall
	// Certificate makes the server speak TLS; nil leaves it plain.
	Certificate *server.Certificate
	// Warn is told, in words, what the user of the server should do something about; nil
	// tells nobody. It may be called from any goroutine.
	Warn func(text string)
	// Limit is the p99 of the write error above which the server calls itself unfit; 0
	// means ledger.DefaultLimit.
	Limit time.Duration
}

// Server serves exchanges. Make one with New, and Run it once.
type Server struct {
	// Writes is how late the answers were written.
	Writes *ledger.Writes

	config Config
	shelf  *shelf
	models map[string][]byte // what GET of a path answers
}

// New returns a server of recorded exchanges. The error says which cannot be served.
func New(c Config) (*Server, error) {
	if len(c.Exchanges) == 0 {
		return nil, errors.New("replay: there is no exchange")
	}
	for i, x := range c.Exchanges {
		if err := x.Playable(); err != nil {
			return nil, fmt.Errorf("replay: exchange %d: %w", i+1, err)
		}
	}
	return &Server{
		Writes: ledger.New(ledger.Config{Limit: c.Limit}).Writes,
		config: c, shelf: newShelf(c.Exchanges), models: modelLists(c.Exchanges),
	}, nil
}

// Run serves on the listener until ctx ends, then breaks off what is under way and
// returns nil. It closes the listener.
func (s *Server) Run(ctx context.Context, ln net.Listener) error {
	h := server.Host{Handler: s, Loop: s.config.Loop, Certificate: s.config.Certificate, Warn: s.config.Warn}
	return h.Run(ctx, ln)
}

// mostBody is the longest body of a request in bytes.
const mostBody = 64 << 20

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	arrived := s.config.Loop.Elapsed()
	if list, ok := s.models[r.URL.Path]; ok && r.Method == http.MethodGet {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(list) // the client may be gone
		return
	}
	ask, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostBody))
	if err != nil {
		refuse(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("the request cannot be read: %s", err))
		return
	}
	x := s.shelf.take(r.Method, r.URL.Path, ask)
	if x == nil {
		refuse(w, http.StatusNotFound, fmt.Sprintf("nothing is recorded of %s %s, but of %s", r.Method, r.URL.Path, strings.Join(s.shelf.names(), ", ")))
		return
	}
	s.play(w, r, x, arrived)
}

// refuse answers what was not recorded, in the way of most APIs.
func refuse(w http.ResponseWriter, status int, message string) {
	text, err := json.Marshal(map[string]any{"error": map[string]any{"message": message, "type": "not_recorded", "code": status}})
	if err != nil {
		panic("replay: " + err.Error()) // texts always encode
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // the client may be gone
}
