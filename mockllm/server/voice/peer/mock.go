package peer

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/server/voice"
	"halfsecond/pipeline"
)

// Mock serves the mock's speech, of which c says what is of interest.
func Mock(t testing.TB, c voice.Config) Serve {
	return func(mux *http.ServeMux) func() {
		c.Loop = pipeline.NewWall()
		stopped, done := make(chan struct{}), make(chan struct{})
		c.Stopped, c.Ledger = stopped, ledger.New(ledger.Config{Began: time.Now()})
		s := voice.New(c)
		s.Handle(mux)
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			defer close(done)
			if err := c.Loop.Run(ctx); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			close(stopped)
		}()
		return func() { cancel(); <-done; s.Wait() }
	}
}
