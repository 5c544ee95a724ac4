package langserver

import (
	"encoding/json"
	"fmt"

	"halfsecond/pipeline"
	"halfsecond/pipeline/exchange"
	"halfsecond/pipeline/wire/jsonrpc"
	"halfsecond/pipeline/wire/lsp"
)

// Protocol is that of exchanges with language servers.
const Protocol = "lsp"

// setting is what decides which text an answer is: the line of the cursor.
type setting struct {
	Line     int          `json:"line"`
	Before   string       `json:"before"`
	After    string       `json:"after"`
	Encoding lsp.Encoding `json:"encoding"`
}

// stops are why a client gave up, by how its request ended.
var stops = map[pipeline.Outcome]string{pipeline.Cancelled: exchange.Cancelled, pipeline.Timeout: exchange.TimedOut}

// keep hands over what was asked and answered, if it was sent at all. Whoever takes it may
// wait for a disk, which the loop does not.
func (a *call) keep() {
	c := a.client
	if c.config.Keep == nil || a.Record.Sent == pipeline.Unknown {
		return
	}
	x := a.exchange()
	c.mu.Lock()
	closing := c.closing
	if !closing {
		c.work.Go(func() { c.config.Keep(x) })
	}
	c.mu.Unlock()
	if closing {
		c.config.Keep(x)
	}
}

// exchange returns what is kept of the call, whose record is complete. What came in more than
// one read is there as its first byte and the rest.
func (a *call) exchange() *exchange.Exchange {
	r := &a.Record
	said, _ := json.Marshal(setting{a.line.Number, a.line.Before, a.line.After, a.line.Encoding}) // texts and a number always have a form
	x := &exchange.Exchange{
		Request: r.ID, Protocol: Protocol, Model: a.client.Name(), Method: lsp.InlineCompletion, Due: r.Due, Sent: r.Sent,
		Ask: a.asks, Answered: pipeline.Unknown, End: r.End, How: exchange.None, Stop: stops[r.Outcome], Setting: string(said),
	}
	if r.FirstByte != pipeline.Unknown {
		x.How = exchange.EOF
		if r.FirstByte < r.End {
			x.Add(r.FirstByte, a.says[:1])
			x.Add(r.End, a.says[1:])
		} else {
			x.Add(r.End, a.says)
		}
	} else if x.Stop == "" {
		x.Cause = r.Reason
	}
	for _, s := range a.client.secrets {
		x.Redact(s)
	}
	return x
}

// Reread returns the record of an exchange, as far as its bytes and their instants tell.
func Reread(x *exchange.Exchange) (pipeline.Request, error) {
	rec := pipeline.NewRequest(x.Request, x.Due)
	rec.Sent, rec.End = x.Sent, x.End
	switch {
	case x.Stop == exchange.Cancelled:
		rec.Outcome, rec.Reason = pipeline.Cancelled, cancelled
		return rec, nil
	case x.Stop == exchange.TimedOut:
		rec.Outcome, rec.Reason = pipeline.Timeout, "a time limit of the client passed"
		return rec, nil
	case len(x.Reads) == 0:
		rec.Outcome, rec.Reason = pipeline.Error, x.Cause
		return rec, nil
	}
	var s setting
	if err := json.Unmarshal([]byte(x.Setting), &s); err != nil {
		return rec, fmt.Errorf("the line of the cursor cannot be read: %w", err)
	}
	m, err := jsonrpc.Decode(x.Body)
	if err != nil {
		return rec, fmt.Errorf("the answer cannot be read: %w", err)
	}
	r := newAnswer(&m, lsp.Line{Number: s.Line, Before: s.Before, After: s.After, Encoding: s.Encoding})
	r.first, r.end = x.Reads[0].At, x.Reads[len(x.Reads)-1].At
	r.fill(&rec)
	rec.End = r.end
	return rec, nil
}
