package ide_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"halfsecond/pipeline"
)

// beyond are the figures that cannot be the case's over these sockets, and why. None of the
// fourteen cases needs any of them.
var beyond = []struct {
	why     string
	figures []string // nil for all
	applies func(x *sockets) bool

	example string // a case of it
	differs string // a figure of that
}{
	{
		"over HTTP nothing follows a request that was closed: only a language server must still answer",
		[]string{"late_answers_to_cancelled", "cancelled_answers", "protocol_errors"},
		func(x *sockets) bool { return x.setup.Plugin.Protocol == "lsp" },
		`"keys":[{"t_ms":0,"gap_ms":50,"count":2}],"plugin":{"protocol":"lsp","cancel":"wire"},"server":{"slots":2,"ttft_ms":100,"detect":"never"}`,
		"late_answers_to_cancelled",
	},
	{
		"net/http dials for each request until it has seen that the server speaks HTTP/2, and sends in any order what waits for that",
		nil,
		func(x *sockets) bool { return x.setup.Network.HTTP == "2" && x.net.dials() > 1 },
		`"keys":[{"t_ms":0,"gap_ms":30,"count":2}],"server":{"slots":2,"ttft_ms":100},"network":{"rtt_ms":20,"http":"2"}`,
		"dials",
	},
	{
		"net/http sends a request that dials on a connection that becomes free meanwhile, and the next one on the connection of one that was closed while it dialled",
		nil,
		func(x *sockets) bool { return x.setup.Network.HTTP == "1.1" && x.boundLate },
		`"keys":[{"t_ms":0,"gap_ms":30,"count":2}],"plugin":{"cancel":"wire"},"server":{"slots":2,"ttft_ms":100},"network":{"rtt_ms":20}`,
		"first_text_at",
	},
}

// TestBeyond: the list is no longer than it must be. A case of each differs.
func TestBeyond(t *testing.T) {
	for _, b := range beyond {
		text := `{"id":"beyond","variants":[{"name":"as stated"}],` + b.example + `}`
		want, got, x := onBothClocks(t, text)
		if !b.applies(x) || reflect.DeepEqual(want[b.differs], got[b.differs]) {
			t.Errorf("%s: it applies %t; %s = %v on the virtual clock, %v over sockets, want two that differ", b.why, b.applies(x), b.differs, want[b.differs], got[b.differs])
		}
	}
}

// lateBinding notes whether a request was not sent on the connection that was there for it
// when it was due, or that it dialled: one that was closed while it dialled leaves that to
// another.
func (x *sockets) lateBinding(r *pipeline.Request) {
	dial, sent := x.net.toDial(), r.Sent
	if a := x.asked.by[uint64(r.ID)]; a != nil {
		sent = a.came - x.net.way().Out
	}
	switch waited := sent - r.Due; {
	case dial == 0:
	case sent == pipeline.Unknown:
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
