package engine

import (
	"fmt"
	"strings"

	"halfsecond/pipeline"
)

// Detection says when a server notices that the client of a request which it computes
// has hung up. Serving software differs: vLLM aborts at the next step, a llama.cpp
// runner inside Ollama learns it when it sends the first token (ollama/ollama issue
// 11889), some builds of llama.cpp never did (ggml-org/llama.cpp issue 24496), read
// 2026-11-29.
type Detection uint8

// When a hang-up is noticed.
const (
	AtOnce       Detection = iota // at that instant
	AtNextToken                   // when the next token is due, the first one included
	AtPrefillEnd                  // during prefill with the first token, later at that instant
	Never                         // the answer is computed to its end
)

var detections = []string{"immediate", "next_token", "prefill_end", "never"}

// ParseDetection reads a Detection by its name.
func ParseDetection(name string) (Detection, error) {
	for i, n := range detections {
		if n == name {
			return Detection(i), nil
		}
	}
	return 0, fmt.Errorf("cancel detection %q: want one of %s", name, strings.Join(detections, ", "))
}

// String returns the name.
func (d Detection) String() string { return detections[d] }

// DetectorConfig says how hang-ups are noticed.
type DetectorConfig struct {
	Detection Detection
	// KeepsQueued says that a request of a client that left the queue by hanging up is
	// computed all the same, to its end.
	KeepsQueued bool
}

// Detector passes on that a client has hung up when a server would notice it. Until
// then the request is computed and notifies as if nothing had happened.
type Detector struct {
	engine Engine
	config DetectorConfig
	seen   map[*Request]*watch
}

// watch is a request under a Detector.
type watch struct {
	request *Request
	next    int // count of interest to its asker; 0 for none
	notify  func(n int) int
	done    func(pipeline.Outcome)
	gone    bool // its client has hung up, which is to be noticed with the next token
}

// NewDetector puts a detector before an engine.
func NewDetector(c DetectorConfig, e Engine) *Detector {
	return &Detector{engine: e, config: c, seen: map[*Request]*watch{}}
}

// Submit implements Engine. A request that has ended has its own Notify and Done again,
// since its asker may use it for another.
func (d *Detector) Submit(r *Request) {
	w := &watch{request: r, next: r.NotifyAt, notify: r.Notify, done: r.Done}
	d.seen[r] = w
	r.NotifyAt = 1
	r.Notify = func(n int) int { return d.token(w, n) }
	r.Done = func(o pipeline.Outcome) {
		delete(d.seen, r)
		r.Notify, r.Done = w.notify, w.done
		w.done(o)
	}
	d.engine.Submit(r)
}

// token tells the asker of token n, and the engine of a hang-up.
func (d *Detector) token(w *watch, n int) (next int) {
	if w.gone {
		d.engine.Cancel(w.request)
		return 0
	}
	if n == w.next && w.notify != nil {
		w.next = w.notify(n)
	}
	return n + 1
}

// Cancel implements Engine.
func (d *Detector) Cancel(r *Request) {
	w := d.seen[r]
	switch {
	case w == nil: // it has ended
	case !r.begun() && d.config.KeepsQueued:
	case !r.begun() || d.config.Detection == AtOnce,
		d.config.Detection == AtPrefillEnd && r.Generated() > 0:
		d.engine.Cancel(r)
	case d.config.Detection != Never:
		w.gone = true
	}
}

// Stats implements Engine.
func (d *Detector) Stats() Stats { return d.engine.Stats() }
