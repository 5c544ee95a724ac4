package langserver

import (
	"fmt"
	"sync/atomic"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/jsonrpc"
	"halfsecond/pipeline/wire/lsp"
)

// call is a request for a completion under way.
type call struct {
	*pipeline.Call
	client *Client
	id     jsonrpc.ID
	line   lsp.Line
	sent   atomic.Int64
	limit  *time.Timer

	asks, says []byte // what went over the wire, where somebody keeps it

	over    bool // the asker was told, or will be; owned by the loop
	givenUp bool // nobody waits for the answer; guarded by the client's lock
}

// Start implements pipeline.LLM. A call without a document ends as Dropped, and so does one
// at a server that does not offer completions any more; one at a server that is gone as Error.
func (c *Client) Start(p *pipeline.Call) {
	a := &call{Call: p, client: c}
	a.sent.Store(int64(pipeline.Unknown))
	p.State = a
	m := c.documents[p.Session]
	if m == nil {
		a.refuse(pipeline.Dropped, fmt.Sprintf("no document of session %d is open", p.Session))
		return
	}
	line, at := m.line()
	a.line = line
	if !c.register(a) {
		return
	}
	params := lsp.InlineParams{Document: lsp.Document{URI: m.uri}, Position: at}
	params.Context.TriggerKind = lsp.Automatic
	request, err := jsonrpc.NewRequest(a.id, lsp.InlineCompletion, params)
	if err == nil && c.config.Keep != nil {
		a.asks, err = request.AppendJSON(nil)
	}
	if err == nil {
		err = c.send(&request, func() { a.sent.Store(int64(c.loop.Elapsed())) })
	}
	if err != nil {
		c.breaks(err)
	}
}

// register gives a call its ID, or refuses it.
func (c *Client) register(a *call) bool {
	c.mu.Lock()
	broken, offered := c.broken, c.offered
	if c.over == nil && c.config.MaxRequests > 0 && c.counts.Requests >= c.config.MaxRequests {
		c.over = fmt.Errorf("over the cap of %d requests", c.config.MaxRequests)
	}
	if c.over == nil && broken == nil && offered {
		a.id = c.nextID()
		c.pending[a.id] = a
		c.counts.Requests++
		c.flying++
		a.limit = time.AfterFunc(c.config.Limits.Answer, a.expire)
	}
	c.mu.Unlock()
	switch {
	case c.over != nil:
		a.refuse(pipeline.Dropped, c.over.Error())
		return false
	case broken != nil:
		a.refuse(pipeline.Error, gone(broken))
		return false
	case !offered:
		a.refuse(pipeline.Dropped, "the language server offers no inline completion any more")
		return false
	}
	return true
}

// refuse ends a call that is not sent.
func (a *call) refuse(o pipeline.Outcome, reason string) {
	now := a.client.loop.Now()
	a.client.loop.Post(now, func() { a.finish(now, o, a.client.tidy(reason)) })
}

// Cancel implements pipeline.LLM. The call ends at once; the server must answer all the same,
// and how it does is counted.
func (c *Client) Cancel(p *pipeline.Call) {
	a, ok := p.State.(*call)
	if !ok || a.over || a.limit == nil || !a.abandon() {
		return
	}
	now := c.loop.Now()
	c.loop.Post(now, func() { a.finish(now, pipeline.Cancelled, cancelled) })
}

// cancelled is why a call ended that its asker gave up.
const cancelled = "cancelled by the asker"

// abandon has nobody wait for the answer, and tells the server. It reports false when nobody
// did.
func (a *call) abandon() bool {
	c := a.client
	c.mu.Lock()
	was := a.givenUp
	a.givenUp = true
	_, missing := c.pending[a.id]
	if !was {
		c.counts.Cancels++
	}
	c.mu.Unlock()
	if was {
		return false
	}
	a.limit.Stop()
	if missing {
		c.tell(lsp.CancelRequest, lsp.CancelParams{ID: []byte(a.id.String())})
	}
	return true
}

// expire gives up a call that took too long; it is called from a goroutine of a timer.
func (a *call) expire() {
	c := a.client
	at := c.loop.Elapsed()
	c.loop.Post(at, func() {
		if !a.over && a.abandon() {
			a.finish(at, pipeline.Timeout, fmt.Sprintf("no answer in %s", c.config.Limits.Answer))
		}
	})
}

// finish ends the call, on the loop.
func (a *call) finish(at time.Duration, o pipeline.Outcome, reason string) {
	if a.over {
		return
	}
	a.over = true
	r := &a.Record
	r.Sent, r.End, r.Outcome, r.Reason = time.Duration(a.sent.Load()), at, o, reason
	if a.limit != nil {
		a.client.flying--
		a.keep()
	}
	a.Done()
	a.client.spend()
}

// spend tells that a cap was met and that all that was asked before has ended.
func (c *Client) spend() {
	if c.over != nil && c.flying == 0 && c.config.Spent != nil {
		c.config.Spent(c.over)
	}
}

// Over returns the cap that was met, nil while none is. It is called on the loop, or once that
// has ended.
func (c *Client) Over() error { return c.over }

// answer is what became of a request.
type answer struct {
	text       string
	err        error // why there is none
	outcome    pipeline.Outcome
	first, end time.Duration
	message    *jsonrpc.Message
	says       []byte
	hidden     bool // there were completions, and none that can be shown
	unread     bool // the result cannot be read
}

// answered reads an answer, off the loop.
func (a *call) answered(m jsonrpc.Message, text []byte, first, at time.Duration) {
	a.limit.Stop()
	r := newAnswer(&m, a.line)
	r.first, r.end, r.says = first, at, text
	if r.unread {
		a.client.fault(r.err.Error())
	}
	if !a.client.loop.Post(at, func() { a.land(r) }) {
		a.client.count(a, r)
	}
}

// newAnswer returns what a message means to who asked on that line.
func newAnswer(m *jsonrpc.Message, line lsp.Line) *answer {
	r := &answer{message: m}
	if m.Error != nil {
		r.outcome, r.err = failure(m.Error)
	} else {
		r.read(m.Result, line)
	}
	return r
}

// fill fills a record, the end aside.
func (r *answer) fill(rec *pipeline.Request) {
	rec.FirstByte, rec.Outcome = r.first, r.outcome
	rec.Empty = r.outcome == pipeline.OK && r.text == ""
	if r.err != nil {
		rec.Reason = r.err.Error()
	}
}

// read finds the first completion that can be shown.
func (r *answer) read(result []byte, line lsp.Line) {
	items, err := lsp.Items(result)
	if err != nil {
		r.outcome, r.err, r.unread = pipeline.Error, fmt.Errorf("the answer cannot be read: %w", err), true
		return
	}
	for i := range items {
		text, err := items[i].At(line)
		if err == nil && text != "" {
			r.text, r.hidden = text, false
			return
		}
		r.hidden = r.hidden || err != nil
	}
}

// failure says how a request ends that the server answered with an error: what it withdrew is
// refused, all else failed.
func failure(e *jsonrpc.Error) (pipeline.Outcome, error) {
	words := map[int64]string{
		jsonrpc.RequestCancelled: "the server cancelled it", jsonrpc.ServerCancelled: "the server cancelled it",
		jsonrpc.ContentModified: "the document has changed",
	}[e.Code]
	if words == "" {
		return pipeline.Error, fmt.Errorf("error %d: %s", e.Code, e.Message)
	}
	return pipeline.Refused, fmt.Errorf("%s (%d): %s", words, e.Code, e.Message)
}

// count counts an answer, and reports whether somebody still waits for it.
func (c *Client) count(a *call, r *answer) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch e := r.message.Error; {
	case a.givenUp:
		c.counts.givenUp(e, r.text == "" && !r.hidden && !r.unread)
		return false
	case e != nil:
		c.counts.failed(e.Code)
	case r.hidden:
		c.counts.Undisplayable++
	}
	a.givenUp = true
	return true
}

// land completes the record, on the loop.
func (a *call) land(r *answer) {
	if !a.client.count(a, r) {
		return
	}
	rec := &a.Record
	r.fill(rec)
	a.says = r.says
	if r.text != "" && a.Notify != nil {
		a.Notify(pipeline.Progress{Tokens: 1, Text: r.text})
	}
	a.finish(r.end, r.outcome, a.client.tidy(rec.Reason))
}
