package fault

import (
	"encoding/json"
	"net/http"
	"time"
)

// refusal is an answer that a rule gives in a front's place.
type refusal struct {
	failure
	whole      string // the body as it is, or ""
	retryAfter time.Duration
	quota      quota
	headers    map[string]string
}

// refusal returns the answer that a Status asks for. The headers of a 429 tell of a
// bucket that is empty.
func (s *Status) refusal() *refusal {
	r := &refusal{
		failure: failure{status: s.Code, kind: s.Kind, message: s.Message},
		whole:   s.Body, retryAfter: s.RetryAfter, headers: s.Headers,
	}
	if s.Code == http.StatusTooManyRequests {
		r.quota[0] = level{limit: s.Quota, reset: time.Minute}
	}
	return r
}

// write answers a request of a protocol.
func (r *refusal) write(w http.ResponseWriter, protocol string, now time.Time) {
	body := r.body(protocol)
	if r.whole != "" {
		body = []byte(r.whole)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	if r.whole != "" && !json.Valid(body) {
		h.Set("Content-Type", "text/plain; charset=utf-8")
	}
	r.quota.tell(h, protocol, now)
	tellRetry(h, protocol, r.retryAfter)
	for name, value := range r.headers {
		h.Set(name, value)
	}
	w.WriteHeader(r.status)
	_, _ = w.Write(body) // the client may be gone; there is nobody left to tell
}
