package ide_test

import (
	"slices"
	"time"

	"halfsecond/pipeline"
)

// beyond are the figures that cannot be the case's over these sockets, and why. None of the
// fourteen cases needs any of them.
var beyond = []struct {
	why     string
	figures []string // nil for all
	applies func(x *sockets) bool
}{
	{
		"over HTTP nothing follows a request that was closed: only a language server must still answer",
		[]string{"late_answers_to_cancelled", "cancelled_answers", "protocol_errors"},
		func(x *sockets) bool { return x.setup.Plugin.Protocol == "lsp" },
	},
	{
		"net/http dials for each request until it has seen that the server speaks HTTP/2, and sends in any order what waits for that",
		nil,
		func(x *sockets) bool { return x.setup.Network.HTTP == "2" && x.net.dials() > 1 },
	},
	{
		"net/http sends a request that dials on a connection that becomes free meanwhile, and the next one on the connection of one that was closed while it dialled",
		nil,
		func(x *sockets) bool { return x.setup.Network.HTTP == "1.1" && x.boundLate },
	},
}

// lateBinding notes whether a request was not sent on the connection that was there for it
// when it was due, or that it dialled: one that was closed while it dialled leaves that to
// another.
func (x *sockets) lateBinding(r *pipeline.Request) {
	dial := x.net.toDial()
	waited := r.Sent - r.Due
	switch {
	case dial == 0:
	case r.Sent == pipeline.Unknown:
		x.boundLate = x.boundLate || r.Closed != pipeline.Unknown
	case waited != 0 && waited != dial:
		x.boundLate = true
	}
}

// beyondSockets returns why a figure of a case cannot be the one of the case, "" when it can.
func (x *sockets) beyondSockets(figure string) string {
	for _, b := range beyond {
		if (b.figures == nil || slices.Contains(b.figures, figure)) && b.applies(x) {
			return b.why
		}
	}
	return ""
}

// toDial is how long a connection takes to open.
func (n *network) toDial() time.Duration { return n.trips(n.config.TCPRTTs + n.config.TLSRTTs) }
