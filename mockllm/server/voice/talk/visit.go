package talk

import (
	"net/http"
	"time"

	"halfsecond/mockllm/fault"
	"halfsecond/mockllm/server/ledger"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire"
)

// Begin returns the entry of a request that has begun, of which nothing has come yet. The
// path of one that has none is what it came by, such as the name of an event.
func Begin(protocol, id, path, model string, now time.Duration) ledger.Entry {
	return ledger.Entry{
		ID: id, Protocol: protocol, Path: path, Model: model,
		Arrived: now, Started: now, First: pipeline.Unknown, Left: pipeline.Unknown,
	}
}

// Abandon notes in an entry that the client has left before the end.
func Abandon(e *ledger.Entry, now time.Duration) {
	e.Left, e.Ended = now, now
	e.Outcome, e.Reason = pipeline.Cancelled, "the client closed the connection"
}

// Visit is one WebSocket with what the ledger will know of it. Its methods may be called
// only on the loop.
type Visit struct {
	*Socket
	Host    *Host
	Entry   ledger.Entry
	settled bool // it is known how the conversation ended
}

// Visit returns the visit of a client that has just connected.
func (h *Host) Visit(k *Socket, r *http.Request, protocol, model, id string) Visit {
	v := Visit{Socket: k, Host: h, Entry: Begin(protocol, id, r.URL.Path, model, k.Loop.Now())}
	v.Entry.Stream, v.Entry.Fault = wire.AskedStream(r.Header.Get(wire.StreamHeader)), fault.From(r.Context()).Rules()
	return v
}

// Say sends a message as JSON.
func (v *Visit) Say(message any) { v.Send(JSON(message)) }

// Answered notes that the first result is there.
func (v *Visit) Answered() {
	if v.Entry.First == pipeline.Unknown {
		v.Entry.First = v.Loop.Now()
	}
}

// Settle notes how the conversation ended; the first time counts.
func (v *Visit) Settle(o pipeline.Outcome, reason string) {
	if !v.settled {
		v.settled, v.Entry.Outcome, v.Entry.Reason, v.Entry.Ended = true, o, reason, v.Loop.Now()
	}
}

// Leave says that the connection has ended, after so much audio was heard. A client
// that went before the conversation was over has given it up.
func (v *Visit) Leave(heard time.Duration) {
	if !v.settled {
		Abandon(&v.Entry, v.Loop.Now())
	}
	v.Entry.AudioIn = heard
	v.Host.Ledger.Add(v.Entry)
}
