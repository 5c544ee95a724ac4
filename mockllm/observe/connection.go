package observe

import (
	"fmt"
	"time"

	"halfsecond/pipeline"
)

const (
	// keptOpen is how long a client can be expected to keep a connection that it does not
	// use: less than the 90 s of Go's own client, and about the 60 s of nginx; assumed.
	keptOpen = 30 * time.Second
	// dialShare is the share of requests with a needless new connection from which on it is
	// a habit; assumed.
	dialShare = 0.2
)

// line is what is known of a connection.
type line struct {
	client string
	last   *Request
	shared bool
}

// free reports whether a request of that client could have come over the connection.
func (l *line) free(r *Request) bool {
	if l.client != r.Client {
		return false
	}
	if l.shared {
		over := l.last.over()
		return over == pipeline.Unknown || r.Arrived-over <= keptOpen
	}
	return l.last.Left == pipeline.Unknown && l.last.Ended != pipeline.Unknown && l.last.Ended < r.Arrived && r.Arrived-l.last.Ended <= keptOpen
}

// newConnections finds requests that open a connection though one is free. That a request
// which is given up over HTTP/1.1 takes its connection with it is no habit.
func newConnections(v *view) (Finding, bool) {
	lines := map[int64]*line{}
	var needless []*Request
	known, fresh := 0, 0
	for _, r := range v.requests {
		if r.Connection == 0 {
			continue
		}
		known++
		if r.Use == 1 && known > 1 {
			fresh++
			for _, l := range lines {
				if l.free(r) {
					needless = append(needless, r)
					break
				}
			}
		}
		lines[r.Connection] = &line{r.Client, r, r.Shared}
	}
	s := share(len(needless), known)
	if len(needless) < leastSeen || s < dialShare {
		return Finding{}, false
	}
	last := needless[len(needless)-1]
	return Finding{
		ID: "new_connections", Share: s, Title: "requests open a connection each, though one is free",
		Evidence: []string{fmt.Sprintf("%d of %d requests came over a new connection, %d of them while an earlier one of the same client was idle and had not been given up; such as %s", fresh, known, len(needless), when(last))},
		Fix:      "keep connections open: one client object for all requests, a pool of several idle connections (Go: MaxIdleConnsPerHost, Node: an Agent with keepAlive), and read each answer to its end; HTTP/2 keeps its connection even when a request is given up",
	}, true
}
