package report

import (
	"time"

	"halfsecond/budgets"
	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
	"halfsecond/pipeline/trace"
)

// ServerCounters is what the server's metrics counted between two looks at them, with our
// own means of the same requests beside.
type ServerCounters struct {
	URL      string  `json:"url"`
	Absent   *string `json:"absent"`   // why there are none
	Software *string `json:"software"` // whose names they have
	Model    *string `json:"model"`    // as they are labelled
	From     float64 `json:"from_ms"`
	To       float64 `json:"to_ms"`

	Requests *int         `json:"requests"` // that ended there
	OK       int          `json:"ok"`       // requests of the run that ended meanwhile, warm-up and others included
	NotOK    int          `json:"not_ok"`
	Same     *bool        `json:"same_requests"` // it counts those that ended ok, and no others
	Times    []ServerTime `json:"times"`
	Rest     *float64     `json:"rest_ms"` // our mean of e2e without the parts that the server times

	Counts        map[string]int `json:"counts"`
	CachedShare   *float64       `json:"cached_share"`   // of the tokens looked up in the prefix cache
	AcceptedShare *float64       `json:"accepted_share"` // of the tokens drafted

	parts   []string // of the rest: those that are not in it
	bundled Bundled  // of the requests that ended meanwhile
}

// ServerTime is a kind of time that the server adds up.
type ServerTime struct {
	Name string        `json:"name"`
	N    *int          `json:"n"`
	Mean *float64      `json:"mean_ms"`
	P50  *ServerBounds `json:"p50"`
	P95  *ServerBounds `json:"p95"`
	P99  *ServerBounds `json:"p99"`

	Ours     *int     `json:"ours_n"`
	OursMean *float64 `json:"ours_mean_ms"`
	Apart    *float64 `json:"apart_ms"` // ours - its; null where these are not of the same requests
}

// ServerBounds are those of a histogram between which a percentile lies.
type ServerBounds struct {
	Above float64  `json:"above_ms"`
	Most  *float64 `json:"at_most_ms"` // null beyond the last bound
}

// serverCounters returns what a server counted of a run, nil where nobody looked. The
// traces are all that the file has, before anything is cut off.
func serverCounters(run trace.Run) *ServerCounters {
	if len(run.Footer.Counters) == 0 {
		return nil
	}
	return countedBy(&run.Footer.Counters[0], run.Traces)
}

// countedBy sets what a server counted beside the traces of a run.
func countedBy(c *trace.Counters, traces []pipeline.Trace) *ServerCounters {
	here := c.Beside.Plus(tallyOf(traces, c.From, c.To))
	s := &ServerCounters{
		URL: c.URL, Absent: text(c.Absent), Software: text(c.Software), Model: text(c.Label), From: msOf(c.From), To: msOf(c.To),
		OK: here.OK, NotOK: here.Others, Times: []ServerTime{}, Counts: map[string]int{},
	}
	if s.Absent != nil {
		return s
	}
	if n := c.Requests(); n != pipeline.UnknownCount {
		s.Requests = &n
	}
	s.Same = same(c, &here)
	for _, n := range c.Counts {
		s.Counts[n.Name] = n.N
	}
	s.CachedShare, s.AcceptedShare = s.part("cached_tokens", "looked_up_tokens"), s.part("accepted_tokens", "drafted_tokens")
	s.bundled = bundledIn(traces, c.From, c.To)
	for i := range c.Times {
		s.Times = append(s.Times, serverTime(&c.Times[i], &here, s.Same != nil && *s.Same))
	}
	s.rest(&here)
	return s
}

// tallyOf sums up the requests of traces within a time.
func tallyOf(traces []pipeline.Trace, from, to time.Duration) (t trace.Tally) {
	for i := range traces {
		for j := range traces[i].Requests {
			t.Add(&traces[i].Requests[j], from, to)
		}
	}
	return t
}

// bundledIn returns what tpot takes the answers within a time for.
func bundledIn(traces []pipeline.Trace, from, to time.Duration) Bundled {
	var several bundling
	for i := range traces {
		for j := range traces[i].Requests {
			if r := &traces[i].Requests[j]; !r.Simulated && r.End != pipeline.Unknown && r.End > from && r.End <= to {
				several.add(r)
			}
		}
	}
	return several.done()
}

// same reports whether a server counts the requests that ended ok here and no others: by
// their number, or where it does not count them by the tokens of their answers. nil is for
// not known.
func same(c *trace.Counters, here *trace.Tally) *bool {
	is := c.Requests() == here.OK
	if c.Requests() == pipeline.UnknownCount {
		output := c.Count("output_tokens")
		if output == pipeline.UnknownCount || here.Uncounted > 0 {
			return nil
		}
		is = output == here.Output && here.Others == 0
	}
	return &is
}

// part returns one count as a part of another.
func (s *ServerCounters) part(of, all string) *float64 {
	n, known := s.Counts[of]
	if s.Counts[all] == 0 || !known {
		return nil
	}
	share := float64(n) / float64(s.Counts[all])
	return &share
}

// oursOf returns our own sum of a kind of time; ok is false where we have none.
func oursOf(name string, here *trace.Tally) (sum trace.Sum, ok bool) {
	sum, ok = map[string]trace.Sum{"ttft": here.TTFT, "decode": here.Decode, "e2e": here.E2E, "tpot": here.TPOT, "itl": here.ITL}[name]
	return sum, ok
}

// serverTime sets a kind of time beside ours. One that the server does not count is of our
// requests where it counted the same.
func serverTime(c *trace.CountedTime, here *trace.Tally, same bool) ServerTime {
	t := ServerTime{Name: c.Name, P50: bounds(c, quantile.P50), P95: bounds(c, quantile.P95), P99: bounds(c, quantile.P99)}
	its := trace.Sum{N: c.N, Total: c.Sum}
	if c.N == pipeline.UnknownCount && same {
		its.N = here.OK
	}
	mean, known := its.Mean()
	if t.Mean = number(budgets.Duration, mean, known); known {
		t.N = &its.N
	}
	ours, ok := oursOf(c.Name, here)
	oursMean, some := ours.Mean()
	if ok && some {
		t.Ours, t.OursMean = &ours.N, number(budgets.Duration, oursMean, true)
	}
	t.Apart = number(budgets.Duration, oursMean-mean, known && t.Ours != nil && ours.N == its.N)
	return t
}

// bounds returns between which bounds of a histogram a percentile lies, nil where it is
// refused or there is no histogram.
func bounds(c *trace.CountedTime, q quantile.Q) *ServerBounds {
	if len(c.Buckets) == 0 || c.N < q.Needs() {
		return nil
	}
	b := &ServerBounds{}
	for _, x := range c.Buckets {
		if x.N >= q.Rank(c.N) {
			b.Most = number(budgets.Duration, float64(x.Most), true)
			break
		}
		b.Above = msOf(x.Most)
	}
	return b
}

func msOf(d time.Duration) float64 { return budgets.Duration.Reported(float64(d)) }

// time returns the kind of time of that name, nil for none.
func (s *ServerCounters) time(name string) *ServerTime {
	for i := range s.Times {
		if s.Times[i].Name == name {
			return &s.Times[i]
		}
	}
	return nil
}

// rest takes the parts that the server times off our mean of e2e, where all are of the same
// requests and reach from the first step of its engine to the last.
func (s *ServerCounters) rest(here *trace.Tally) {
	e2e, ok := here.E2E.Mean()
	if s.Same == nil || !*s.Same || !ok || here.E2E.N != here.OK {
		return
	}
	rest, seen := budgets.Duration.Reported(e2e), map[string]bool{}
	for _, name := range []string{"queue", "prefill", "decode", "inference"} {
		if t := s.time(name); t != nil && t.N != nil && *t.N == here.OK {
			rest -= *t.Mean
			seen[name] = true
			s.parts = append(s.parts, name)
		}
	}
	if seen["prefill"] && seen["decode"] || seen["inference"] {
		s.Rest = &rest
	}
}
