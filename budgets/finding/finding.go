package finding

import (
	"cmp"
	"slices"
	"time"

	"halfsecond/budgets"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/probe/seen"
)

// Severity says how much a finding hurts.
type Severity string

// Severities, the worst first.
const (
	Broken     Severity = "broken"     // there is no answer, or not a whole one
	Slow       Severity = "slow"       // users wait longer than they would have to
	Misleading Severity = "misleading" // numbers taken here are wrong or cannot be taken
	Note       Severity = "note"       // nothing to fix; good to know when measuring
)

var order = []Severity{Broken, Slow, Misleading, Note}

// Finding is one thing to know about an endpoint.
type Finding struct {
	ID       string // stable, such as "held_whole"
	Severity Severity
	Title    string   // one plain sentence
	Evidence []string // what was seen of it, with numbers
	Fix      string   // what to do
	// Cost is how long a user waits for it, as far as that can be told; pipeline.Unknown
	// otherwise.
	Cost time.Duration
}

// Of returns what was found, what hurts most first: by severity, then by cost.
func Of(e *seen.Endpoint) []Finding {
	v := newView(e)
	var found []Finding
	for _, check := range []func(*view) []Finding{refusals, unlisted, failures, unread, deliveries, compressions, waits, connections, rests, streams, counts, notes} {
		found = append(found, check(v)...)
	}
	Sort(found)
	return found
}

// Sort sorts what was found, what hurts most first: by severity, then by cost.
func Sort(found []Finding) {
	slices.SortStableFunc(found, func(a, b Finding) int {
		bySeverity := cmp.Compare(slices.Index(order, a.Severity), slices.Index(order, b.Severity))
		return cmp.Or(bySeverity, cmp.Compare(b.Cost, a.Cost))
	})
}

// Wrong reports whether any finding asks for a fix.
func Wrong(found []Finding) bool {
	return slices.ContainsFunc(found, func(f Finding) bool { return f.Severity != Note })
}

// Measured reports whether there was any response to look at.
func Measured(e *seen.Endpoint) bool {
	answered := func(r seen.Request) bool { return r.Record.Transport.Status != 0 }
	looked := func(l seen.Look) bool { return l.Status != 0 }
	if e.Model == "" {
		return slices.ContainsFunc(e.Looks, looked)
	}
	return slices.ContainsFunc(e.Requests, answered)
}

// view is what checks look at.
type view struct {
	*seen.Endpoint
	// ok are the requests that were answered to their end and asked for plain bytes;
	// gzip those that welcomed compressed ones.
	ok, gzip []*seen.Request
	// begun are ok and those whose answers we cut short: all but how they end can be told.
	begun []*seen.Request
	shape shape // in which the answers of begun were delivered, most of them
}

func newView(e *seen.Endpoint) *view {
	v := &view{Endpoint: e}
	for i := range e.Requests {
		r := &e.Requests[i]
		if !r.Gzip && (r.OK() || r.Unfinished()) {
			v.begun = append(v.begun, r)
		}
		switch {
		case !r.OK():
		case r.Gzip:
			v.gzip = append(v.gzip, r)
		default:
			v.ok = append(v.ok, r)
		}
	}
	v.shape = commonShape(v.begun)
	return v
}

// fresh returns those of begun whose prompts were new.
func (v *view) fresh() []*seen.Request {
	var fresh []*seen.Request
	for _, r := range v.begun {
		if r.Prompt == seen.Fresh {
			fresh = append(fresh, r)
		}
	}
	return fresh
}

// ttft returns the time from sending to the first output.
func ttft(r *seen.Request) time.Duration { return r.Since(r.Record.FirstOutput) }

// ms returns a time for a reader.
func ms(d time.Duration) string {
	if d == pipeline.Unknown {
		return "unknown"
	}
	return budgets.Duration.Format(float64(d))
}

// median returns the middle one of spans, the lower of two; Unknown of none. It leaves out
// those that are not known.
func median(spans []time.Duration) time.Duration {
	spans = slices.DeleteFunc(slices.Clone(spans), func(d time.Duration) bool { return d == pipeline.Unknown })
	if len(spans) == 0 {
		return pipeline.Unknown
	}
	slices.Sort(spans)
	return spans[(len(spans)-1)/2]
}
