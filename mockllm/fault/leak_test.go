package fault

import (
	"context"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"time"
)

// TestAbortedRequests checks that nothing is left of a thousand clients that hung up in
// the middle of a fault.
func TestAbortedRequests(t *testing.T) {
	g := start(t, `rules:
  - {match: {every: 2}, stall: {at: 2, for: 1h}}
  - {match: {every: 3}, slow_headers: 1h}
  - {match: {every: 5}, buffer: {mode: clumps, every: 10ms}}
  - {match: {every: 7}, drip: {bytes: 1, every: 1h}}
  - {match: {every: 11}, cut: 3}
`)
	before := runtime.NumGoroutine()
	var workers sync.WaitGroup
	for range 20 {
		workers.Go(func() {
			for range 50 {
				ctx, cancel := context.WithTimeout(t.Context(), 15*time.Millisecond)
				r, err := http.NewRequestWithContext(ctx, http.MethodGet, g.url+"/v1/x", nil)
				if err != nil {
					t.Error(err)
				}
				g.do(r)
				cancel()
			}
		})
	}
	workers.Wait()
	g.client.CloseIdleConnections()
	eventually(t, "the end of all handlers", func() bool { return runtime.NumGoroutine() <= before+1 })
}
