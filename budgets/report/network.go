package report

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/reply"
)

// Network is what a run over sockets tells beside its times. Counts are of requests.
type Network struct {
	Requests     int            `json:"requests"`
	Responses    int            `json:"responses"` // those that got one
	Reused       int            `json:"reused"`    // responses on a connection that was open before
	HTTP         map[string]int `json:"http"`
	Statuses     map[int]int    `json:"statuses"`
	Encodings    map[string]int `json:"encodings"` // content codings; none is not counted
	Bursts       int            `json:"bursts"`    // three or more output chunks, all in one read
	Untimed      int            `json:"untimed"`   // ended ok as a whole, without an output that came at an instant of its own
	Empty        int            `json:"empty"`     // ended ok with nothing in them
	RetryAfter   int            `json:"retry_after"`
	LongestRetry *float64       `json:"longest_retry_after_ms"`
	RetryByOurs  int            `json:"retry_after_by_our_clock,omitempty"`
	TokenSources map[string]int `json:"token_sources"`
	Overlong     Overlong       `json:"overlong"`
	Impossible   Impossible     `json:"impossible"`
	Unread       Unread         `json:"unread"`
	Paces
	Failures []Failure `json:"failures"`
}

// Failure is a reason for which requests did not end ok.
type Failure struct {
	Outcome string `json:"outcome"`
	Reason  string `json:"reason"`
	N       int    `json:"n"`
}

// network returns what the requests over sockets tell, nil when there are none.
func network(traces []pipeline.Trace) *Network {
	n := &Network{
		HTTP: map[string]int{}, Statuses: map[int]int{}, Encodings: map[string]int{}, TokenSources: map[string]int{}, Failures: []Failure{},
	}
	reasons, longest := map[Failure]int{}, pipeline.Unknown
	for i := range traces {
		for j := range traces[i].Requests {
			if r := &traces[i].Requests[j]; !r.Simulated {
				n.add(r)
				longest = max(longest, r.Transport.RetryAfter)
				if r.Outcome != pipeline.OK {
					reasons[Failure{Outcome: r.Outcome.String(), Reason: r.Reason}]++
				}
			}
		}
	}
	if n.Requests == 0 {
		return nil
	}
	n.Paces = paces(traces, func(r *pipeline.Request) bool { return !r.Simulated })
	if longest != pipeline.Unknown {
		ms := float64(longest) / float64(time.Millisecond)
		n.LongestRetry = &ms
	}
	for f, times := range reasons {
		f.N = times
		n.Failures = append(n.Failures, f)
	}
	slices.SortFunc(n.Failures, func(a, b Failure) int {
		return cmp.Or(cmp.Compare(place(a.Outcome), place(b.Outcome)), cmp.Compare(b.N, a.N), cmp.Compare(a.Reason, b.Reason))
	})
	return n
}

// place orders outcomes as pipeline does.
func place(outcome string) pipeline.Outcome {
	o, _ := pipeline.ParseOutcome(outcome) // it was one before it was a name
	return o
}

func (n *Network) add(r *pipeline.Request) {
	n.Requests++
	if t := &r.Transport; t.Status > 0 {
		n.Responses++
		n.Statuses[t.Status]++
		n.HTTP[t.HTTP]++
		if t.Reused {
			n.Reused++
		}
		if t.Encoding != "" {
			n.Encodings[t.Encoding]++
		}
	}
	if r.Transport.Burst {
		n.Bursts++
	}
	if r.Transport.RetryAfter != pipeline.Unknown {
		n.RetryAfter++
		if slices.ContainsFunc(r.Transport.Headers, func(f pipeline.Fact) bool { return f.Name == reply.OurDate }) {
			n.RetryByOurs++
		}
	}
	if r.Outcome == pipeline.OK {
		n.TokenSources[r.TokenSource]++
		switch {
		case r.Empty:
			n.Empty++
		case r.FirstOutput == pipeline.Unknown:
			n.Untimed++
		}
	}
	n.Overlong.add(r)
	n.Impossible.add(r)
	n.Unread.add(r)
}

// sortedKeys returns the keys of a map in order.
func sortedKeys[K cmp.Ordered](m map[K]int) []K { return slices.Sorted(maps.Keys(m)) }
