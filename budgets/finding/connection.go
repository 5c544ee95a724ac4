package finding

import (
	"fmt"
	"strings"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/probe/seen"
	"halfsecond/pipeline/exchange"
)

// connections finds connections that are not kept, and that cost much to open.
func connections(v *view) []Finding {
	if v.Cold || len(v.begun) == 0 {
		return nil
	}
	if f, ok := v.closed(); ok {
		return []Finding{f}
	}
	const much = 150 * time.Millisecond
	first := v.begun[0]
	cost := opening(first)
	if cost < much {
		return nil
	}
	return []Finding{{
		ID: "slow_connection", Severity: Note, Cost: cost, Title: "opening a connection costs " + ms(cost),
		Evidence: []string{fmt.Sprintf("%s: %s", v.which(first), phases(first))},
		Fix:      "open it before the first user waits, keep it open, and have several when requests run side by side over HTTP/1.1",
	}}
}

// opening returns what it took to open the connection of a request; 0 for one that was
// open.
func opening(r *seen.Request) (sum time.Duration) {
	t := r.Record.Transport
	for _, d := range []time.Duration{t.DNS, t.Connect, t.TLS} {
		if d != pipeline.Unknown {
			sum += d
		}
	}
	return sum
}

// phases says what opening a connection took.
func phases(r *seen.Request) string {
	t := r.Record.Transport
	var said []string
	for _, p := range []struct {
		name string
		d    time.Duration
	}{{"DNS", t.DNS}, {"connect", t.Connect}, {"TLS", t.TLS}} {
		if p.d != pipeline.Unknown {
			said = append(said, p.name+" "+ms(p.d))
		}
	}
	return strings.Join(said, ", ")
}

// closed finds a server that closes the connection after each answer. One that the client
// itself may have closed, since it left before the body ended, tells nothing.
func (v *view) closed() (Finding, bool) {
	var costs []time.Duration
	for i, r := range v.ok {
		if i == 0 {
			continue
		}
		if r.Record.Transport.Reused || !closes(v.ok[i-1]) {
			return Finding{}, false
		}
		costs = append(costs, opening(r))
	}
	if len(costs) == 0 {
		return Finding{}, false
	}
	cost, last := median(costs), v.ok[len(v.ok)-1]
	f := Finding{
		ID: "connection_closed", Severity: Slow, Cost: cost, Title: "the server closes the connection after each answer, so that every request opens a new one",
		Evidence: []string{
			fmt.Sprintf("%d of %d later requests found no open connection%s", len(costs), len(costs), took(last)),
			"the responses came by HTTP/" + last.Record.Transport.HTTP,
		},
		Fix: "let the server, or the proxy before it, speak HTTP/1.1 or 2 and keep connections open: in nginx `keepalive_timeout 75s;`, in haproxy `option http-keep-alive`, in a server of your own no `Connection: close`",
	}
	if c := last.Header("Connection"); c != "" {
		f.Evidence[1] += " with Connection: " + c
	}
	return f, true
}

// took says what opening the connection of a request took, where that is known.
func took(r *seen.Request) string {
	if said := phases(r); said != "" {
		return "; opening one took " + ms(opening(r)) + " (" + said + ")"
	}
	return ""
}

// closes reports whether the server itself ended the connection of a request.
func closes(r *seen.Request) bool {
	return r.Record.Transport.HTTP == "1.0" || strings.EqualFold(r.Header("Connection"), "close") || r.Ended == exchange.EOF
}
