package phone

import (
	"slices"
	"sync"
	"time"

	"halfsecond/pipeline/wire/twilio"
)

// call is a call that the mock places: it is the telephone and the network, and
// puts its caller through to a server.
type call struct {
	sid, account, to, from string
	markup                 string // TwiML, or ""
	url, method            string // where it comes from otherwise
	digits                 string // keys that the caller presses when it is put through
	limit                  time.Duration
	arrived                time.Duration // instant of the request
	created                time.Time

	quit     chan struct{} // closed when somebody asks for the end of the call
	quitting sync.Once

	mu      sync.Mutex // guards what follows
	status  string
	updated time.Time
	started time.Time // zero before
	ended   time.Time // zero before
	errors  []twilio.Error

	// What follows belongs to the loop.
	caller caller
	stream *mediaStream // the last one, nil before
}

// mostCallErrors is how many errors of a call are kept.
const mostCallErrors = 100

// set changes the status.
func (c *call) set(status string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.status, c.updated = status, time.Now()
	switch status {
	case twilio.InProgress:
		c.started = c.updated
	case twilio.Completed, twilio.Failed, twilio.Canceled:
		c.ended = c.updated
	}
}

// fail notes an error.
func (c *call) fail(e twilio.Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.errors) < mostCallErrors {
		c.errors = append(c.errors, e)
	}
}

// over reports whether the call has ended.
func (c *call) over() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.ended.IsZero()
}

// end asks for the end of the call.
func (c *call) end() { c.quitting.Do(func() { close(c.quit) }) }

// resource returns the call as the API shows it.
func (c *call) resource() twilio.Call {
	c.mu.Lock()
	defer c.mu.Unlock()
	uri := twilio.CallURI(c.account, c.sid)
	r := twilio.Call{
		AccountSid: c.account, APIVersion: twilio.APIVersion, Direction: twilio.OutboundAPI,
		DateCreated: date(c.created), DateUpdated: date(c.updated), StartTime: date(c.started), EndTime: date(c.ended),
		From: c.from, FromFormatted: c.from, To: c.to, ToFormatted: c.to,
		PriceUnit: "USD", QueueTime: "0", Sid: c.sid, Status: c.status, URI: uri,
		SubresourceURIs: map[string]string{"streams": uri[:len(uri)-len(".json")] + "/Streams.json"},
	}
	if !c.ended.IsZero() {
		seconds := "0"
		if !c.started.IsZero() {
			seconds = wholeSeconds(c.ended.Sub(c.started))
		}
		r.Duration = &seconds
	}
	return r
}

func date(t time.Time) *twilio.Date {
	if t.IsZero() {
		return nil
	}
	d := twilio.Date(t)
	return &d
}

// book is the calls that are known, the latest of those that have ended. Its methods
// may be called from any goroutine.
type book struct {
	mu    sync.Mutex // guards what follows
	calls []*call
}

// mostCalls is how many calls are known.
const mostCalls = 1000

// add adds a call.
func (b *book) add(c *call) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.calls) >= mostCalls {
		if i := slices.IndexFunc(b.calls, (*call).over); i >= 0 {
			b.calls = slices.Delete(b.calls, i, i+1)
		}
	}
	b.calls = append(b.calls, c)
}

// find returns a call, or nil.
func (b *book) find(sid string) *call {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.calls {
		if c.sid == sid {
			return c
		}
	}
	return nil
}
