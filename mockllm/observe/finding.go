package observe

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"halfsecond/pipeline"
)

// Finding is one habit of a plugin that costs something.
type Finding struct {
	ID       string   `json:"id"`       // stable, such as "never_cancelled"
	Title    string   `json:"title"`    // one plain sentence
	Evidence []string `json:"evidence"` // what was seen of it, with numbers
	Fix      string   `json:"fix"`      // what to do
	Share    float64  `json:"share"`    // how much of what could show the habit did, 0 to 1
}

// leastSeen is how many cases a habit needs before it is called one; assumed.
const leastSeen = 5

// view is what findings look at.
type view struct {
	requests []*Request
	texts    []*text
	reused   []reuse // at each edit at a cursor
}

// look puts requests together by document.
func look(requests []*Request) *view {
	v := &view{requests: requests, texts: group(requests)}
	for _, t := range v.texts {
		v.reused = append(v.reused, t.reused()...)
	}
	return v
}

// findings returns the habits that were seen, those that most of what could show them did
// first.
func (v *view) findings() []Finding {
	var found []Finding
	for _, check := range []func(*view) (Finding, bool){
		flood, stale, neverCancelled, drift, longSuffix, unusedTokens, newConnections, duplicates, refusedAgain, whole,
	} {
		if f, ok := check(v); ok {
			found = append(found, f)
		}
	}
	slices.SortStableFunc(found, func(a, b Finding) int { return cmp.Compare(b.Share, a.Share) })
	return found
}

// visits calls f with each request of each document, and with the next one of another text
// or cursor, nil for none.
func (v *view) visits(f func(now, next *visit)) {
	for _, t := range v.texts {
		for i := range t.visits {
			f(&t.visits[i], t.next(i))
		}
	}
}

// next returns the first request behind the i-th that shows another text or cursor.
func (t *text) next(i int) *visit {
	for j := i + 1; j < len(t.visits); j++ {
		if t.visits[j].step.kind != Same {
			return &t.visits[j]
		}
	}
	return nil
}

// when says which request is meant.
func when(r *Request) string { return fmt.Sprintf("request %d at %s", r.Number, at(r.Arrived)) }

// at writes an instant for a reader.
func at(t time.Duration) string { return fmt.Sprintf("%.3f s", t.Seconds()) }

// ms writes a time for a reader.
func ms(d time.Duration) string {
	if d == pipeline.Unknown {
		return "unknown"
	}
	return fmt.Sprintf("%d ms", (d + time.Millisecond/2).Milliseconds())
}

// share returns n of all, 0 of none.
func share(n, all int) float64 {
	if all == 0 {
		return 0
	}
	return float64(n) / float64(all)
}

// percent writes a share for a reader.
func percent(s float64) string { return fmt.Sprintf("%.0f %%", 100*s) }

// middle returns the middle one of values, the lower of two; the zero value of none.
func middle[T cmp.Ordered](values []T) (m T) {
	if len(values) == 0 {
		return m
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)-1)/2]
}
