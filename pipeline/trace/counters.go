package trace

import (
	"time"

	"halfsecond/pipeline"
)

// Counters is what a server counted between two looks at its metrics: one just before
// the first request of the report, one after the last. It counts what others asked of it
// in that time as well.
type Counters struct {
	Model, Variant string // of a cell, with the tokens of its prompts; empty and 0 outside of a grid
	Prompt         int

	URL      string // where the metrics are, without user and query, which may hold secrets
	Absent   string // why there are no figures; empty when there are
	Software string // whose names the metrics have, such as "vLLM"
	Label    string // of the model whose figures these are; "" where the server tells no models apart
	From, To time.Duration

	Times  []CountedTime
	Counts []Count
	// Beside sums up the requests of the run in that time that are not in the file.
	Beside Tally
}

// CountedTime is a kind of time that a server adds up: "queue", "prefill", "decode",
// "ttft", "e2e", "inference" (prefill and decode), "tpot" (a mean of each request), "itl"
// (each gap between tokens) or "token" (what the server itself takes for the time of one).
type CountedTime struct {
	Name string
	N    int // times that were added up; UnknownCount where it is not counted
	Sum  time.Duration
	// Buckets are ascending; none where the server has none.
	Buckets []Bucket
}

// Bucket counts the times that were at most so long.
type Bucket struct {
	Most time.Duration
	N    int
}

// Count is a number of things of one name: "requests" that ended; "prompt_tokens",
// "output_tokens"; "looked_up_tokens" and "cached_tokens" of the prefix cache;
// "preemptions"; "drafted_tokens" and "accepted_tokens" of speculation; and, not counted but
// seen when the run began, requests "running_before" and "waiting_before".
type Count struct {
	Name string
	N    int
}

// Count returns the number of that name, UnknownCount where there is none.
func (c *Counters) Count(name string) int {
	for _, x := range c.Counts {
		if x.Name == name {
			return x.N
		}
	}
	return pipeline.UnknownCount
}

// Time returns the time of that name, nil where there is none.
func (c *Counters) Time(name string) *CountedTime {
	for i := range c.Times {
		if c.Times[i].Name == name {
			return &c.Times[i]
		}
	}
	return nil
}

// Requests returns how many requests ended there, UnknownCount where nobody counted.
func (c *Counters) Requests() int {
	if t := c.Time("e2e"); t != nil {
		return t.N
	}
	return c.Count("requests")
}

type wireCounters struct {
	Model    string `json:"model,omitempty"`
	Variant  string `json:"variant,omitempty"`
	Prompt   int    `json:"prompt_tokens,omitempty"`
	URL      string `json:"url"`
	Absent   string `json:"absent,omitempty"`
	Software string `json:"software,omitempty"`
	Label    string `json:"label,omitempty"`
	From     int64  `json:"from_ns"`
	To       int64  `json:"to_ns"`

	Times  []wireCountedTime `json:"times,omitempty"`
	Counts []wireCount       `json:"counts,omitempty"`
	Beside *wireTally        `json:"beside,omitempty"`
}

type wireCountedTime struct {
	Name    string     `json:"name"`
	N       *int       `json:"n"`
	Sum     int64      `json:"sum_ns"`
	Buckets [][2]int64 `json:"buckets,omitempty"`
}

type wireCount struct {
	Name string `json:"name"`
	N    int    `json:"n"`
}

func countersToWire(all []Counters) (wire []wireCounters) {
	for _, c := range all {
		w := wireCounters{
			Model: c.Model, Variant: c.Variant, Prompt: c.Prompt, URL: c.URL, Absent: c.Absent, Software: c.Software, Label: c.Label,
			From: int64(c.From), To: int64(c.To), Beside: tallyToWire(c.Beside),
		}
		for _, t := range c.Times {
			w.Times = append(w.Times, t.wire())
		}
		for _, n := range c.Counts {
			w.Counts = append(w.Counts, wireCount(n))
		}
		wire = append(wire, w)
	}
	return wire
}

func (t CountedTime) wire() wireCountedTime {
	w := wireCountedTime{Name: t.Name, Sum: int64(t.Sum)}
	if t.N != pipeline.UnknownCount {
		w.N = &t.N
	}
	for _, b := range t.Buckets {
		w.Buckets = append(w.Buckets, [2]int64{int64(b.Most), int64(b.N)})
	}
	return w
}

func countersOf(wire []wireCounters) (all []Counters) {
	for _, w := range wire {
		c := Counters{
			Model: w.Model, Variant: w.Variant, Prompt: w.Prompt, URL: w.URL, Absent: w.Absent, Software: w.Software, Label: w.Label,
			From: time.Duration(w.From), To: time.Duration(w.To), Beside: w.Beside.tally(),
		}
		for _, t := range w.Times {
			c.Times = append(c.Times, t.time())
		}
		for _, n := range w.Counts {
			c.Counts = append(c.Counts, Count(n))
		}
		all = append(all, c)
	}
	return all
}

func (w wireCountedTime) time() CountedTime {
	t := CountedTime{Name: w.Name, N: pipeline.UnknownCount, Sum: time.Duration(w.Sum)}
	if w.N != nil {
		t.N = *w.N
	}
	for _, b := range w.Buckets {
		t.Buckets = append(t.Buckets, Bucket{time.Duration(b[0]), int(b[1])})
	}
	return t
}
