// Package peer is the other side of a client of speech, and what such a client runs on, in
// memory, for tests: inside a testing/synctest bubble every instant is exact.
//
// Read rig.go for the client's side, script.go for servers that do what a test says, mock.go
// for the mock, voice.go for what is said to them, and again.go for how each record is made
// a second time from what went over the wire.
package peer

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/mockllm/server/memnet"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/pipeline/exchange"
)

// Key is the key that clients have. It must show nowhere.
const Key = "s3cret-key"

// Serve adds what is served, and returns what waits for it to end.
type Serve func(mux *http.ServeMux) (wait func())

// Rig is a loop, and where a client on it connects.
type Rig struct {
	T    *testing.T
	Loop *pipeline.Wall

	ln  *memnet.Listener
	ids int64

	mu    sync.Mutex // guards what follows
	kept  []*exchange.Exchange
	again []func(map[int64]*exchange.Exchange)
}

// Bubble runs a test inside a bubble, with a client of what is served. At the end every
// record is made again that Expect was told of.
func Bubble[C interface{ Close() }](t *testing.T, serve Serve, connect func(r *Rig) (C, error), test func(r *Rig, client C)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &Rig{T: t, Loop: pipeline.NewWall(), ln: memnet.Listen()}
		mux := http.NewServeMux()
		wait := serve(mux)
		server := &http.Server{Handler: mux}
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() { _ = server.Serve(r.ln) })
		all.Go(func() { _ = r.Loop.Run(ctx) })
		client, err := connect(r)
		if err != nil {
			t.Fatal(err)
		}
		test(r, client)
		client.Close()
		wait()
		cancel()
		_ = server.Close()
		all.Wait()
		r.retell()
	})
}

// Reach has a client reach what is served, with Key, and its raw log kept.
func (r *Rig) Reach(c *talk.Config) {
	c.URL, c.Key, c.DialContext = "http://peer.test", endpoint.NewKey(Key), r.ln.DialContext
	c.Keep = func(x *exchange.Exchange) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.kept = append(r.kept, x)
	}
}

// Kept returns what the raw log has.
func (r *Rig) Kept() []*exchange.Exchange {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.kept
}

// Do has work done on the loop.
func (r *Rig) Do(work func()) { r.Loop.Post(r.Loop.Elapsed(), work) }

// ID returns one that no request has.
func (r *Rig) ID() int64 {
	r.ids++
	return r.ids
}

// Now returns the loop's instant.
func (r *Rig) Now() time.Duration { return r.Loop.Elapsed() }
