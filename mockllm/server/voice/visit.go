package voice

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"halfsecond/mockllm/server/ledger"
	"halfsecond/pipeline"
)

// visit is one WebSocket with what the ledger will know of it. Its methods run on the
// loop.
type visit struct {
	*socket
	service *Service
	entry   ledger.Entry
	settled bool // it is known how the conversation ended
}

// visit returns the visit of a client that has just connected.
func (s *Service) visit(k *socket, r *http.Request, protocol, model, id string) visit {
	now := k.loop.Now()
	return visit{socket: k, service: s, entry: ledger.Entry{
		ID: id, Protocol: protocol, Path: r.URL.Path, Model: model,
		Arrived: now, Started: now, First: pipeline.Unknown, Left: pipeline.Unknown,
	}}
}

// say sends a message as JSON.
func (v *visit) say(message any) { v.socket.text(jsonOf(message)) }

// answered notes that the first result is there.
func (v *visit) answered() {
	if v.entry.First == pipeline.Unknown {
		v.entry.First = v.loop.Now()
	}
}

// settle notes how the conversation ended; the first time counts.
func (v *visit) settle(o pipeline.Outcome, reason string) {
	if !v.settled {
		v.settled, v.entry.Outcome, v.entry.Reason, v.entry.Ended = true, o, reason, v.loop.Now()
	}
}

// leave says that the connection has ended, after so much audio was heard. A client
// that went before the conversation was over has given it up.
func (v *visit) leave(heard time.Duration) {
	if !v.settled {
		v.entry.Left = v.loop.Now()
		v.settle(pipeline.Cancelled, "the client closed the connection")
	}
	v.entry.AudioIn = heard
	v.service.config.Ledger.Add(v.entry)
}

// longestReason is the longest reason of a close frame in bytes (RFC 6455, 5.5.1).
const longestReason = 123

// clipped returns a text that fits into a close frame.
func clipped(reason string) string {
	if len(reason) <= longestReason {
		return reason
	}
	const mark = "..."
	n := 0
	for i := range reason {
		if i > longestReason-len(mark) {
			break
		}
		n = i
	}
	return reason[:n] + mark
}

func jsonOf(message any) []byte {
	b, err := json.Marshal(message)
	if err != nil {
		panic(fmt.Sprintf("voice: %v", err)) // our own types always encode
	}
	return b
}
