package selftest

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

// server streams answers of known timing.
type server struct {
	clock func() time.Duration
	http  http.Server
	// ended waits for the server and for its connections.
	ended sync.WaitGroup
}

// serve starts a server, which closes ln in the end.
func serve(ln net.Listener, clock func() time.Duration) *server {
	s := &server{clock: clock}
	s.http.Handler = s
	s.http.ErrorLog = log.New(io.Discard, "", 0)
	s.http.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew: // before the goroutine of the connection begins, by that which ended waits for
			s.ended.Add(1)
		case http.StateClosed:
			s.ended.Done()
		}
	}
	s.ended.Go(func() { _ = s.http.Serve(ln) }) // ends with close; an error before fails the streams
	return s
}

// close ends the server and waits until nothing of it runs.
func (s *server) close() {
	_ = s.http.Close() // what cannot be closed is closed
	s.ended.Wait()
}

// ServeHTTP answers a request for a completion. Instants are taken just before a write, so
// that a chunk is never read before it was written.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	arrived := s.clock()
	if r.Method != http.MethodPost {
		http.Error(w, "there is no list", http.StatusNotFound)
		return
	}
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	flusher := http.NewResponseController(w)
	for i := range Chunks {
		if !s.until(r.Context(), arrived+time.Duration(i+1)*Pace) {
			return
		}
		fmt.Fprintf(w, chunk, words(arrived, s.clock()))
		if flusher.Flush() != nil {
			return
		}
	}
	fmt.Fprint(w, last)
}

// until waits for an instant; it reports false when ctx ended before.
func (s *server) until(ctx context.Context, at time.Duration) bool {
	timer := time.NewTimer(at - s.clock())
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

const (
	chunk = `data: {"id":"known","object":"chat.completion.chunk","created":0,"model":"known","choices":[{"index":0,"delta":{"content":"%s"},"finish_reason":null}]}` + "\n\n"
	last  = `data: {"id":"known","object":"chat.completion.chunk","created":0,"model":"known","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
)

// words are the text of a chunk: when its request arrived, and when it is written.
func words(arrived, written time.Duration) string { return fmt.Sprintf("%d %d.", arrived, written) }

// instants reads the words of a chunk.
func instants(text string) (arrived, written time.Duration, err error) {
	if _, err = fmt.Sscanf(text, "%d %d.", &arrived, &written); err != nil {
		err = fmt.Errorf("a chunk says %q, which is no two instants", text)
	}
	return arrived, written, err
}
