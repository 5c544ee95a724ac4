package serve

import (
	"context"
	"net"
	"net/http"
	"sync/atomic"
)

// connection is one that requests come over.
type connection struct {
	id   int64
	uses atomic.Int64 // requests that came over it
}

type connectionKey struct{}

var connections atomic.Int64

// Connected is an http.Server's ConnContext: it has the requests of a connection know it.
func Connected(ctx context.Context, _ net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, &connection{id: connections.Add(1)})
}

// use returns the connection of a request, 0 for unknown, and counts it.
func use(r *http.Request) (id int64, n int) {
	c, ok := r.Context().Value(connectionKey{}).(*connection)
	if !ok {
		return 0, 0
	}
	return c.id, int(c.uses.Add(1))
}
