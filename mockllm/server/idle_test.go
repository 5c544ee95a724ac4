package server

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/pipeline"
)

// TestIdle: a connection that no request is on stays open as long as is stated, and two
// minutes where nothing is.
func TestIdle(t *testing.T) {
	for stated, stays := range map[time.Duration]time.Duration{0: 2 * time.Minute, 5 * time.Second: 5 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			r := startConfig(t, Config{Idle: stated, Models: []Model{{Name: "m", Context: 100, Build: func(l pipeline.Scheduler) engine.Engine {
				return engine.NewSlots(l, engine.SlotsConfig{Service: engine.Fixed{}, Slots: 1, MaxContext: 100})
			}}}})
			defer r.stop()
			dials := 0
			transport := r.client.Transport.(*http.Transport)
			dial := transport.DialContext
			transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
				dials++
				return dial(ctx, network, addr)
			}
			for i, c := range []struct {
				after time.Duration
				want  int
			}{{0, 1}, {stays - time.Second, 1}, {stays + time.Second, 2}} {
				time.Sleep(c.after)
				a, err := r.post(t.Context(), "/v1/completions", `{"model":"m","prompt":"a","mock_answer":"b"}`)
				if err != nil {
					t.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, a.Body)
				a.Body.Close()
				if dials != c.want {
					t.Errorf("idle %s: request %d, after %s: %d dials, want %d", stated, i+1, c.after, dials, c.want)
				}
			}
		})
	}
}
