package ghost

import (
	"time"

	"halfsecond/pipeline"
)

// LeastLoad is from when on a load that a server states is one: Ollama states some
// milliseconds with every answer, and seconds where a model was loaded (its api.md, read
// 2026-11-29).
const LeastLoad = time.Second

// Cold reports whether a request waited for the model to be loaded.
func (q *Request) Cold() bool { return q.Loading > 0 || q.Server.Load >= LeastLoad }

// Cold are the requests that waited for a load, apart from the others.
type Cold struct {
	Share              // of requests
	Cold, Warm Times   // first character - the key, of those whose text came
	Loads      []int64 // the requests, by ID
}

// Cold tells cold requests and warm ones apart.
func (r *Run) Cold() (c Cold) {
	var cold, warm []time.Duration
	for i := range r.Requests {
		q := &r.Requests[i]
		if !q.Asked() {
			continue
		}
		first := pipeline.Unknown
		if q.Final {
			first = Landed(q.Trace)
		}
		if c.add(q.Cold()); q.Cold() {
			c.Loads, cold = append(c.Loads, q.ID), append(cold, first)
		} else {
			warm = append(warm, first)
		}
	}
	c.Cold, c.Warm = timesOf(cold), timesOf(warm)
	return c
}
