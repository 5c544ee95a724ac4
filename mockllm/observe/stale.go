package observe

import (
	"fmt"
	"time"

	"halfsecond/pipeline"
)

const (
	// promptly is how long after the next request a plugin may close the one before, and
	// still be prompt about it: an editor is single-threaded and has a key to draw; assumed.
	promptly = 50 * time.Millisecond
	// Shares of superseded requests from which on it is a habit; assumed.
	staleShare = 0.2
	neverShare = 0.5
)

// superseded returns the requests that were under way when the next one showed another text
// or cursor, and those next ones.
func (v *view) superseded() (old, by []*visit) {
	v.visits(func(now, next *visit) {
		if next != nil && now.openAt(next.Arrived) {
			old, by = append(old, now), append(by, next)
		}
	})
	return old, by
}

// stale finds requests that stay open though the text that they are about is gone.
func stale(v *view) (Finding, bool) {
	old, by := v.superseded()
	var on []time.Duration
	tokens := 0
	var example *visit
	for i, r := range old {
		if r.over() == pipeline.Unknown || r.over()-by[i].Arrived <= promptly {
			continue
		}
		on = append(on, r.over()-by[i].Arrived)
		tokens += r.taken()
		example = r
	}
	s := share(len(on), len(old))
	if len(on) < leastSeen || s < staleShare {
		return Finding{}, false
	}
	return Finding{
		ID: "stale_requests", Share: s, Title: "requests stay open when the text that they were about has changed",
		Evidence: []string{
			fmt.Sprintf("%d of %d requests that a newer one of the same document superseded were open more than %s later, for %s in the middle; such as %s, for %s", len(on), len(old), ms(promptly), ms(middle(on)), when(example.Request), ms(on[len(on)-1])),
			fmt.Sprintf("%d tokens went out to them", tokens),
		},
		Fix: "close a request in the step that sends the next one, before it is sent: on a busy server the new one waits behind the old",
	}, true
}

// neverCancelled finds requests that ran to their end though nobody could use it.
func neverCancelled(v *view) (Finding, bool) {
	old, _ := v.superseded()
	ended, tokens := 0, 0
	var busy time.Duration
	var example *visit
	for _, r := range old {
		if r.Left != pipeline.Unknown || r.Ended == pipeline.Unknown || r.Refused {
			continue
		}
		ended++
		tokens += r.Generated
		busy += r.Ended - r.Arrived
		example = r
	}
	s := share(ended, len(old))
	if ended < leastSeen || s < neverShare {
		return Finding{}, false
	}
	return Finding{
		ID: "never_cancelled", Share: s, Title: "superseded requests are not cancelled: the server computes them to their end",
		Evidence: []string{
			fmt.Sprintf("%d of %d superseded requests (%s) ran to their end, such as %s", ended, len(old), percent(s), when(example.Request)),
			fmt.Sprintf("the server was at work on them for %.1f s and generated %d tokens", busy.Seconds(), tokens),
		},
		Fix: "close the request on the wire (abort the fetch, cancel the context): to drop its answer in the editor leaves the server at work",
	}, true
}
